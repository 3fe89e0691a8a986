#pragma once
/// spmvgen: y = αAx + βy with a kernel made for this matrix.
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "spmvgen/error.hpp"
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
    off        ///< neither: always the generic kernel
};

/// What a handle is asked for. The defaults choose everything from the matrix.
struct Options {
    std::string format = "auto";  ///< "auto", "csr", "coo", "ell", "sell"
    std::string kernel = "auto";  ///< "auto" or an id of the kernel registry ("csr_vector")
    std::map<std::string, std::int64_t>
        params;                     ///< parameters of that kernel; what is absent is chosen
    std::string target = "native";  ///< "native" or an architecture that this machine runs
    int num_rhs = 1;                ///< k: x is n×k and y is m×k, row-major
    int threads = 0;                ///< 0 = what OpenMP would use
    bool copy = true;  ///< true: the handle keeps its own copy of A; false: CSR arrays are borrowed
                       ///< and must outlive it
    CacheMode cache = CacheMode::on;
    std::string cache_dir;  ///< "" = $SPMVGEN_CACHE_DIR, else the user's cache directory
    bool strict = false;    ///< true: a fallback to the generic kernel is Error(compile) instead
};

/// What a handle does, and why. Plain and printable.
struct Info {
    std::string kernel;  ///< name of the kernel for α = 1, β = 0, or "generic_csr"
    std::string format;
    std::string target;
    std::string reason;  ///< why this kernel
    std::string origin;  ///< "memory", "cache", "compiled" or "generic"
    std::string
        source_path;      ///< where the emitted source can be read; "" when the cache keeps nothing
    std::string warning;  ///< why a fallback is in use, else ""
    double prepare_ms = 0;  ///< analysis, conversion, and making the kernel
    double kernel_ms = 0;   ///< of it: making or finding the kernel
    std::int64_t rows = 0, cols = 0, nnz = 0, stored = 0;  ///< stored = entries with padding
    std::int64_t matrix_bytes = 0;                         ///< bytes of A read by one apply
    std::int64_t bytes = 0;  ///< bytes moved by one apply with β = 0, each array counted once
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
    bool operator==(const KernelCounters&) const = default;
};
/// Safe to call from any thread; each figure is exact, together they are a snapshot in motion.
KernelCounters kernel_counters();

class KernelProvider;

/// One matrix ready to be multiplied. Move-only; needs no other object to stay alive, except
/// borrowed arrays.
class Handle {
  public:
    /// Analyses and converts A, and makes or finds the kernel for α = 1, β = 0. Throws
    /// Error(invalid_argument) for a broken matrix (row_ptr not ascending, a column out of range)
    /// or option. A failing cache or compiler does not throw: the generic kernel takes over and
    /// info().warning says why (unless options.strict).
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
    /// the element type. y is not read when β = 0; A and x are not read when α = 0. May be called
    /// from several threads at once with different y. Other modes of α and β than 1 and 0 make
    /// their kernel at their first use. Throws Error(invalid_argument) when Value is not the
    /// matrix's type or a needed pointer is null.
    template <typename Value>
    void apply(Value alpha, const Value* x, Value beta, Value* y) const {
        apply(type_tag<Value>::value, &alpha, x, &beta, y);
    }

    /// The same with untyped pointers of element type `type`.
    void apply(ValueType type, const void* alpha, const void* x, const void* beta, void* y) const;

    const Info& info() const;
    /// The emitted source of the kernel for α = 1, β = 0; "" when the generic kernel serves.
    std::string source() const;

  private:
    friend Handle make_handle(const CsrView&, const Options&, KernelProvider&);
    struct Impl;
    explicit Handle(std::unique_ptr<Impl> impl);
    const Impl& impl() const;
    std::unique_ptr<Impl> impl_;
};

/// Version of this library, "0.1.0".
const char* version();

}  // namespace spmvgen
