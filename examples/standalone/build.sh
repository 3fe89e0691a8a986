#!/bin/sh
# Emits a kernel and compiles standalone.cu with it, into the folder OUT.
# usage: build.sh SPMVGEN ARCH OUT    (sm_90: with nvcc; gfx90a: with hipcc)
# Exit status 77: that compiler is not found.
set -eu
spmvgen=$1 arch=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
case $arch in
sm_*) compiler=${NVCC:-nvcc} ;;
*) compiler=${HIPCC:-hipcc} ;;
esac
command -v "$compiler" >/dev/null || { echo "$compiler is not found" >&2; exit 77; }
mkdir -p "$out"
"$spmvgen" emit --kernel csr_classical --arch "$arch" -o "$out/kernel.h" --launch "$out/launch.json"
kernel=$(sed -n 's/^ *"kernel": "\(.*\)",*$/\1/p' "$out/launch.json")
case $arch in
sm_*) "$compiler" -arch="$arch" -I"$out" -DLAUNCH="${kernel}_launch" "$here/standalone.cu" -o "$out/standalone" ;;
*) "$compiler" --offload-arch="$arch" -x hip -I"$out" -DLAUNCH="${kernel}_launch" "$here/standalone.cu" -o "$out/standalone" ;;
esac
echo "$out/standalone"
