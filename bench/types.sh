#!/usr/bin/env bash
# bench/types.sh [SPMVGEN [MATRIX [OUT.jsonl]]]: csr_vector with types that differ, one thread, in
# alternating rounds: f64 values stored as f64, f32, bf16, f16; f32 as f32, bf16; f32 with f64 sums.
S=${1:-spmvgen}; M=${2:-gallery:stencil27:nx=80}; OUT=${3:-types.jsonl}; : > $OUT
for round in 1 2 3 4 5; do
  while read -r name options; do
    $S run $M --kernel csr_vector --threads 1 --time 300 --json $options | python3 -c "import json,sys; j=json.load(sys.stdin); print(json.dumps({'round':$round,'case':'$name','kernel':j['kernel'],'matrix_bytes':j['matrix_bytes'],'bytes':j['bytes'],'time':j['time']}))" >> $OUT
  done <<'T'
f64 --value f64
f64_sf32 --value f64 --storage f32
f64_sbf16 --value f64 --storage bf16
f64_sf16 --value f64 --storage f16
f32 --value f32
f32_sbf16 --value f32 --storage bf16
f32_accf64 --value f32 --accumulator f64
T
done
