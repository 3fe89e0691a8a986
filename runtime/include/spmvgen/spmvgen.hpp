#pragma once
/// spmvgen: y = αAx + βy with a kernel made for this matrix.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "spmvgen/epilogue.hpp"
#include "spmvgen/error.hpp"
#include "spmvgen/kernel.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/options.hpp"
#include "spmvgen/signature.hpp"
#include "spmvgen/types.hpp"

namespace spmvgen {

/// A GPU's stream: CUstream (= cudaStream_t) or hipStream_t; null = the default stream. The SIMT
/// executor has only that.
struct Stream {
    void* native = nullptr;
};

/// Where the numbers of several vectors are, which are the columns of a matrix: with `row` number i
/// of vector r is data[i·ld + r], with `column` data[i + r·ld].
enum class VectorLayout { row, column };

/// Several vectors that are read: so many numbers lie between one row (or column) and the next.
struct ConstVectors {
    const void* data = nullptr;
    std::int64_t ld = 0;
    VectorLayout layout = VectorLayout::row;
};
/// The same of vectors that are written. What lies between is never touched.
struct Vectors {
    void* data = nullptr;
    std::int64_t ld = 0;
    VectorLayout layout = VectorLayout::row;
};

/// Memory of the caller's for what a kernel keeps within one apply: of this machine for a CPU, of
/// the device for a GPU. Any alignment.
struct WorkspaceMemory {
    void* data = nullptr;
    std::size_t bytes = 0;
};

/// What a handle does, and why. Plain and printable.
struct Info {
    std::string device;  ///< as in Options, of a GPU with its name: "cuda:0, NVIDIA H200"
    std::string kernel;  ///< name of the kernel for α = 1, β = 0, or "generic_csr"
    std::string format;
    std::string storage;      ///< type that A's values are stored in
    std::string vectors;      ///< type of x, y, α and β
    std::string accumulator;  ///< type of the sums
    std::string target;
    std::string op = "N";  ///< as in Options: the handle computes y = αBx + βy with B = A, Aᵀ, Aᴴ
                           ///< or the conjugate of A
    bool deterministic = true;  ///< whether the same operands always give the same bits (on a CPU:
                                ///< with the same number of threads)
    int threads = 0;            ///< of this CPU, that a product takes; 0 = a GPU
    int launches = 0;           ///< of a GPU: kernels launched by one apply
    std::map<std::string, KernelFacts> facts;  ///< GPUs: what the code uses, by symbol
    std::string reason;                        ///< why this kernel
    std::string origin;  ///< "memory", "imported", "cache", "set", "compiled" or "generic"
    std::string
        source_path;      ///< where the emitted source can be read; "" when the cache keeps nothing
    std::string warning;  ///< why a fallback is in use, else ""
    double prepare_ms = 0;             ///< analysis, conversion, and making the kernel
    double kernel_ms = 0;              ///< of it: making or finding the kernel
    double analysis_ms = 0;            ///< of it: validating A, and its row lengths
    double choice_ms = 0;              ///< of it: choosing the kernel, with what is read of A
                                       ///< for that; but for measure_ms
    double convert_ms = 0;             ///< of it: copying or converting A, to a GPU included, and
                                       ///< finding the places of new values
    double measure_ms = 0;             ///< of it: level measure
    std::int64_t rows = 0, cols = 0;   ///< of B: y has rows·k elements and x has cols·k
    std::int64_t nnz = 0, stored = 0;  ///< stored = entries with padding
    std::int64_t matrix_bytes = 0;     ///< bytes of A read by one apply
    std::int64_t bytes = 0;        ///< bytes moved by one apply with β = 0, each array counted once
    std::string reorder = "none";  ///< the order of rows and columns
    bool permuted_vectors = false;  ///< whether x and y are in that order, too
    double reorder_ms = 0;          ///< of prepare_ms: finding the order and putting A into it
    std::int64_t bandwidth_before = 0, bandwidth = 0;  ///< of a reordered A: max |i - j|
    std::int64_t permute_bytes = 0;  ///< of bytes: for putting x and y into that order and back
    std::int64_t update_bytes = 0;   ///< of this machine's memory, kept for update_values beside
                                     ///< the stored matrix
    int widened = 0;          ///< how often update_values brought numbers that needed a wider
                              ///< encoding, and thereby another kernel
    double predicted_us = 0;  ///< of an apply: by counted work where the choice was, else by the
                              ///< rates of the device's profile for all bytes, or for the rows of
                              ///< several vectors x, and launches; 0 = there is no profile
    std::string profile;      ///< file of tuning_db that it was predicted from, and from which
                              ///< device its rates are scaled where that is another; "" = none
    double measured_us = 0;   ///< of an apply, by the level; 0 = not measured
    std::vector<MeasuredKernel> measured;  ///< what the level timed, the rule's kernel first
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
        : Handle(csr_view(rows, cols, readable(row_ptr, options), col_idx, values), options) {}

