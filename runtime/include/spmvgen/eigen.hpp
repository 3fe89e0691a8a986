#pragma once
/// spmvgen: a handle as a matrix of Eigen, so that its iterative solvers multiply with spmvgen.
/// Needs Eigen 3.4; nothing of libspmvgen does.
#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "spmvgen/spmvgen.hpp"

namespace spmvgen::eigen {

template <typename Value, typename Index>
class Matrix;

/// What an operator of Eigen multiplies with.
enum class Operation { none, transpose, adjoint };

/// The arrays of a sparse matrix of Eigen, and a handle for each operation, made at its first use.
/// Shared by the operators of one matrix. Several threads may use it.
template <typename Value, typename Index>
class Handles {
  public:
    /// Of a compressed matrix, whose arrays `owner`, which may be null, keeps.
    Handles(std::int64_t outer, std::int64_t inner, const Index* outer_ptr, const Index* inner_idx,
            const Value* values, bool by_rows, Options options, std::shared_ptr<const void> owner)
        : outer_(outer),
          inner_(inner),
          outer_ptr_(outer_ptr),
          inner_idx_(inner_idx),
          values_(values),
          by_rows_(by_rows),
          options_(std::move(options)),
          owner_(std::move(owner)) {}

    Eigen::Index rows() const { return static_cast<Eigen::Index>(by_rows_ ? outer_ : inner_); }
    Eigen::Index cols() const { return static_cast<Eigen::Index>(by_rows_ ? inner_ : outer_); }

    /// y = alpha op(A) x + beta y; both contiguous and apart.
    void multiply(Operation operation, Value alpha, const Value* x, Value beta, Value* y) const {
        // By columns the arrays are those of the transpose. Its conjugate is no operation of a
        // handle: conj(A) x = conj(A conj(x)).
        if (operation == Operation::adjoint && !by_rows_ && is_complex) {
            const Vector from = Eigen::Map<const Vector>(x, rows()).conjugate();
            Eigen::Map<Vector> to(y, cols());
            if (beta != Value(0)) to = to.conjugate().eval();
            handle_of(Operation::none)
                .apply(conjugate(alpha), from.data(), conjugate(beta), to.data());
            to = to.conjugate().eval();
            return;
        }
        handle(operation).apply(alpha, x, beta, y);
    }

    /// The handle for an operation on the matrix that was given.
    const Handle& handle(Operation operation) const {
        if (by_rows_) return handle_of(operation);
        return handle_of(operation == Operation::none ? Operation::transpose : Operation::none);
    }

    /// New numbers for the same pattern; see Handle::update_values.
    void update_values(const Value* values) {
        const std::lock_guard lock(mutex_);
        for (auto& handle : handles_)
            if (handle) handle->update_values(values);
        values_ = values;
    }

  private:
    using Vector = Eigen::Matrix<Value, Eigen::Dynamic, 1>;
    static constexpr bool is_complex = Eigen::NumTraits<Value>::IsComplex != 0;

    static Value conjugate(const Value& value) { return Eigen::numext::conj(value); }

    /// That for an operation on the arrays as they are, which is made where there is none.
    const Handle& handle_of(Operation operation) const {
        const std::lock_guard lock(mutex_);
        auto& found = handles_[static_cast<int>(operation)];
        if (!found) {
            Options options = options_;
            constexpr const char* names[] = {"N", "T", "H"};
            options.op = names[static_cast<int>(operation)];
            if (!options.copy && !options.owner) options.owner = owner_;
            found.emplace(outer_, inner_, outer_ptr_, inner_idx_, values_, options);
        }
        return *found;
    }

    std::int64_t outer_, inner_;
    const Index *outer_ptr_, *inner_idx_;
    const Value* values_;
    bool by_rows_;
    Options options_;
    std::shared_ptr<const void> owner_;
    mutable std::mutex mutex_;
    mutable std::optional<Handle> handles_[3];
};

}  // namespace spmvgen::eigen

