#pragma once
/// spmvgen: y_i = αA_i x_i + βy_i for many small matrices in one launch.
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "spmvgen/matrix.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

/// What the systems of a batch have in common; found out by comparing their arrays.
enum class BatchKind {
    flexible,        ///< nothing: sizes, entries and patterns may all differ
    shared_pattern,  ///< one pattern with values of their own: the pattern is stored once
    one_matrix       ///< one matrix for all: it is stored once
};
/// "flexible", "shared_pattern", "one_matrix".
const char* to_string(BatchKind kind);

/// How the x_i stand in x, and the y_i in y: element j of x_i is
/// x[x_offset(i) + j · x_stride(i)].
enum class BatchLayout {
    concatenated,  ///< one x_i after another, each of stride 1: x_offset(i) is the sum of the
                   ///< columns of the systems before i, y_offset(i) of their rows
    interleaved    ///< of one_matrix only, which then is a product with many right-hand sides:
                   ///< groups of up to 64 systems, in each the first elements of all, then the
                   ///< second ones, … (row-major n×k)
};

class BatchImpl;

/// Many matrices ready to be multiplied at once: y_i = αA_i x_i + βy_i. One block of a GPU's kernel
/// has one system, x in shared memory where it fits; on a CPU systems are shared out among threads
/// by their entries. One launch for all of a concatenated batch. Results are the same bits each
/// time, on a CPU whatever the number of threads. Move-only; keeps nothing of the caller's.
///
/// Source: Anzt, Collins, Dongarra, Flegar & Quintana-Ortí, Flexible Batched Sparse Matrix-Vector
/// Product on GPUs, ScalA 2017.
class BatchHandle {
  public:
    /// Checks, analyses and copies the systems, and makes or finds the kernel for α = 1, β = 0. The
    /// systems have one value type; index types may differ. A batch may be empty, and so may
    /// systems.
    ///
    /// Options are those of a Handle, but: `format` is auto, csr, coo or ell; `kernel` one of a
    /// batch (of a plain Handle for the interleaved layout); `num_rhs` must be 1 and `copy` true;
    /// `device_arrays` must be false. There is no update_values: what systems have in common is
    /// found by comparing their values too.
    /// The `row` of an epilogue is the number of the element of y; of the interleaved layout, the
    /// row in its system.
    ///
    /// Throws as Handle's constructor does; the message names the system: "system 17: row_ptr …".
    explicit BatchHandle(std::span<const CsrView> systems, const Options& options = {},
                         BatchLayout layout = BatchLayout::concatenated);

    /// `count` products with one matrix, as if it had been given so many times.
    BatchHandle(const CsrView& matrix, std::int64_t count, const Options& options = {},
                BatchLayout layout = BatchLayout::concatenated);

    BatchHandle(BatchHandle&&) noexcept;
    BatchHandle& operator=(BatchHandle&&) noexcept;
    ~BatchHandle();

    /// y_i = αA_i x_i + βy_i for every system. x has x_size() elements and y has y_size(), not
    /// overlapping. y is not read when β = 0; the systems and x are not read when α = 0. All else
    /// as Handle::apply: threads, streams, device pointers, no allocation once the modes of α and β
    /// were used or prepared.
    template <typename Value>
    void apply(Value alpha, const Value* x, Value beta, Value* y, Stream stream = {}) const {
        apply(type_tag<Value>::value, &alpha, x, &beta, y, stream);
    }
    /// The same with untyped pointers of element type `type`.
    void apply(ValueType type, const void* alpha, const void* x, const void* beta, void* y,
               Stream stream = {}) const;

    /// As Handle::prepare.
    void prepare(Scale alpha, Scale beta, Stream stream = {}) const;

    std::int64_t size() const;  ///< systems
    BatchKind kind() const;
    std::int64_t x_size() const;  ///< elements of x
    std::int64_t y_size() const;  ///< elements of y
    /// Where x_i begins in x, in elements, and the distance of its elements; `system` is below
    /// size(), else Error(invalid_argument).
    std::int64_t x_offset(std::int64_t system) const;
    std::int64_t x_stride(std::int64_t system) const;
    std::int64_t y_offset(std::int64_t system) const;  ///< the same of y_i
    std::int64_t y_stride(std::int64_t system) const;

    /// Of the whole batch: rows, cols, nnz and bytes are sums over the systems.
    const Info& info() const;
    /// The emitted source of the kernel for α = 1, β = 0; "" when the generic kernel serves.
    std::string source() const;

  private:
    friend class BatchImpl;
    explicit BatchHandle(std::unique_ptr<BatchImpl> impl);
    BatchImpl& impl() const;
    std::unique_ptr<BatchImpl> impl_;
};

}  // namespace spmvgen