    /// The same with the number of entries, for options.device_arrays: row_ptr is not read here.
    template <typename Value, typename Index, typename Offset>
    Handle(std::int64_t rows, std::int64_t cols, std::int64_t nnz, const Offset* row_ptr,
           const Index* col_idx, const Value* values, const Options& options = {})
        : Handle(csr_view(rows, cols, nnz, row_ptr, col_idx, values), options) {}

    /// The same, taking over the arrays: a kernel that reads CSR reads them as they are, whatever
    /// options.copy says, else they are freed when A is converted. options.owner must be null, and
    /// options.device_arrays false.
    template <typename Value, typename Index, typename Offset>
    Handle(std::int64_t rows, std::int64_t cols, std::vector<Offset>&& row_ptr,
           std::vector<Index>&& col_idx, std::vector<Value>&& values, const Options& options = {})
        : Handle(std::make_shared<Arrays<Value, Index, Offset>>(
                     std::move(row_ptr), std::move(col_idx), std::move(values)),
                 rows, cols, options) {}

    /// Of entries in any order, which are checked, and sorted into a CSR of the handle's own;
    /// options.copy makes no difference. Throws as the constructor above; the message names the
    /// entry that is wrong.
    explicit Handle(const CooView& matrix, const Options& options = {});

    /// Of columns. The arrays are taken as CSR of the transpose, so that op N of the matrix is op T
    /// of that; otherwise as the constructor of a CsrView.
    explicit Handle(const CscView& matrix, const Options& options = {});

    /// Of dense blocks, all of whose numbers become entries of a CSR of the handle's own, zeros,
    /// too; options.copy makes no difference. update_values takes blocks. Not for
    /// options.device_arrays.
    explicit Handle(const BsrView& matrix, const Options& options = {});

    /// Of some rows of a matrix: a product reads and writes these rows of y alone, and takes as
    /// long as they have entries; β is for them, too. With op T or H only these rows of x are read,
    /// and all of y is written. The kernel multiplies into memory of the handle's, of as many rows
    /// as are listed. apply_many does the same for vectors that lie column by column, and otherwise
    /// puts the other rows of y back as they were. Not for options.permuted_vectors, nor, on the
    /// host and for op N or C, for options.epilogue. Otherwise as the constructor of a CsrView; the
    /// list is read before this returns.
    explicit Handle(const RowListView& matrix, const Options& options = {});

    Handle(Handle&&) noexcept;
    Handle& operator=(Handle&&) noexcept;
    ~Handle();

    /// y = αAx + βy. x has n·k elements and y has m·k, row-major, not overlapping; any alignment of
    /// the element type. With options.op T or H Aᵀ or Aᴴ stands for A: x has m·k and y n·k. y is
    /// not read when β = 0; A and x are not read when α = 0. May be called from several threads at
    /// once with different y. Other modes of α and β than 1 and 0 make their kernel at their first
    /// use. Throws Error(invalid_argument) when Value is not the vectors' type (options.vectors,
    /// else the matrix's) or a needed pointer is null.
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

    /// The same with the caller's workspace instead of the handle's: at least workspace_bytes() for
    /// these modes of α and β, else Error(invalid_argument). Nothing else may use it until the
    /// product is done; an apply that runs at the same time needs another one. On a GPU it must
    /// hold zeros before its first apply, after one that failed, and after any other use than by
    /// applies of this handle: some kernels count in it, and leave zeros behind.
    template <typename Value>
    void apply(Value alpha, const Value* x, Value beta, Value* y, Stream stream,
               WorkspaceMemory workspace) const {
        apply(type_tag<Value>::value, &alpha, x, &beta, y, stream, workspace);
    }
    void apply(ValueType type, const void* alpha, const void* x, const void* beta, void* y,
               Stream stream, WorkspaceMemory workspace) const;

