#!/usr/bin/env bash
# no_compiler.sh with a set that takes seconds: what the rules choose for f32 and f64 with 32-bit indices on this CPU.
#   no_compiler_small.sh SPMVGEN WORK_FOLDER
set -euo pipefail
mkdir -p "$2"
native=$("$1" doctor | awk '$1 == "native" {print $2}')
"$1" pack build --manifest common --value f32,f64 --index i32/i32 --arch "$native" -o "$2/small.spmvset"
exec "$(dirname "$0")/no_compiler.sh" "$1" "$2" "$2/small.spmvset" -- host:f32 host:f64
