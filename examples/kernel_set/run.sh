#!/bin/sh
# Makes a kernel set for this machine, and runs the example where no kernel compiler can be found.
# usage: run.sh SPMVGEN PROGRAM FOLDER
set -eu
spmvgen=$1 program=$2 folder=$3
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
arch=$("$spmvgen" doctor | awk '$1 == "native" {print $2}')
"$spmvgen" pack build --manifest "$here/manifest.json" --arch "$arch" -o "$folder/kernels.spmvset"
# An empty cache, and a compiler that is not there.
SPMVGEN_CACHE_DIR=$folder/no-cache SPMVGEN_JIT=/nowhere "$program" "$folder/kernels.spmvset"
