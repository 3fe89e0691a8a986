#!/usr/bin/env bash
# Run by conda-build, which sets PREFIX, CMAKE_ARGS and CPU_COUNT, in the unpacked sources.
set -euo pipefail
read -ra conda_options <<<"${CMAKE_ARGS:-}"
cmake -S . -B build/conda -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_INSTALL_PREFIX=$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
    -DSPMVGEN_FAST_BUILD=ON -DSPMVGEN_TESTS=OFF -DSPMVGEN_BENCH=OFF "${conda_options[@]}"
cmake --build build/conda --parallel "${CPU_COUNT:-2}"
cmake --install build/conda
