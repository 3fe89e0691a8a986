#pragma once
/// spmvgen: a handle as a linear operator of Ginkgo, for its solvers and distributed matrices.
/// Tested with Ginkgo 1.12; nothing of libspmvgen needs it.
#include <algorithm>
#include <cstdint>
#include <ginkgo/ginkgo.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include "spmvgen/spmvgen.hpp"

namespace spmvgen::ginkgo {

/// A place where an executor computes.
struct Place {
    std::string device;  ///< as in Options
    Stream stream;
};

/// That of an executor. Throws gko::NotSupported for SYCL.
inline Place place_of(const gko::Executor& executor) {
    if (auto* cuda = dynamic_cast<const gko::CudaExecutor*>(&executor))
        return {"cuda:" + std::to_string(cuda->get_device_id()), {cuda->get_stream()}};
    if (auto* hip = dynamic_cast<const gko::HipExecutor*>(&executor))
        return {"hip:" + std::to_string(hip->get_device_id()), {hip->get_stream()}};
    if (dynamic_cast<const gko::DpcppExecutor*>(&executor) != nullptr)
        throw gko::NotSupported(__FILE__, __LINE__, "spmvgen::ginkgo::Matrix", "SYCL");
    return {"host", {}};
}

/// A sparse matrix whose products spmvgen computes, where its executor is: on the host, CUDA or
/// HIP. It is made of a Csr, which it keeps, or read from matrix data, so that it can be the local
/// and the non-local matrix of gko::experimental::distributed::Matrix.
///
/// The handle for k columns is made at the first product with k columns, up to 64; more are taken
/// in pieces, and so are columns of a wider Dense, with copies. On a GPU products are enqueued on
/// the executor's stream; alpha and beta, which are on the device, are read there first. Products
/// of one operator may run in several threads. Errors of spmvgen are spmvgen::Error.
template <typename ValueType = gko::default_precision, typename IndexType = gko::int32>
class Matrix : public gko::EnableLinOp<Matrix<ValueType, IndexType>>,
               public gko::EnableCreateMethod<Matrix<ValueType, IndexType>>,
               public gko::ReadableFromMatrixData<ValueType, IndexType>,
               public gko::ConvertibleTo<gko::matrix::Csr<ValueType, IndexType>>,
               public gko::Transposable {
    friend class gko::EnablePolymorphicObject<Matrix, gko::LinOp>;
    friend class gko::EnableCreateMethod<Matrix>;

  public:
    using Csr = gko::matrix::Csr<ValueType, IndexType>;
    using Dense = gko::matrix::Dense<ValueType>;
    using value_type = ValueType;
    using index_type = IndexType;
    using gko::EnableLinOp<Matrix>::convert_to;
    using gko::EnableLinOp<Matrix>::move_to;
    using gko::ConvertibleTo<Csr>::convert_to;
    using gko::ConvertibleTo<Csr>::move_to;

    void read(const gko::matrix_data<ValueType, IndexType>& data) override { read_csr(data); }
    void read(const gko::device_matrix_data<ValueType, IndexType>& data) override {
        read_csr(data);
    }
    void read(gko::device_matrix_data<ValueType, IndexType>&& data) override {
        read_csr(std::move(data));
    }

    /// A Csr of what this operator multiplies with; of a transpose it is transposed.
    void convert_to(Csr* result) const override {
        if (csr_ == nullptr) return;
        if (operation_ == Op::none) {
            result->copy_from(csr_.get());
            return;
        }
        const auto transposed =
            operation_ == Op::transpose ? csr_->transpose() : csr_->conj_transpose();
        result->copy_from(transposed.get());
    }
    void move_to(Csr* result) override { convert_to(result); }

    /// Operators of the same Csr, with handles of their own.
    std::unique_ptr<gko::LinOp> transpose() const override { return other(Op::transpose); }
    std::unique_ptr<gko::LinOp> conj_transpose() const override {
        return other(gko::is_complex<ValueType>() ? Op::conj_transpose : Op::transpose);
    }

    /// The matrix that products are made of; null where nothing was read.
    std::shared_ptr<const Csr> get_csr() const { return csr_; }

    /// The handle for k columns, for its info(); made where there is none.
    std::shared_ptr<const Handle> get_handle(std::int64_t k = 1) const { return handle(k); }

    /// Takes the numbers that the Csr has now, in the same pattern. No product may run.
    void update_values() {
        const std::lock_guard lock(mutex_);
        const Place place = place_of(*this->get_executor());
        for (auto& [k, handle] : handles_)
            handle->update_values(csr_->get_const_values(), place.stream);
    }

    Matrix(const Matrix& other) : gko::EnableLinOp<Matrix>(other.get_executor()) { *this = other; }
    /// Takes the matrix to this operator's executor; handles are made anew.
    Matrix& operator=(const Matrix& other) {
        if (this == &other) return *this;
        this->set_size(other.get_size());
        options_ = other.options_;
        operation_ = other.operation_;
        set_csr(other.csr_ == nullptr
                    ? nullptr
                    : std::shared_ptr<const Csr>(gko::clone(this->get_executor(), other.csr_)));
        return *this;
    }

  protected:
    /// An operator to be read. Of options, device, op and num_rhs are set here.
    explicit Matrix(std::shared_ptr<const gko::Executor> executor, Options options = {})
        : gko::EnableLinOp<Matrix>(std::move(executor)), options_(std::move(options)) {}
    /// Of a Csr, on its executor.
    explicit Matrix(std::shared_ptr<const Csr> csr, Options options = {})
        : gko::EnableLinOp<Matrix>(csr->get_executor(), csr->get_size()),
          options_(std::move(options)),
          csr_(std::move(csr)) {}

    void apply_impl(const gko::LinOp* b, gko::LinOp* x) const override {
        check_epilogue(b);
        gko::precision_dispatch_real_complex<ValueType>(
            [this](auto* dense_b, auto* dense_x) {
                multiply(gko::one<ValueType>(), dense_b, gko::zero<ValueType>(), dense_x);
            },
            b, x);
    }
    void apply_impl(const gko::LinOp* alpha, const gko::LinOp* b, const gko::LinOp* beta,
                    gko::LinOp* x) const override {
        check_epilogue(b);
        gko::precision_dispatch_real_complex<ValueType>(
            [this](auto* of_alpha, auto* dense_b, auto* of_beta, auto* dense_x) {
                const auto executor = this->get_executor();
                multiply(executor->copy_val_to_host(of_alpha->get_const_values()), dense_b,
                         executor->copy_val_to_host(of_beta->get_const_values()), dense_x);
            },
            alpha, b, beta, x);
    }

  private:
    static constexpr std::int64_t most_columns = 64;

    /// Complex columns are multiplied by a real matrix as twice as many real ones.
    void check_epilogue(const gko::LinOp* b) const {
        using Complex = gko::to_complex<ValueType>;
        const bool complex =
            dynamic_cast<const gko::ConvertibleTo<gko::matrix::Dense<Complex>>*>(b) != nullptr;
        if (!gko::is_complex<ValueType>() && complex && !options_.epilogue.empty())
            throw Error(ErrorCode::invalid_argument,
                        "the matrix is real, but b is complex: options.epilogue would be applied "
                        "to each part by itself; multiply real vectors");
    }

    template <typename Data>
    void read_csr(Data&& data) {
        auto csr = Csr::create(this->get_executor());
        csr->read(std::forward<Data>(data));
        this->set_size(csr->get_size());
        operation_ = Op::none;
        set_csr(std::move(csr));
    }

    void set_csr(std::shared_ptr<const Csr> csr) {
        const std::lock_guard lock(mutex_);
        csr_ = std::move(csr);
        handles_.clear();
    }

    /// The operator of this one's transpose or adjoint.
    std::unique_ptr<gko::LinOp> other(Op wanted) const {
        auto csr = csr_;
        Op operation = operation_ == Op::none ? wanted : Op::none;
        if (csr_ != nullptr && operation_ != Op::none && operation_ != wanted) {
            csr = gko::as<Csr>(csr_->conj_transpose());  // conj(A) is the transpose of the adjoint
            operation = Op::transpose;
        }
        auto result = std::unique_ptr<Matrix>(new Matrix(this->get_executor(), options_));
        result->set_size(gko::transpose(this->get_size()));
        result->operation_ = operation;
        result->csr_ = std::move(csr);
        return result;
    }

    std::shared_ptr<const Handle> handle(std::int64_t k) const {
        const std::lock_guard lock(mutex_);
        auto& found = handles_[k];
        if (found != nullptr) return found;
        Options options = options_;
        const std::string device = place_of(*this->get_executor()).device;
        if (device != "host") {
            options.device = device;
            options.device_arrays = true;
            this->get_executor()->synchronize();  // the arrays must be complete
        }
        options.op = operation_ == Op::none ? "N" : operation_ == Op::transpose ? "T" : "H";
        options.num_rhs = static_cast<int>(k);
        options.copy = false;
        options.owner = csr_;
        found = std::make_shared<Handle>(static_cast<std::int64_t>(csr_->get_size()[0]),
                                         static_cast<std::int64_t>(csr_->get_size()[1]),
                                         static_cast<std::int64_t>(csr_->get_num_stored_elements()),
                                         csr_->get_const_row_ptrs(), csr_->get_const_col_idxs(),
                                         csr_->get_const_values(), options);
        return found;
    }

    /// x = alpha A b + beta x.
    void multiply(ValueType alpha, const Dense* b, ValueType beta, Dense* x) const {
        const auto columns = static_cast<std::int64_t>(b->get_size()[1]);
        if (csr_ == nullptr || columns == 0) return;
        const bool whole = columns == static_cast<std::int64_t>(b->get_stride()) &&
                           columns == static_cast<std::int64_t>(x->get_stride());
        if (whole && columns <= most_columns) return enqueue(alpha, b, beta, x);
        for (std::int64_t begin = 0; begin < columns; begin += most_columns) {
            const gko::span piece(begin, std::min(begin + most_columns, columns));
            const gko::span rows_of_b(0, b->get_size()[0]), rows_of_x(0, x->get_size()[0]);
            auto view = x->create_submatrix(rows_of_x, piece);
            const auto from =
                contiguous(const_cast<Dense*>(b)->create_submatrix(rows_of_b, piece).get());
            const auto to = contiguous(view.get());
            enqueue(alpha, from.get(), beta, to.get());
            view->copy_from(to.get());
        }
    }

    /// A copy whose rows follow each other.
    std::unique_ptr<Dense> contiguous(const Dense* view) const {
        auto copy = Dense::create(this->get_executor(), view->get_size());
        copy->copy_from(view);
        return copy;
    }

    /// The product of contiguous columns, on the executor's stream.
    void enqueue(ValueType alpha, const Dense* b, ValueType beta, Dense* x) const {
        const auto with = handle(static_cast<std::int64_t>(b->get_size()[1]));
        const Stream stream = place_of(*this->get_executor()).stream;
        const auto product = [&] {
            with->apply(alpha, b->get_const_values(), beta, x->get_values(), stream);
        };
        this->get_executor()->run("spmvgen::apply", product, product, product, product, product);
    }

    Options options_;
    Op operation_ = Op::none;
    std::shared_ptr<const Csr> csr_;
    mutable std::mutex mutex_;
    mutable std::map<std::int64_t, std::shared_ptr<Handle>> handles_;  ///< by columns
};

}  // namespace spmvgen::ginkgo
