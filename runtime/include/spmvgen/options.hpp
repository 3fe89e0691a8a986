#pragma once
/// spmvgen: what a handle is to be.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "spmvgen/params.hpp"

namespace spmvgen {

/// Whether kernels may be made and kept.
enum class CacheMode {
    on,        ///< look in the cache, compile on a miss, keep the result
    memory,    ///< compile, never touch the disk
    readonly,  ///< look in the cache, compile on a miss, never write
    load,      ///< look in the cache, never compile: the generic kernel serves a miss
    off,       ///< neither: always the generic kernel; not on GPUs, which have none
    automatic  ///< the one that $SPMVGEN_CACHE names; on when it is unset
};

/// A kernel that a level has timed on the matrix.
struct MeasuredKernel {
    std::string kernel;              ///< its name for α = 1, β = 0
    double us = 0;                   ///< median microseconds of an apply
    double low_us = 0, high_us = 0;  ///< quartiles
    double predicted_us = 0;         ///< by counted work; 0 = it was not counted
};

/// What a handle is to be. The defaults choose everything from the matrix.
struct Options {
    std::string device = "host";  ///< "host", "cuda:0", "hip:1", or "simt:gfx906": GPU kernels run
                                  ///< on this CPU (docs/explanation/simt-executor.md)
    std::string format = "auto";  ///< "auto", or a name of Format: "csr", "coo", … (format_names())
    std::string kernel = "auto";  ///< "auto" or an id of the kernel registry ("csr_vector")
    Params params;                ///< parameters of that kernel; what is absent is chosen
    std::string target = "native";  ///< "native", or an architecture that this machine runs; of a
                                    ///< GPU its own only, or "native:memory=device": every y is
                                    ///< memory that the GPU allocated (hipMalloc)
    bool deterministic = false;     ///< only kernels that give the same bits each time
                                    ///< (docs/reference/reproducibility.md)
    std::string vectors;      ///< type of x, y, α and β, wider than A's: "f64" for an f32 matrix,
                              ///< "c64" for c32; A stays as it is, exact. "" = A's type
    std::string accumulator;  ///< type of the sums, wider than the vectors': "f64" for f32, "c64"
                              ///< for c32; "" = that of the vectors
    std::string storage;      ///< type that A's values are rounded to and stored in, narrower than
                              ///< theirs: "f16", "bf16", "f32", "c32"; "" = as they are
    std::string encodings = "auto";  ///< "auto": values may be stored in fewer bytes where that
                                     ///< gives every bit back, unless `storage` says how
                                     ///< (docs/explanation/encodings.md); "none": as they are
    std::string
        epilogue;     ///< a C++ expression of `value`, the element of αAx + βy, and `row`,
                      ///< which is stored in y instead: "value > 0 ? value : 0"; with operands,
                      ///< statements before it, and apply_with() (docs/how-to/fused-steps.md)
    int num_rhs = 1;  ///< k: x is n×k and y is m×k, row-major
    std::string op = "N";  ///< "N": y = αAx + βy; "T": with Aᵀ; "H": with Aᴴ; "C": with the
                           ///< conjugate of A. For T and H x is m×k and y is n×k; the handle plans
                           ///< on a copy of its own, but for C of real values
                           ///< (docs/how-to/transpose.md)
    bool transpose_by_atomics = false;  ///< op T, H: no copy; sums in y are added atomically, in
                                        ///< any order
    int threads = 0;  ///< of this CPU, at most: products take fewer where these are predicted to be
                      ///< faster, and Info::threads says how many; 0 = what OpenMP would use
    bool all_threads = false;  ///< a product takes all of them, however small it is
    bool copy = true;  ///< true: the handle keeps its own copy of A; false: CSR arrays are borrowed
                       ///< and must outlive it, unless `owner` keeps them. A GPU has its own copy
                       ///< of arrays in host memory
    std::shared_ptr<const void> owner;  ///< with copy = false: held as long as the handle reads
                                        ///< the caller's arrays; given back at once when it reads
                                        ///< none of them
    bool device_arrays = false;  ///< GPUs: A's arrays, and the numbers of update_values, are in the
                                 ///< memory of `device`
    int index_base = 0;  ///< number of the first row, column and entry in the given arrays: 0, or
                         ///< 1 as in Fortran. Of arrays that begin at 1 the handle makes copies,
                         ///< but for the values; not for device_arrays
    /// How often update_values is called. "often": only formats are chosen of which it is known
    /// that it takes at most 3 products on CPUs and 4 on GPUs, values are not encoded, rows keep
    /// their order, and where new values go is found out by the constructor. A format or kernel
    /// that is not one of them is refused.
    std::string updates = "seldom";
    bool updatable = true;  ///< false: nothing is kept for update_values, which is then an error
    std::int64_t memory_limit = 0;  ///< bytes that the arrays made of A may take, borrowed ones not
                                    ///< counted; 0 = padded formats half of the free memory
    std::string reorder = "auto";   ///< order of a square A: "auto" (on GPUs "rows" where that is
                                    ///< predicted to pay, else "none"), "none", "rcm", "band-k" or,
                                    ///< of rows alone, "rows"; with one of these three A is
                                    ///< copied, whatever copy says (docs/how-to/reorder.md)
    bool permuted_vectors = false;  ///< with reorder: x and y are in the order that
                                    ///< Handle::row_order() gives, instead of the caller's
    std::string pack_vectors = "auto";  ///< of apply_many, vectors with gaps or in columns:
                                        ///< "auto" packs them where kernels cannot read them, or
                                        ///< that is predicted to be slower; "always"; "never" where
                                        ///< kernels can (docs/explanation/several-vectors.md)
    bool overlap_launches = true;  ///< NVIDIA GPUs: a product may begin while the launch ahead of
                                   ///< it on the stream ends; false: in its turn, so that what
                                   ///< then begins on another stream, as for a halo, has room
    CacheMode cache = CacheMode::automatic;  ///< anything else wins over $SPMVGEN_CACHE
    std::string cache_dir;    ///< "" = $SPMVGEN_CACHE_DIR, else the user's cache directory
    std::string kernel_sets;  ///< kernel sets, files or folders of *.spmvset separated by ':', that
                              ///< are searched beside those of $SPMVGEN_KERNEL_SETS and those
                              ///< beside the library (docs/how-to/cluster-and-kernel-sets.md)
    bool strict = false;      ///< true: a fallback to the generic kernel is Error(compile) instead,
                              ///< as it always is on a GPU
    /// "now": the handle is planned, and its kernel made, when the constructor returns. "behind":
    /// the constructor returns when A is checked and, where it has to be, copied; plain CSR serves
    /// (on a GPU csr_classical, which may have to be made) until a thread has planned and made the
    /// rest, from when on that serves. info() says which one does.
    /// prepare(), update_values() and workspace_bytes() wait for it. It takes the memory of both.
    std::string compile = "now";
    /// How the kernel is chosen (docs/explanation/levels.md): "rule" by rules and predicted times;
    /// "lazy" the same, but only once products of plain CSR took as long as planning is predicted
    /// to take, in the apply that finds it so, or with compile = "behind" in a thread; "recorded"
    /// as tuning_db or this user has recorded it; "measure": the most promising are also timed, and
    /// the rule's is kept unless another is faster; "exhaustive": the same of all kernels with all
    /// parameters, however long it takes.
    std::string level = "rule";
    std::string rule;        ///< of a paper in place of the choice: "ginkgo", "csr-k", "gospmv" or
                             ///< "lightspmv"; "" = none. For level "rule"
                             ///< (docs/explanation/choice.md)
    double budget_ms = 200;  ///< of level measure: milliseconds that it may take
    /// Called for each kernel that a level has timed; false = no more, and what was measured by
    /// then counts. Called by the thread that plans: the one that makes the handle, but with
    /// compile = "behind" another. May be empty.
    std::function<bool(const MeasuredKernel&)> on_measured = {};
    bool choose_anew = false;  ///< true: a choice by predicted times is made though one was made
                               ///< for a matrix of the same structure before, in this process or
                               ///< by one with the same cache (docs/explanation/store.md); so it
                               ///< is with deterministic
    std::int64_t expected_applies = 0;  ///< 0 = many. Few: what planning costs is weighed against
                                        ///< what it saves; for 1 the answer is plain CSR
                                        ///< (docs/how-to/tune.md)
};

}  // namespace spmvgen
