# Shared by the scripts here: installing what is missing, and building a preset quietly. Sourced, not run.

# Debian/Ubuntu packages that the build, the tests and the benchmarks need.
SPMVGEN_PACKAGES=(g++ cmake ninja-build zlib1g-dev libzstd-dev
                  llvm-19-dev libclang-19-dev libclang-cpp19-dev liblld-19-dev
                  libfmt-dev libgtest-dev libgmock-dev libbenchmark-dev libcli11-dev nlohmann-json3-dev libmd-dev
                  libboost-dev)

# What some tests try and which is not everywhere; without it they skip: AMD's run-time compiler, Clang with its runtime for
# fuzzers and for programs that use spmvgen, what these are built and packed with, what examples use, what `bench` compares
# with, PETSc for its adaptor, what bench/spmvbench fits and draws with (numpy comes with SciPy), and what reads the comments
# of the headers for the pages.
SPMVGEN_WANTED_PACKAGES=(libamdhip64-dev libamd-comgr-dev libhiprtc-builtins5 rocm-device-libs
                         clang-19 libclang-rt-19-dev pkgconf dpkg-dev libeigen3-dev librsb0 libopenmpi-dev openmpi-bin
                         petsc-dev libpetsc3.18-dev-examples python3 python3-scipy python3-matplotlib doxygen)

is_installed() {
    [[ $(dpkg-query -W -f='${Status}' "$1" 2>/dev/null) == *'ok installed'* ]]
}

# Installs those of the packages that are absent and can be had; says what is left out.
install_wanted() {
    local available=() package
    for package in "$@"; do
        is_installed "$package" && continue  # apt-cache takes a second each
        if apt-cache show "$package" >/dev/null 2>&1; then
            available+=("$package")
        else
            echo "Not to be had here, so tests that need it skip: $package"
        fi
    done
    ((${#available[@]})) || return 0
    install_missing "${available[@]}" || echo "Going on without: ${available[*]}"
}

# Installs the packages that are absent, and says which; silent when all are there.
install_missing() {
    local missing=() package
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    local as_root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null || {
            echo "These packages are missing and there is neither root nor sudo; install them and try again:" >&2
            echo "  apt-get install ${missing[*]}" >&2
            return 1
        }
        as_root=(sudo)
    fi
    echo "Installing: ${missing[*]}"
    local log
    log=$(mktemp)
    if ! { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
           "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        tail -n 30 "$log" >&2
        echo "The packages could not be installed; the whole log is in $log" >&2
        return 1
    fi
    rm -f "$log"
}

# Reads what ninja prints, keeps it in the file LOG, and shows how far it is: in place on a terminal, else a line each tenth.
show_steps() {
    local log=$1 line step total shown=-1
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$log"
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
        step=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
        if [[ -t 1 ]]; then
            printf '\r  step %d of %d, %d:%02d min\e[K' "$step" "$total" $((SECONDS / 60)) $((SECONDS % 60))
        elif ((10 * step / total > shown)); then
            shown=$((10 * step / total))
            printf '  step %d of %d, %d:%02d min\n' "$step" "$total" $((SECONDS / 60)) $((SECONDS % 60))
        fi
    done
    if [[ -t 1 && -n ${step:-} ]]; then echo; fi
}

# build_preset PRESET [TARGET…]: configures at the first time, builds, shows how far it is and what it took, and the log when it
# fails.
build_preset() {
    local preset=$1 log
    shift
    log=$(mktemp)
    local launcher=()
    command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    if [[ ! -f build/$preset/build.ninja ]]; then
        echo "Configuring build/$preset"
        if ! cmake --preset "$preset" "${launcher[@]}" >"$log" 2>&1; then
            cat "$log" >&2
            return 1
        fi
    fi
    if [[ $(ninja -C "build/$preset" -n "$@" 2>&1) == *"no work to do"* ]]; then
        rm -f "$log"
        return
    fi
    echo "Building build/$preset"
    SECONDS=0
    if ! NINJA_STATUS='[%f/%t] ' cmake --build --preset "$preset" ${1+--target "$@"} 2>&1 | show_steps "$log"; then
        cat "$log" >&2
        return 1
    fi
    echo "Built build/$preset in $((SECONDS / 60)):$(printf %02d $((SECONDS % 60))) min"
    rm -f "$log"
}