namespace Eigen::internal {

// A sparse matrix by rows, but cheap to copy: products hold it by value, so that one with a
// temporary, such as a.adjoint(), may be kept.
template <typename Value, typename Index>
struct traits<spmvgen::eigen::Matrix<Value, Index>>
    : traits<Eigen::SparseMatrix<Value, Eigen::RowMajor, Index>> {
    enum {
        Flags = traits<Eigen::SparseMatrix<Value, Eigen::RowMajor, Index>>::Flags & ~NestByRefBit
    };
};

}  // namespace Eigen::internal

namespace spmvgen::eigen {

/// A sparse matrix of Eigen whose products spmvgen computes: an operator for Eigen's iterative
/// solvers (ConjugateGradient, BiCGSTAB, LeastSquaresConjugateGradient, …) with
/// Eigen::IdentityPreconditioner, or any preconditioner that is made of the matrix itself.
///
/// Value is float, double or std::complex of them, Index int32_t or int64_t. Copies, transposes and
/// adjoints share the arrays and the handles. Products of one operator may run in several threads.
/// They throw spmvgen::Error as Handle does.
template <typename Value, typename Index = int>
class Matrix : public Eigen::EigenBase<Matrix<Value, Index>> {
  public:
    using Scalar = Value;
    using RealScalar = typename Eigen::NumTraits<Value>::Real;
    using StorageIndex = Index;
    enum {
        ColsAtCompileTime = Eigen::Dynamic,
        RowsAtCompileTime = Eigen::Dynamic,
        MaxColsAtCompileTime = Eigen::Dynamic,
        MaxRowsAtCompileTime = Eigen::Dynamic,
        IsRowMajor = true
    };

    /// Of a compressed matrix, by rows or by columns, which must stay as it is: a transpose reads
    /// its arrays at its first product, and with options.copy = false every product may. Plans the
    /// product y = Ax. Throws Error(invalid_argument) where the matrix is not compressed, and for
    /// options op, num_rhs and a GPU, for vectors are on this host; else as Handle.
    template <int StorageOrder>
    explicit Matrix(const Eigen::SparseMatrix<Value, StorageOrder, Index>& a,
                    const Options& options = {})
        : Matrix(a, options, nullptr) {}

    /// The same of a matrix that the operator keeps.
    template <int StorageOrder>
    explicit Matrix(std::shared_ptr<const Eigen::SparseMatrix<Value, StorageOrder, Index>> a,
                    const Options& options = {})
        : Matrix(*a, options, a) {}

    Eigen::Index rows() const { return is_none() ? handles_->rows() : handles_->cols(); }
    Eigen::Index cols() const { return is_none() ? handles_->cols() : handles_->rows(); }

    /// The operator of the transpose. Of an adjoint of complex numbers it would be a conjugate,
    /// which is Error(unsupported).
    Matrix transpose() const { return other(Operation::transpose); }
    /// The operator of the adjoint; of a transpose as above.
    Matrix adjoint() const { return other(Operation::adjoint); }

    /// The handle that y = Ax runs through, for its info() and source(). By columns it is that of
    /// the transpose of Aᵀ.
    const Handle& handle() const { return handles_->handle(operation_); }

    /// New numbers for the same pattern, in the order of valuePtr() of the matrix that was given,
    /// for all operators that share it. The array must stay, as the matrix's. No product may run.
    void update_values(const Value* values) { handles_->update_values(values); }

    template <typename Rhs>
    Eigen::Product<Matrix, Rhs, Eigen::AliasFreeProduct> operator*(
        const Eigen::MatrixBase<Rhs>& x) const {
        return {*this, x.derived()};
    }

    /// y = alpha A x + beta y of contiguous vectors that do not overlap; y is not read when beta
    /// is 0.
    void multiply(Value alpha, const Value* x, Value beta, Value* y) const {
        handles_->multiply(operation_, alpha, x, beta, y);
    }

  private:
    template <int StorageOrder>
    Matrix(const Eigen::SparseMatrix<Value, StorageOrder, Index>& a, const Options& options,
           std::shared_ptr<const void> owner)
        : handles_(std::make_shared<Handles<Value, Index>>(
              a.outerSize(), a.innerSize(), compressed(a), a.innerIndexPtr(), a.valuePtr(),
              StorageOrder == Eigen::RowMajor, checked(options), std::move(owner))) {
        handle();
    }
    Matrix(std::shared_ptr<Handles<Value, Index>> handles, Operation operation)
        : handles_(std::move(handles)), operation_(operation) {}

