#!/usr/bin/env bash
# no_compiler.sh with a set that takes seconds: what the rules choose for f64 with 32-bit indices on this CPU, in the modes of
# α and β that the script runs.
#   no_compiler_small.sh SPMVGEN WORK_FOLDER
set -euo pipefail
mkdir -p "$2"
native=$("$1" doctor | awk '$1 == "native" {print $2}')
"$1" pack build --manifest "$(dirname "$0")/no_compiler_small.json" --arch "$native" -o "$2/small.spmvset"
exec "$(dirname "$0")/no_compiler.sh" "$1" "$2" "$2/small.spmvset" -- host:f64
