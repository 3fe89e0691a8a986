#!/usr/bin/env bash
# Times the kernels of format tiles with other parameters than their presets, on a GPU:
#   bench/tiles_cases.sh build/dev/bin/spmvgen cuda:0 RESULTS.jsonl A.bcsr …
# One line of JSON a case: what `spmvgen run --json` prints, of matrices that are read once a case.
# $TILES_CASES, if set, is a regular expression: only cases that match it are run.
set -euo pipefail
spmvgen=$1 device=$2 results=$3; shift 3

# What a lane has, what a warp has, what a block has.
cases=("csr_load_balance" "coo")
for items in 8 16; do for run in 1 2 4 8; do cases+=("tiles items=$items run=$run"); done; done
cases+=("tiles items=8 run=4 block=128" "tiles items=8 run=4 block=512" "tiles items=8 run=4 staged=32"
        "tiles items=8 run=4 staged=128" "tiles items=32 run=1")
# Hubs: how many, and how many blocks share a multiprocessor.
for hubs in 2048 4096 8192 10240; do
    cases+=("tiles_hubs hubs=$hubs run=4 block=512 per_unit=2")
done
for hubs in 12288 16384 24576; do
    cases+=("tiles_hubs hubs=$hubs run=4 block=1024 per_unit=1 staged=32")
done
cases+=("tiles_hubs hubs=12288 run=8 block=1024 per_unit=1 staged=32"
        "tiles_hubs hubs=12288 run=2 block=1024 per_unit=1 staged=32"
        "tiles_hubs hubs=4096 run=4 block=256 per_unit=4"
        "tiles_hubs hubs=8192 run=2 items=16 block=512 per_unit=1")
# Columns by degree: close together instead of in shared memory, or both.
for warm in 65536 262144 1048576; do
    cases+=("tiles_hubs hubs=0 warm=$warm run=4 block=512 per_unit=2"
            "tiles_hubs hubs=8192 warm=$warm run=4 block=512 per_unit=2")
done

for matrix in "$@"; do
    for case in "${cases[@]}"; do
        [[ $case =~ ${TILES_CASES:-.} ]] || continue
        read -r kernel params <<<"$case"
        arguments=()
        for param in $params; do arguments+=(--param "$param"); done
        "$spmvgen" run "$matrix" --device "$device" --kernel "$kernel" "${arguments[@]}" --time 100 --check --json \
            >>"$results" || echo "failed: $matrix $case" >&2
    done
done
