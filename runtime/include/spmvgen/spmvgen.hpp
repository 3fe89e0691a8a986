#pragma once
/// spmvgen: y = αAx + βy with a kernel made for this matrix.
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "spmvgen/error.hpp"
#include "spmvgen/kernel.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"
#include "spmvgen/types.hpp"

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

/// What a handle is asked for. The defaults choose everything from the matrix.
struct Options {
    std::string device = "host";  ///< "host", "cuda:0", "hip:1", or "simt:gfx906": GPU kernels run
                                  ///< on this CPU, to try them out
    std::string format = "auto";  ///< "auto", "csr", "coo", "ell", "sell", "hyb", "csr-k", "bcsr"
    std::string kernel = "auto";  ///< "auto" or an id of the kernel registry ("csr_vector")
    std::map<std::string, std::int64_t>
        params;                     ///< parameters of that kernel; what is absent is chosen
    std::string target = "native";  ///< "native", or an architecture that this machine runs; of a
                                    ///< GPU its own only
    bool deterministic = false;     ///< only kernels that give the same bits each time
    std::string storage;   ///< GPUs: type that A's values are rounded to and stored in, narrower
                           ///< than theirs: "f16", "bf16", "f32"; "" = as they are
    std::string epilogue;  ///< GPUs: a C++ expression of `value`, the element of αAx + βy, and
                           ///< `row`, which is stored in y instead: "value > 0 ? value : 0"
    int num_rhs = 1;       ///< k: x is n×k and y is m×k, row-major
    std::string op = "N";  ///< "N": y = αAx + βy; "T": with Aᵀ; "H": with Aᴴ. For T and H x is m×k
                           ///< and y is n×k; the handle plans on a transposed copy of its own
    bool transpose_by_atomics = false;  ///< op T, H: no copy; sums in y are added atomically, in
                                        ///< any order
    int threads = 0;                    ///< of this CPU; 0 = what OpenMP would use
    bool copy = true;  ///< true: the handle keeps its own copy of A; false: CSR arrays are borrowed
                       ///< and must outlive it. A GPU always has its own copy
    std::string reorder = "none";   ///< order of rows and columns of a square A: "none", "rcm" or
                                    ///< "band-k"; A is then copied, whatever copy says
    bool permuted_vectors = false;  ///< with reorder: x and y are in the order that
                                    ///< Handle::row_order() gives, instead of the caller's
    CacheMode cache = CacheMode::automatic;  ///< anything else wins over $SPMVGEN_CACHE
    std::string cache_dir;    ///< "" = $SPMVGEN_CACHE_DIR, else the user's cache directory
    std::string kernel_sets;  ///< kernel sets, files or folders of *.spmvset separated by ':', that
                              ///< are searched beside those of $SPMVGEN_KERNEL_SETS and those
                              ///< beside the library
    bool strict = false;      ///< true: a fallback to the generic kernel is Error(compile) instead,
                              ///< as it always is on a GPU
};

/// A GPU's stream: CUstream (= cudaStream_t) or hipStream_t; null = the default stream. The SIMT
/// executor has only that.
struct Stream {
    void* native = nullptr;
};

/// What a handle does, and why. Plain and printable.
struct Info {
    std::string device;  ///< as in Options, of a GPU with its name: "cuda:0, NVIDIA H200"
    std::string kernel;  ///< name of the kernel for α = 1, β = 0, or "generic_csr"
    std::string format;
    std::string storage;  ///< type that A's values are stored in
    std::string target;
    std::string op = "N";  ///< as in Options: the handle computes y = αBx + βy with B = A, Aᵀ or Aᴴ
    bool deterministic = true;  ///< whether the same operands always give the same bits (on a CPU:
                                ///< with the same number of threads)
    int launches = 0;           ///< of a GPU: kernels launched by one apply
    std::map<std::string, KernelFacts> facts;  ///< GPUs: what the code uses, by symbol
    std::string reason;                        ///< why this kernel
    std::string origin;  ///< "memory", "imported", "cache", "set", "compiled" or "generic"
    std::string
        source_path;      ///< where the emitted source can be read; "" when the cache keeps nothing
    std::string warning;  ///< why a fallback is in use, else ""
    double prepare_ms = 0;             ///< analysis, conversion, and making the kernel
    double kernel_ms = 0;              ///< of it: making or finding the kernel
    std::int64_t rows = 0, cols = 0;   ///< of B: y has rows·k elements and x has cols·k
    std::int64_t nnz = 0, stored = 0;  ///< stored = entries with padding
    std::int64_t matrix_bytes = 0;     ///< bytes of A read by one apply
    std::int64_t bytes = 0;        ///< bytes moved by one apply with β = 0, each array counted once
    std::string reorder = "none";  ///< the order of rows and columns
    bool permuted_vectors = false;  ///< whether x and y are in that order, too
    double reorder_ms = 0;          ///< of prepare_ms: finding the order and putting A into it
    std::int64_t bandwidth_before = 0, bandwidth = 0;  ///< of a reordered A: max |i - j|
    std::int64_t permute_bytes = 0;  ///< of bytes: for putting x and y into that order and back
};
/// A short block for people: one "name: value" a line, empty fields left out.
std::string to_string(const Info& info);

