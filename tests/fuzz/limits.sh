# How the fuzz targets are run, here and elsewhere. Sourced, not run.

# run_fuzzer BIN DICTIONARIES TARGET ARGUMENT…: memory and time that no input may exceed.
run_fuzzer() {
    local bin=$1 dictionary=$2/$3.dict target=$3 options=()
    shift 3
    [[ ! -f $dictionary ]] || options+=(-dict="$dictionary")
    # A small quarantine: without it every input touches fresh pages, and the system takes half of the time.
    ASAN_OPTIONS=quarantine_size_mb=1:thread_local_quarantine_size_kb=64:malloc_context_size=8:allocator_may_return_null=0 \
    UBSAN_OPTIONS=print_stacktrace=1 \
        "$bin/fuzz_$target" -malloc_limit_mb=16 -rss_limit_mb=512 -timeout=60 -report_slow_units=60 -max_len=8192 -print_final_stats=1 "${options[@]}" "$@"
}