    static const Options& checked(const Options& options) {
        const auto refuse = [](const std::string& why) {
            throw Error(ErrorCode::invalid_argument, why);
        };
        if (options.op != "N")
            refuse("options.op is " + options.op +
                   ": leave it N, and multiply with transpose() or adjoint()");
        if (options.num_rhs != 1)
            refuse("options.num_rhs is " + std::to_string(options.num_rhs) +
                   ": leave it 1, for columns are multiplied one by one");
        if (options.device != "host" && !options.device.starts_with("simt"))
            refuse("options.device is " + options.device +
                   ", but vectors of Eigen are in this host's memory: use host");
        return options;
    }

    template <typename Sparse>
    static const Index* compressed(const Sparse& a) {
        if (!a.isCompressed())
            throw Error(ErrorCode::invalid_argument,
                        "the sparse matrix is not compressed: call makeCompressed()");
        return a.outerIndexPtr();
    }

    bool is_none() const { return operation_ == Operation::none; }

    Matrix other(Operation operation) const {
        if (is_none()) return {handles_, operation};
        if (operation != operation_ && Eigen::NumTraits<Value>::IsComplex)
            throw Error(ErrorCode::unsupported,
                        "the conjugate of a complex matrix is no operator: take the adjoint of "
                        "the matrix, or its transpose");
        return {handles_, Operation::none};
    }

    std::shared_ptr<Handles<Value, Index>> handles_;
    Operation operation_ = Operation::none;
};

}  // namespace spmvgen::eigen

namespace Eigen::internal {

// What Eigen makes of products with vectors and with dense matrices: dst = Ax, +=, -= and += alpha.
template <typename Value, typename Index, typename Rhs, int ProductTag>
struct generic_product_impl<spmvgen::eigen::Matrix<Value, Index>, Rhs, SparseShape, DenseShape,
                            ProductTag> {
    using Lhs = spmvgen::eigen::Matrix<Value, Index>;
    using Vector = Eigen::Matrix<Value, Eigen::Dynamic, 1>;
    static_assert(std::is_same_v<typename Rhs::Scalar, Value>,
                  "the operator and x have different types: cast x");

    template <typename Dest>
    static void evalTo(Dest& y, const Lhs& a, const Rhs& x) {
        run(y, a, x, Value(1), Value(0));
    }
    template <typename Dest>
    static void addTo(Dest& y, const Lhs& a, const Rhs& x) {
        run(y, a, x, Value(1), Value(1));
    }
    template <typename Dest>
    static void subTo(Dest& y, const Lhs& a, const Rhs& x) {
        run(y, a, x, Value(-1), Value(1));
    }
    template <typename Dest>
    static void scaleAndAddTo(Dest& y, const Lhs& a, const Rhs& x, const Value& alpha) {
        run(y, a, x, alpha, Value(1));
    }

  private:
    template <typename Dest>
    static void run(Dest& y, const Lhs& a, const Rhs& x, const Value& alpha, const Value& beta) {
        for (Eigen::Index j = 0; j < x.cols(); ++j) {
            const Eigen::Ref<const Vector> from(x.col(j));  // a copy only where it is no vector
            if constexpr (is_contiguous<Dest>) {
                a.multiply(alpha, from.data(), beta, y.col(j).data());
            } else {
                Vector to = y.col(j);
                a.multiply(alpha, from.data(), beta, to.data());
                y.col(j) = to;
            }
        }
    }

    /// Whether a column of it lies in memory as it is.
    template <typename Dest>
    static constexpr bool is_contiguous =
        has_direct_access<Dest>::ret != 0 && inner_stride_at_compile_time<Dest>::ret == 1 &&
        (Dest::IsVectorAtCompileTime || !Dest::IsRowMajor);
};

}  // namespace Eigen::internal
