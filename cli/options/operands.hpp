#pragma once
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "devices/device.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/read/reader.hpp"
#include "options/named_operands.hpp"
#include "spmvgen/batch.hpp"
#include "spmvgen/spmvgen.hpp"
#include "tuner/records/capture.hpp"
#include "verify/reference.hpp"

namespace spmvgen::cli {

/// The options of `run` that say what is multiplied.
struct ProductOptions {
    std::string alpha = "1", beta = "0";
    std::string x_path, y_path;  ///< "" = random
    int num_rhs = 1;
    std::string layout = "row";  ///< of several vectors in memory: "row" or "column"
    Op op = Op::none;
    std::string vectors;  ///< type of x and y; "" = the matrix's
};

/// x, y and the scalars of a product, in one type.
struct Operands {
    ValueType type = ValueType::f64;
    int num_rhs = 1;
    VectorLayout layout = VectorLayout::row;  ///< that an apply has them in; here they lie by rows
    Op op = Op::none;
    std::complex<double> alpha, beta;
    Buffer x;         ///< n×k; m×k for the transposes
    Buffer y_before;  ///< m×k (n×k), empty when β = 0
    Buffer y;         ///< m×k (n×k)

    /// x_at and y_at are where the handle's device has x and y, in that layout.
    void apply(const Handle& handle, const void* x_at, void* y_at) const;
    void apply(const BatchHandle& handle, const void* x_at, void* y_at) const;
    /// With the operands of an epilogue.
    void apply(const Handle& handle, const void* x_at, void* y_at,
               const NamedOperands& named) const;
    /// Before an apply: the initial y, or NaN where it must not be read.
    void reset(Buffer& to) const;
    /// The matrix's part of x and y begins so many elements from their start.
    CheckResult check(const CsrMatrix& matrix, const Buffer& result, std::int64_t x_first = 0,
                      std::int64_t y_first = 0) const;
    /// Takes over what the bound of a check depends on.
    void tell(const Info& info);

    std::optional<ValueType> accumulator = {};  ///< type of the sums; nothing = that of x and y
    bool in_steps = false;                      ///< as in verify's Product
};

/// The same operands for a handle with permuted vectors: row i is row order[i] of those given.
Operands in_order(const Operands& operands, std::span<const std::int32_t> order);
/// And back: y of such an apply in the order of the operands given.
Buffer out_of_order(const Operands& operands, std::span<const std::int32_t> order, const Buffer& y);

/// x and y where a device has them; for the host (a null device) in its own memory.
class PlacedOperands {
  public:
    /// `operands` must outlive it.
    PlacedOperands(const Operands& operands, std::shared_ptr<Device> device);
    /// y as it is before an apply.
    void reset();
    /// With a GPU the product is enqueued only.
    template <typename AnyHandle>
    void apply(const AnyHandle& handle) {
        operands_.apply(handle, x(), y());
    }
    void apply(const Handle& handle) {
        if (named_ != nullptr) return operands_.apply(handle, x(), y(), *named_);
        operands_.apply(handle, x(), y());
    }
    /// Takes over operands of the epilogue, which must outlive this.
    void give(const NamedOperands& named) { named_ = &named; }
    void finish();
    /// y as it is now.
    Buffer result() const;

  private:
    bool by_columns() const { return operands_.layout == VectorLayout::column; }
    const Buffer& laid_out_x() const { return by_columns() ? x_by_columns_ : operands_.x; }
    const void* x() const { return device_ ? x_on_device_->data() : laid_out_x().data(); }
    void* y() { return device_ ? y_on_device_->data() : y_.data(); }

    const Operands& operands_;
    const NamedOperands* named_ = nullptr;
    std::shared_ptr<Device> device_;
    Buffer x_by_columns_;  ///< empty where x lies by rows
    Buffer y_;             ///< of the host, in the layout of an apply; for a GPU the initial y
    std::unique_ptr<DeviceMemory> x_on_device_, y_on_device_;
};

/// Reads or makes them; y is reset. Throws UsageError, as read_vector, and as check_vectors_fit.
Operands make_operands(const ProductOptions& o, const CsrMatrix& matrix);

/// A matrix as the command line names it, and where it came from.
struct SourcedMatrix {
    std::string name;
    CsrMatrix matrix;
    std::optional<FileHeader> header;  ///< nothing for a generated matrix
    double seconds = 0;                ///< what reading or making it took
    /// What an application's handle was asked and what its matrix looked like, values included;
    /// `matrix` then has ones.
    std::optional<Capture> captured = {};
};

/// `name` is a file (Matrix Market, plain or .gz, or binary CSR; a capture *.capture.json with its
/// pattern beside it) or "gallery:" and a specification of the gallery. A wrong specification is
/// UsageError; else throws as read_matrix.
SourcedMatrix load_matrix(const std::string& name);

/// Gives the matrix the value and index types that --value and --index ask for; "" = as they are.
/// Throws UsageError.
void convert_types(const std::string& value, const std::string& index_name, CsrMatrix& matrix);

/// The text that help gives for such an argument.
inline constexpr const char* matrix_help =
    "a matrix: Matrix Market (plain or .gz), binary CSR, or gallery:SPEC";

}  // namespace spmvgen::cli
