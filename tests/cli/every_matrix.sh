#!/usr/bin/env bash
# spmvgen run --check for every format over every real matrix and every edge case of a folder with real/ and edge/.
#   every_matrix.sh SPMVGEN FOLDER
# A real matrix must pass; ELL may be refused for the memory that its padding takes. An edge case passes in every format
# or is refused with file:line in every format (tests/matrix holds the table of which and why).
set -u
spmvgen=$1 folder=$2
[[ -d $folder/real ]] || { echo "[SKIP] no matrices in $folder"; exit 77; }
passed=0 failed=0 refused=0 memory=0
fail() { echo "FAILED: $*"; failed=$((failed + 1)); }

for matrix in "$folder"/real/*.mtx.gz; do
    for format in csr coo ell sell auto; do
        text=$("$spmvgen" run "$matrix" --format $format --check --time 0 --cache memory 2>&1)
        status=$?
        if ((status == 0)) && [[ $text == *"passed against the compensated reference"* ]]; then
            passed=$((passed + 1))
        elif ((status == 1)) && [[ $format == ell && $text == *"more than half of the"*"free; use csr or coo"* ]]; then
            memory=$((memory + 1))
            echo "$(basename "$matrix") $format: $text"
        else
            fail "$matrix $format: status $status: $text"
        fi
    done
done
for matrix in "$folder"/edge/*; do
    readable=
    for format in csr coo ell sell; do
        text=$("$spmvgen" run "$matrix" --format $format --check --time 0 --cache memory 2>&1)
        status=$?
        if ((status == 0)) && [[ $text == *"passed against the compensated reference"* ]]; then
            outcome=yes passed=$((passed + 1))
        elif ((status == 1)) && [[ $text =~ ^"spmvgen: $matrix:"[0-9]+": " ]]; then
            outcome=no refused=$((refused + 1))
        else
            fail "$matrix $format: status $status: $text"
            continue
        fi
        [[ ${readable:=$outcome} == "$outcome" ]] || fail "$matrix is read for one format and refused for another"
    done
done
echo "$refused edge cases refused with file:line, $memory ELL conversions refused for memory"
echo "$passed passed, $failed failed"
((failed == 0))
