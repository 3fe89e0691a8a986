#!/usr/bin/env bash
# Runs spmvgen where there is nothing but the runtime, the shared libraries that it needs, and kernel sets: no kernel
# compiler, no LLVM, no CUDA or ROCm toolkit, no C++ compiler. Every product must come out right with kernels of a set.
#   no_compiler.sh SPMVGEN WORK_FOLDER SET… -- DEVICE:TYPE…
# Ends with 77 where it may not make a root folder of its own.
set -euo pipefail
spmvgen=$(realpath "$1") work=$2
shift 2
sets=() cases=()
while [[ $1 != -- ]]; do sets+=("$1"); shift; done
shift
cases=("$@")

enter=(chroot "$work/root")
((EUID == 0)) || enter=(unshare --user --map-root-user chroot "$work/root")
rm -rf "$work/root"
mkdir -p "$work/root"/{bin,lib/spmvgen/kernel-sets,proc,tmp}
cp "$spmvgen" "$work/root/bin/"
library=$(ldd "$spmvgen" | awk '$1 ~ /^libspmvgen\.so/ {print $3}')
while read -r file; do
    if [[ $file =~ LLVM|clang|lld|cuda|nvrtc|hip|comgr|spmvgen_jit ]]; then
        echo "FAILED: the runtime needs $file" >&2
        exit 1
    fi
    mkdir -p "$work/root$(dirname "$file")"
    cp -L "$file" "$work/root$file"
done < <(ldd "$spmvgen" | grep -o '/[^ ]*' | sort -u)
# Beside the library, wherever the program looks for that.
mkdir -p "$work/root$(dirname "$library")/spmvgen/kernel-sets"
cp "${sets[@]}" "$work/root$(dirname "$library")/spmvgen/kernel-sets/"
if ! "${enter[@]}" /bin/spmvgen --version >"$work/version" 2>&1; then
    echo "[SKIP] no root folder of its own may be made here: $(<"$work/version")"
    exit 77
fi
echo "$(find "$work/root" -type f | wc -l) files: $(find "$work/root" -type f -printf '%f ' | head -c 600)"

# The families, small, and some that lead to the rarer kernels.
matrices=(stencil5:nx=40,ny=40 stencil7:nx=12,ny=12,nz=12 stencil9:nx=40,ny=40 stencil27:nx=9,ny=9,nz=9
          fem:nx=12,ny=12 fem_tri:nx=20,ny=20 rmat:scale=9 debruijn:k=9 random:rows=900,cols=900
          random:rows=300,cols=5000,per_row=400 banded:n=900 arrow:n=1500 diagonal:n=1500 powerlaw:n=1500,max_row=1000
          circuit:n=1500,dense_length=500 road:nx=30,ny=30 random:rows=9000,cols=9000,per_row=1
          random:rows=9000,cols=9000,per_row=3 banded:n=20000,lower=2,upper=2)
passed=0 failed=0
check() {
    local text
    if text=$(SPMVGEN_CACHE_DIR=/tmp/none "${enter[@]}" /bin/spmvgen run "$@" --cache load --strict --check --time 0 2>&1) &&
        grep -q '^origin   set$' <<<"$text" && grep -q 'passed against the compensated reference' <<<"$text"; then
        passed=$((passed + 1))
        grep -o '^kernel   [a-z_]*_[fc][36]' <<<"$text" >>"$work/kernels"
    else
        failed=$((failed + 1))
        echo "FAILED: $*: $text"
    fi
}
: >"$work/kernels"
for case in "${cases[@]}"; do
    device=${case%:*} type=${case##*:}
    for matrix in "${matrices[@]}"; do
        for options in "" "--alpha 2 --beta 3" "--beta 1" "--op T" "--deterministic"; do
            # shellcheck disable=SC2086
            check "gallery:$matrix" --device "$device" --value "$type" --threads 3 $options
        done
    done
    check "gallery:stencil5:nx=40,ny=40" --device "$device" --value "$type" --reorder rcm --alpha 2 --beta 1
done
if "${enter[@]}" /bin/spmvgen run gallery:stencil5:nx=9,ny=9 --cache memory --strict --format ell --time 0 >"$work/refused" 2>&1; then
    echo "FAILED: a kernel that no set has was had: $(<"$work/refused")"
    failed=$((failed + 1))
fi
echo "kernels that ran: $(sed 's/^kernel   //; s/_[fc][36]$//' "$work/kernels" | sort | uniq -c | awk '{printf "%s×%s ", $2, $1}')"
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