    /// z = αAx + βy: as apply(), but y is only read, and z gets the result. z is y, or overlaps
    /// neither it nor x. Where β ≠ 0, y is copied to z first: 16 bytes more an element of f64.
    template <typename Value>
    void apply_out_of_place(Value alpha, const Value* x, Value beta, const Value* y, Value* z,
                            Stream stream = {}) const {
        apply_out_of_place(type_tag<Value>::value, &alpha, x, &beta, y, z, stream);
    }
    void apply_out_of_place(ValueType type, const void* alpha, const void* x, const void* beta,
                            const void* y, void* z, Stream stream = {}) const;

    /// As apply(), but α and β are in the device's memory, as x and y: the kernel reads them when
    /// it runs, so that what another kernel computed on the stream scales the product without a way
    /// over the host, also in a graph. y is read even where β is 0. The modes are Scale::device,
    /// for prepare(). With a CPU α and β are numbers in its memory.
    template <typename Value>
    void apply_device_scalars(const Value* alpha, const Value* x, const Value* beta, Value* y,
                              Stream stream = {}) const {
        apply_device_scalars(type_tag<Value>::value, alpha, x, beta, y, stream);
    }
    void apply_device_scalars(ValueType type, const void* alpha, const void* x, const void* beta,
                              void* y, Stream stream = {}) const;

    /// As apply(), with what the names of options.epilogue stand for, each once, in any order:
    ///
    ///     options.epilogue = "pq += p[row] * value; value";
    ///     a.apply_with(1.0, p, 0.0, q, {{"p", p}, {"pq", pq}});  // q = Ap, and pᵀq beside it
    ///
    /// On a GPU they are device pointers. A sum or a maximum is complete when the product is; it is
    /// computed in f64. The same handle gives the same bits each time where info().deterministic.
    /// Vectors that are written overlap neither x, y nor each other. Throws
    /// Error(invalid_argument) for a name that is missing, unknown or given twice, another type
    /// than the vectors', a null pointer, and a pointer to const where something is written.
    template <typename Value>
    void apply_with(Value alpha, const Value* x, Value beta, Value* y,
                    std::initializer_list<EpilogueOperand> operands, Stream stream = {}) const {
        apply_with(type_tag<Value>::value, &alpha, x, &beta, y,
                   std::span(operands.begin(), operands.size()), stream);
    }
    void apply_with(ValueType type, const void* alpha, const void* x, const void* beta, void* y,
                    std::span<const EpilogueOperand> operands, Stream stream = {}) const;

    /// Y = αAX + βY for any number k of vectors, whatever options.num_rhs the handle is planned
    /// for: X is n×k and Y is m×k, each row by row or column by column with its own leading
    /// dimension, which is at least k, or the number of rows. The one stored A serves all k.
    /// Kernels for 1, 2, 4, 8, 16 and 32 vectors, and for the planned number, are made when one is
    /// first wanted; other k are cut into those. Kernels of CSR read rows with gaps, and columns
    /// where that costs no more than packing (options.pack_vectors); for others vectors are packed
    /// into memory of the handle's. What is packed for is rounded up where that saves a pass over
    /// A. Otherwise as apply():
    /// types, streams, threads, errors. X and Y may be columns of one array that is stored by rows.
    /// On a GPU, once the same k, modes, layouts and leading dimensions were used on a stream,
    /// nothing is allocated, loaded or synchronised, and it can be captured in a graph.
    template <typename Value>
    void apply_many(std::int64_t k, Value alpha, const Value* x, std::int64_t ldx,
                    VectorLayout x_layout, Value beta, Value* y, std::int64_t ldy,
                    VectorLayout y_layout, Stream stream = {}) const {
        apply_many(type_tag<Value>::value, k, &alpha, {x, ldx, x_layout}, &beta, {y, ldy, y_layout},
                   stream);
    }
    /// The same with untyped pointers of element type `type`.
    void apply_many(ValueType type, std::int64_t k, const void* alpha, const ConstVectors& x,
                    const void* beta, const Vectors& y, Stream stream = {}) const;

    /// Bytes of a workspace for an apply with these modes of α and β; 0 = it needs none. Makes or
    /// finds their kernel, and throws as prepare().
    std::size_t workspace_bytes(Scale alpha, Scale beta) const;

