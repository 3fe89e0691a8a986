#!/usr/bin/env bash
# What docs/ahead-of-peers.md and its neighbours say of a GPU, section by section; each leaves JSON lines in OUT.
#   bench/h200.sh BIN_DIR GALLERY OUT SECTION…        (device $SPMVGEN_DEVICE, cuda:0)
# BIN_DIR has spmvgen and, for `conversion`, bench_gpu. GALLERY: where `spmvgen gallery make --suite all -o GALLERY` put the twins; made there when it is empty.
# Sections: gallery own f32 own-f32 levels ablation conversion small units order columns blocks low; shared, of the matrices below $SPMVGEN_SHARED (gallery.py, which needs scipy, and matrices/real); $SPMVGEN_BUDGET is the time for a case (8ms), $SPMVGEN_LIMIT seconds for a section (200).
set -euo pipefail
bin=$1 gallery=$2 out=$3; shift 3
here=$(cd "$(dirname "$0")" && pwd)
device=${SPMVGEN_DEVICE:-cuda:0} budget=${SPMVGEN_BUDGET:-8ms} limit=${SPMVGEN_LIMIT:-200}
mkdir -p "$out"
[[ -n $(ls "$gallery" 2>/dev/null) ]] || "$bin/spmvgen" gallery make --suite all -o "$gallery"

# The twins that are named, else all, the smallest first.
matrices() {
    local names=("$@") m
    ((${#names[@]})) || mapfile -t names < <(cd "$gallery" && ls -Sr -- *.csr)
    for m in "${names[@]}"; do echo "$gallery/${m%.csr}.csr"; done
}
# NAME KERNELS VALUE NUMBERS PEERS MATRIX…
bench() {
    local name=$1 kernels=$2 value=$3 numbers=$4 against=$5; shift 5
    timeout -s INT "$limit" "$bin/spmvgen" bench "$@" --device "$device" --value "$value" --cache hot --numbers "$numbers" --kernels "$kernels" \
        --against "$against" --budget "$budget" --json "$out/$name.jsonl" >"$out/$name.log" 2>&1 || echo "$name: ended early, status $?"
    wc -l "$out/$name.jsonl" || true
    grep WRONG "$out/$name.log" || true
}
# Of every class some, small and large.
some=(raefsky3 venkat01 rma10 roadNet-PA com-Youtube thermal2 delaunay_n20 G3_circuit atmosmodd shipsec1 kkt_power NACA0015 hugetrace-00000 memchip in-2004 StocF-1465 M6
      wikipedia-20051105 Transport cage14 nlpkkt80 dgreen Hook_1498)

for section in "$@"; do
    SECONDS=0
    case $section in
        gallery) bench "$section" auto f64 random cusparse $(matrices) ;;
        own) bench "$section" auto f64 own cusparse $(matrices) ;;
        f32) bench "$section" auto f32 random cusparse $(matrices) ;;
        own-f32) bench "$section" auto f32 own cusparse $(matrices) ;;
        levels) bench "$section" auto,auto/measure,all f64 random cusparse $(matrices) ;;
        ablation)
            timeout -s INT "$limit" "$here/ablation.py" "$bin/spmvgen" --device "$device" --budget "$budget" --json "$out/ablation.jsonl" $(matrices "${some[@]}") ||
                echo "$section: ended early, status $?" ;;
        conversion)
            for there in there here; do
                flags=()
                [[ $there == here ]] || flags+=(--device-arrays)
                timeout -s INT "$limit" "$bin/bench_gpu" $(matrices "${some[@]}") --device "$device" --case strips:block_rows=1,block_cols=1,value_code=0 --handles 5 \
                    "${flags[@]}" --json "$out/conversion-$there.json" >"$out/conversion-$there.log" 2>&1 || echo "conversion ($there): ended early, status $?"
            done
            "$here/conversion_table.py" "$out"/conversion-{there,here}.json ;;
        small) # the list of docs/small-matrices.md
            bench "$section" auto,csr_classical:subwarp=4:unroll=2,csr_classical:subwarp=8,csr_classical:subwarp=16,sell_slices,strips,bcsr_fused,tiles f64 random cusparse \
                $(matrices fidap037 epb1 bcsstk28 raefsky2 bcsstk17 twotone raefsky3 dblp-2010 venkat01 qcd5_4 rma10 cop20k_A) ;;
        units) bench "$section" auto,csr_matrix_units,csr_matrix_units:unroll=2,csr_matrix_units:tiles=2,csr_classical,sell_slices,bcsr_fused f64 random none $(matrices "${some[@]}") ;;
        columns) # alone, where all values are one
            c=strips:codes=8:sigma=1
            for value in f64 f32; do
                bench "$section-$value" "auto,strips,strips:unroll=4,tiles,$c:unroll=4,$c:unroll=4:block=128,$c:unroll=5:block=128,$c:unroll=7" "$value" own none \
                    $(matrices debr NACA0015 rgg_n_2_20_s0 rgg_n_2_21_s0 venturiLevel3 hugetrace-00000 hugetric-00000 delaunay_n20 delaunay_n22 333SP M6 AS365 NLR packing-500x100x100-b050 ecology1 roadNet-CA)
            done ;;
        blocks) # of 128 and 256 threads; edge elements with neighbouring rows in a slice, and with every third one
            for value in f64 f32; do
                bench "$section-$value" auto,strips:block=128,strips:block=256,strips:period=1,tiles:block=128,tiles:block=256 "$value" random none \
                    $(matrices StocF-1465 Transport M6 thermal2 venturiLevel3 atmosmodd nlpkkt80 CurlCurl_3 CurlCurl_4 vas_stokes_1M Hook_1498 Freescale2 memchip FullChip wiki-Talk 333SP kkt_power Hamrle3)
            done ;;
        low) bench "$section" auto,auto/measure f64 random cusparse $(matrices patents cit-Patents delaunay_n20 delaunay_n21 delaunay_n22 sx-stackoverflow soc-Pokec wiki-Talk com-Youtube wikipedia-20070206 cage14) ;;
        order) bench "$section" auto,strips,strips:reorder=rows f64 random none $(matrices delaunay_n20 delaunay_n21 delaunay_n22 com-Youtube dblp-2010 G3_circuit CurlCurl_4 M6) ;;
        shared)
            mkdir -p "$gallery-shared/csrb"
            python3 "$SPMVGEN_SHARED/gallery.py" "$gallery-shared/csrb"
            "$here/csr_of_csrb.py" "$gallery-shared" "$gallery-shared"/csrb/*.csrb
            for value in f64 f32; do
                for numbers in random own; do
                    bench "shared-$numbers-$value" auto "$value" "$numbers" cusparse "$SPMVGEN_SHARED"/matrices/real/*.mtx* "$gallery-shared"/*.csr
                done
            done ;;
        *) echo "h200.sh: unknown section '$section'" >&2; exit 2 ;;
    esac
    echo "$section: ${SECONDS} s"
done
