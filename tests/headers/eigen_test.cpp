// spmvgen/eigen.hpp: products and solvers of Eigen.
// Expected products are lazy ones, for the others take longest of all this to compile.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/IterativeLinearSolvers>
#include <complex>
#include <memory>
#include <spmvgen/eigen.hpp>

#include "errors.hpp"

namespace spmvgen {
namespace {

template <typename Value, int StorageOrder, typename Index = int>
Eigen::SparseMatrix<Value, StorageOrder, Index> random_matrix(int rows, int cols) {
    std::vector<Eigen::Triplet<Value, Index>> entries;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j)
            if ((i * 7 + j * 13) % 11 == 0)
                entries.emplace_back(i, j, Eigen::internal::random<Value>());
    Eigen::SparseMatrix<Value, StorageOrder, Index> a(rows, cols);
    a.setFromTriplets(entries.begin(), entries.end());
    return a;
}

template <typename A, typename B>
void expect_close(const A& found, const B& expected) {
    using Real = typename Eigen::NumTraits<typename A::Scalar>::Real;
    ASSERT_EQ(found.rows(), expected.rows());
    EXPECT_LE((found - expected).norm(),
              100 * Eigen::NumTraits<Real>::epsilon() * (1 + expected.norm()));
}

/// A row of the table: types, order and indices.
template <typename ValueType, int Order, typename IndexType>
struct Row {
    using Value = ValueType;
    using Index = IndexType;
    static constexpr int order = Order;
};
using Rows = testing::Types<Row<double, Eigen::RowMajor, int>, Row<double, Eigen::ColMajor, int>,
                            Row<float, Eigen::RowMajor, std::int64_t>,
                            Row<std::complex<double>, Eigen::RowMajor, int>,
                            Row<std::complex<double>, Eigen::ColMajor, int>,
                            Row<std::complex<float>, Eigen::ColMajor, std::int64_t>>;

template <typename T>
class EigenMatrix : public testing::Test {
  public:
    using Value = typename T::Value;
    using Vector = Eigen::Matrix<Value, Eigen::Dynamic, 1>;
    using Dense = Eigen::Matrix<Value, Eigen::Dynamic, Eigen::Dynamic>;
    using Sparse = Eigen::SparseMatrix<Value, T::order, typename T::Index>;
    using Operator = eigen::Matrix<Value, typename T::Index>;
    const Sparse sparse = random_matrix<Value, T::order, typename T::Index>(60, 42);
    const Dense dense = sparse;
    const Vector x = Vector::Random(42), u = Vector::Random(60);
};
TYPED_TEST_SUITE(EigenMatrix, Rows);

TYPED_TEST(EigenMatrix, Multiplies) {
    const typename TestFixture::Operator a(this->sparse);
    typename TestFixture::Vector y = a * this->x;
    expect_close(y, this->dense.lazyProduct(this->x));
    y = this->u;
    y += a * this->x;
    expect_close(y, this->u + this->dense.lazyProduct(this->x));
    y -= a * this->x;
    expect_close(y, this->u);
    y.noalias() += typename TestFixture::Value(3) * (a * this->x);
    expect_close(y, this->u + 3 * (this->dense.lazyProduct(this->x)));
}

TYPED_TEST(EigenMatrix, TransposesAndAdjoints) {
    const typename TestFixture::Operator a(this->sparse);
    expect_close(typename TestFixture::Vector(a.transpose() * this->u),
                 this->dense.transpose().lazyProduct(this->u));
    expect_close(typename TestFixture::Vector(a.adjoint() * this->u),
                 this->dense.adjoint().lazyProduct(this->u));
    expect_close(typename TestFixture::Vector(a.adjoint().adjoint() * this->x),
                 this->dense.lazyProduct(this->x));
    typename TestFixture::Vector y = this->x;
    y += a.adjoint() * this->u;
    expect_close(y, this->x + this->dense.adjoint().lazyProduct(this->u));
    const auto kept = a.adjoint() * this->u;  // holds the temporary
    expect_close(typename TestFixture::Vector(kept), this->dense.adjoint().lazyProduct(this->u));
}

TYPED_TEST(EigenMatrix, TakesColumnsAndExpressions) {
    using Dense = typename TestFixture::Dense;
    const typename TestFixture::Operator a(this->sparse);
    const Dense columns = Dense::Random(42, 3);
    expect_close(Dense(a * columns), this->dense.lazyProduct(columns));
    expect_close(typename TestFixture::Vector(a * (columns.col(0) + columns.col(1))),
                 this->dense.lazyProduct(columns.col(0) + columns.col(1)));
    Eigen::Matrix<typename TestFixture::Value, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>
        by_rows(60, 3);
    by_rows.setZero();
    by_rows.noalias() += a * columns;
    expect_close(Dense(by_rows), this->dense.lazyProduct(columns));
}

TYPED_TEST(EigenMatrix, TakesNewNumbers) {
    auto other = this->sparse;
    typename TestFixture::Operator a(this->sparse);
    expect_close(typename TestFixture::Vector(a.adjoint() * this->u),
                 this->dense.adjoint().lazyProduct(this->u));
    other.coeffs() *= 3;
    a.update_values(other.valuePtr());
    expect_close(typename TestFixture::Vector(a * this->x), 3 * (this->dense.lazyProduct(this->x)));
    expect_close(typename TestFixture::Vector(a.adjoint() * this->u),
                 3 * (this->dense.adjoint().lazyProduct(this->u)));
    expect_close(typename TestFixture::Vector(a.transpose() * this->u),
                 3 * (this->dense.transpose().lazyProduct(this->u)));
}

using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Operator = eigen::Matrix<double>;

/// Diagonally dominant; not symmetric.
Sparse dominant(int n) {
    Sparse a = random_matrix<double, Eigen::RowMajor>(n, n);
    for (int i = 0; i < n; ++i) a.coeffRef(i, i) = 30;
    a.makeCompressed();
    return a;
}

TEST(EigenSolvers, ConjugateGradient) {
    const Sparse half = dominant(120), a = half.transpose() * half;
    const Operator of_a(a);
    const Eigen::VectorXd b = Eigen::VectorXd::Random(120);
    Eigen::ConjugateGradient<Operator, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner>
        solver(of_a);
    const Eigen::VectorXd x = solver.solve(b);
    EXPECT_EQ(solver.info(), Eigen::Success);
    EXPECT_LE((a * x - b).norm(), 1e-10 * b.norm());
}

TEST(EigenSolvers, BiCGSTAB) {
    const Sparse a = dominant(120);
    const Operator of_a(a);
    const Eigen::MatrixXd b = Eigen::MatrixXd::Random(120, 2);
    Eigen::BiCGSTAB<Operator, Eigen::IdentityPreconditioner> solver(of_a);
    const Eigen::MatrixXd x = solver.solve(b);
    EXPECT_EQ(solver.info(), Eigen::Success);
    EXPECT_LE((a * x - b).norm(), 1e-10 * b.norm());
}

TEST(EigenSolvers, LeastSquares) {
    const Sparse a = random_matrix<double, Eigen::RowMajor>(120, 40);
    const Operator of_a(a);
    const Eigen::VectorXd b = Eigen::VectorXd::Random(120);
    Eigen::LeastSquaresConjugateGradient<Operator, Eigen::IdentityPreconditioner> solver(of_a);
    const Eigen::VectorXd x = solver.solve(b);
    EXPECT_EQ(solver.info(), Eigen::Success);
    EXPECT_LE((a.transpose() * (a * x - b)).norm(), 1e-8 * (a.transpose() * b).norm());
}

TEST(EigenMatrix, KeepsAMatrixThatItOwns) {
    auto sparse = std::make_shared<const Sparse>(dominant(60));
    const Eigen::MatrixXd dense = *sparse;
    const Operator a(sparse);
    sparse.reset();
    const Eigen::VectorXd x = Eigen::VectorXd::Random(60);
    expect_close(Eigen::VectorXd(a.transpose() * x), dense.transpose() * x);
}

TEST(EigenMatrix, RefusesWhatItCannotTake) {
    Sparse a(3, 3);
    a.insert(0, 0) = 1;
    try {
        Operator{a};
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "the sparse matrix is not compressed: call makeCompressed()");
    }
    using Complex = std::complex<double>;
    const auto complex = random_matrix<Complex, Eigen::RowMajor>(5, 5);
    const eigen::Matrix<Complex> of_complex(complex);
    EXPECT_THROW(of_complex.transpose().adjoint(), Error);
}

TEST(EigenMatrix, RefusesOptionsThatAreNotForItsVectors) {
    const Sparse a = dominant(4);
    const auto refusal = [&](const Options& options) {
        return code_and_text([&] { Operator(a, options); });
    };
    Options four, transposed, gpu;
    four.num_rhs = 4;
    transposed.op = "T";
    gpu.device = "cuda:0";
    EXPECT_EQ(refusal(four),
              "invalid_argument: options.num_rhs is 4: leave it 1, for columns are multiplied one "
              "by one");
    EXPECT_EQ(refusal(transposed),
              "invalid_argument: options.op is T: leave it N, and multiply with transpose() or "
              "adjoint()");
    EXPECT_EQ(refusal(gpu),
              "invalid_argument: options.device is cuda:0, but vectors of Eigen are in this host's "
              "memory: use host");
    Options simulated;
    simulated.device = "simt:sm_90";
    const Eigen::VectorXd x = Eigen::VectorXd::Random(4);
    expect_close(Eigen::VectorXd(Operator(a, simulated) * x), a * x);
}

}  // namespace
}  // namespace spmvgen