    /// New numbers for the same pattern: values[k] is that of the entry that was the k-th of the
    /// matrix that the handle was made of (of a CooView in its order), whatever op, order or format
    /// the handle has. Nothing is planned, made or loaded again, unless values are stored in fewer
    /// bytes than the new ones need (options.encodings): then the kernels for wider values are made
    /// here, and info() says so. The array is read before this returns; only a handle that borrows
    /// its values (options.copy = false) borrows the new array in the place of the old one. With
    /// options.device_arrays it is a device pointer.
    ///
    /// Throws Error(invalid_argument) when Value is not the matrix's type, values is null, a number
    /// does not fit options.storage, or options.updatable is false; std::bad_alloc without memory
    /// for the conversion; as the constructor where wider values need a kernel that cannot be had.
    /// The handle then multiplies with the old numbers.
    ///
    /// No apply of this handle may run at the same time. On a GPU the new numbers replace the old
    /// ones when all that was enqueued on `stream` is done, and are there for every stream when
    /// this returns; it waits for `stream` and for the copy, not for other streams. It must not be
    /// called while `stream` is captured. A captured graph multiplies with the new numbers, unless
    /// the values are borrowed, or needed a wider encoding (info().widened): it then still reads
    /// the old ones. A driver that fails in the middle of the copy is Error(io), and leaves the
    /// numbers undefined.
    template <typename Value>
    void update_values(const Value* values, Stream stream = {}) {
        update_values(type_tag<Value>::value, values, stream);
    }
    /// The same with an untyped pointer to elements of type `type`.
    void update_values(ValueType type, const void* values, Stream stream = {});

    /// Makes ready what applies with these modes of α and β need on `stream`: the kernel, and on a
    /// GPU its workspace. Throws as the constructor does.
    void prepare(Scale alpha, Scale beta, Stream stream = {}) const;

    const Info& info() const;

    /// The order of a reordered matrix, new → old: with B = PAPᵀ, row i of B is row row_order()[i]
    /// of A. With permuted_vectors, element i of x and y is element row_order()[i] of the
    /// vectors that A has. Empty where info().reorder is "none". Valid as long as the handle.
    std::span<const std::int32_t> row_order() const;

    /// The emitted source of the kernel for α = 1, β = 0; "" when the generic kernel serves.
    std::string source() const;

  private:
    friend class HandleImpl;
    explicit Handle(std::unique_ptr<HandleImpl> impl);
    HandleImpl& impl() const;

    /// Arrays that a handle took over.
    template <typename Value, typename Index, typename Offset>
    struct Arrays {
        Arrays(std::vector<Offset>&& offsets, std::vector<Index>&& columns,
               std::vector<Value>&& numbers)
            : row_ptr(std::move(offsets)),
              col_idx(std::move(columns)),
              values(std::move(numbers)) {}
        std::vector<Offset> row_ptr;
        std::vector<Index> col_idx;
        std::vector<Value> values;
    };
    template <typename Value, typename Index, typename Offset>
    Handle(std::shared_ptr<Arrays<Value, Index, Offset>> a, std::int64_t rows, std::int64_t cols,
           const Options& options)
        : Handle(a, checked_view(rows, cols, a->row_ptr, a->col_idx, a->values), options) {}
    /// `arrays` owns what the view points to.
    Handle(std::shared_ptr<void> arrays, const CsrView& matrix, const Options& options);

    template <typename Value, typename Index, typename Offset>
    static CsrView checked_view(std::int64_t rows, std::int64_t cols,
                                const std::vector<Offset>& row_ptr,
                                const std::vector<Index>& col_idx,
                                const std::vector<Value>& values) {
        check_sizes(rows, row_ptr.size(), col_idx.size(), values.size());
        return csr_view(rows, cols, static_cast<std::int64_t>(values.size()), row_ptr.data(),
                        col_idx.data(), values.data());
    }
    /// Throws Error(invalid_argument) when vectors of these sizes are no CSR matrix of `rows` rows.
    static void check_sizes(std::int64_t rows, std::size_t row_ptr, std::size_t col_idx,
                            std::size_t values);
    template <typename Offset>
    static const Offset* readable(const Offset* row_ptr, const Options& options) {
        if (options.device_arrays) refuse_device_pointer();
        return row_ptr;
    }
    [[noreturn]] static void refuse_device_pointer();

    std::unique_ptr<HandleImpl> impl_;
};

/// Version of this library, "0.2.0".
const char* version();

}  // namespace spmvgen
