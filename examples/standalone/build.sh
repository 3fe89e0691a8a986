#!/bin/sh
# Emits a kernel and compiles standalone.cu with it, into the folder OUT.
# usage: build.sh SPMVGEN ARCH OUT    (sm_90: with nvcc; gfx90a: with hipcc)
set -eu
spmvgen=$1 arch=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
"$spmvgen" emit --kernel csr_classical --arch "$arch" -o "$out/kernel.h" --launch "$out/launch.json"
kernel=$(sed -n 's/^ *"kernel": "\(.*\)",*$/\1/p' "$out/launch.json")
case $arch in
sm_*) ${NVCC:-nvcc} -arch="$arch" -I"$out" -DLAUNCH="${kernel}_launch" "$here/standalone.cu" -o "$out/standalone" ;;
*) ${HIPCC:-hipcc} --offload-arch="$arch" -x hip -I"$out" -DLAUNCH="${kernel}_launch" "$here/standalone.cu" -o "$out/standalone" ;;
esac
echo "$out/standalone"