/// What became of the requests for kernels in this process so far.
struct KernelCounters {
    std::int64_t hits_memory = 0;       ///< was loaded already
    std::int64_t hits_store = 0;        ///< came from the cache directory
    std::int64_t compiles_started = 0;  ///< was given to the compiler
    std::int64_t compiles_failed = 0;   ///< of these, without a usable result
    std::int64_t fallbacks = 0;         ///< could not be had: the generic kernel, or the one for
                                        ///< α = 1, β = 0 with an update of y, serves instead
    std::int64_t hits_imported = 0;     ///< came from what import_kernels() was given
    std::int64_t hits_set = 0;          ///< came from a kernel set
    std::int64_t bytes_read = 0;  ///< code and source of what was imported, in a set or the cache
    std::int64_t bytes_written = 0;  ///< code and source of what was kept in the cache directory
    double find_ms = 0;              ///< looking in all layers but the memory
    double compile_ms = 0;           ///< emitting and compiling, failures too
    double load_ms = 0;              ///< making binaries callable
};
/// Whether the same happened equally often; bytes and times are left out.
bool operator==(const KernelCounters& a, const KernelCounters& b);
/// A short block for people, a figure a line; what SPMVGEN_LOG=cache prints when a process ends.
std::string to_string(const KernelCounters& counters);
/// Safe to call from any thread; each figure is exact, together they are a snapshot in motion.
KernelCounters kernel_counters();

class KernelProvider;
class HandleImpl;

/// One matrix ready to be multiplied. Move-only; needs no other object to stay alive, except
/// borrowed arrays.
class Handle {
  public:
    /// Analyses and converts A, and makes or finds the kernel for α = 1, β = 0. Throws
    /// Error(invalid_argument) for a broken matrix (row_ptr not ascending, a column out of range)
    /// or option. A failing cache or compiler does not throw: the generic kernel takes over and
    /// info().warning says why (unless options.strict). On a GPU, which has no generic kernel, it
    /// is Error(compile); a device that is not there is Error(unsupported), one without memory for
    /// A Error(io).
    explicit Handle(const CsrView& matrix, const Options& options = {});

    /// The same from typed arrays: Value is float, double or std::complex of them; Index and Offset
    /// int32_t or int64_t.
    template <typename Value, typename Index, typename Offset>
    Handle(std::int64_t rows, std::int64_t cols, const Offset* row_ptr, const Index* col_idx,
           const Value* values, const Options& options = {})
        : Handle(csr_view(rows, cols, row_ptr, col_idx, values), options) {}

    Handle(Handle&&) noexcept;
    Handle& operator=(Handle&&) noexcept;
    ~Handle();

    /// y = αAx + βy. x has n·k elements and y has m·k, row-major, not overlapping; any alignment of
    /// the element type. With options.op T or H Aᵀ or Aᴴ stands for A: x has m·k and y n·k. y is
    /// not read when β = 0; A and x are not read when α = 0. May be called from several threads at
    /// once with different y. Other modes of α and β than 1 and 0 make their kernel at their first
    /// use. Throws Error(invalid_argument) when Value is not the matrix's type or a needed pointer
    /// is null.
    ///
    /// On a GPU x and y are device pointers (α and β are not), and the product is enqueued on
    /// `stream`: when apply returns, it need not have begun. Once the modes of α and β were used or
    /// prepared on that stream, an apply allocates, copies, loads and synchronises nothing, and can
    /// be captured in a graph. Failing launches are Error(io). With a CPU `stream` must be null.
    template <typename Value>
    void apply(Value alpha, const Value* x, Value beta, Value* y, Stream stream = {}) const {
        apply(type_tag<Value>::value, &alpha, x, &beta, y, stream);
    }

    /// The same with untyped pointers of element type `type`.
    void apply(ValueType type, const void* alpha, const void* x, const void* beta, void* y,
               Stream stream = {}) const;

    /// Makes ready what applies with these modes of α and β need on `stream`: the kernel, and on a
    /// GPU its workspace. Throws as the constructor does.
    void prepare(Scale alpha, Scale beta, Stream stream = {}) const;

    const Info& info() const;

    /// The order of a reordered matrix, new → old: with B = PAPᵀ, row i of B is row row_order()[i]
    /// of A. With permuted_vectors, element i of x and y is element row_order()[i] of the
    /// vectors that A has. Empty without options.reorder. Valid as long as the handle.
    std::span<const std::int32_t> row_order() const;

    /// The emitted source of the kernel for α = 1, β = 0; "" when the generic kernel serves.
    std::string source() const;

  private:
    friend class HandleImpl;
    explicit Handle(std::unique_ptr<HandleImpl> impl);
    HandleImpl& impl() const;
    std::unique_ptr<HandleImpl> impl_;
};

/// Version of this library, "0.1.0".
const char* version();

}  // namespace spmvgen
