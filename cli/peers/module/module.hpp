#pragma once
#include "spmvgen/matrix.hpp"

/// What is compiled as a user of a compiler would compile it: with -O3 -fopenmp and the machine's
/// own architecture. One loadable module for each architecture (libspmvgen_peers_x86-64-v3.so), so
/// that the program itself runs everywhere, and nothing of theirs gets into it.
extern "C" {

/// A module's entry points; sparse matrices have int32 columns and row offsets.
struct SpmvgenPeerModule {
    int abi;  ///< spmvgen_peer_module_abi
    /// y = Ax by the loop that everyone writes first, for 1, 2, 4, 8, 16 or 32 vectors.
    void (*plain)(const spmvgen::CsrView& a, const void* x, void* y, int num_rhs, int threads);
    const char* eigen_version;  ///< null: made without Eigen, as what follows is
    /// A product by Eigen over the CSR arrays as they are, which must outlive it.
    void* (*eigen_make)(const spmvgen::CsrView& a);
    void (*eigen_multiply)(const void* product, const void* x, void* y, int threads);
    void (*eigen_free)(void* product);
};

inline constexpr int spmvgen_peer_module_abi = 2;

const SpmvgenPeerModule* spmvgen_peer_module();
}
