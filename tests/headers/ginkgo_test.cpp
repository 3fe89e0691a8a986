// spmvgen/ginkgo.hpp: products and solvers of Ginkgo, on its reference executor.
#include <gtest/gtest.h>

#include <complex>
#include <ginkgo/ginkgo.hpp>
#include <random>
#include <spmvgen/ginkgo.hpp>

#include "errors.hpp"

namespace spmvgen {
namespace {

const std::shared_ptr<gko::Executor> reference = gko::ReferenceExecutor::create();

template <typename Value>
Value number(std::mt19937& random) {
    std::uniform_real_distribution<double> some(-1, 1);
    if constexpr (gko::is_complex<Value>())
        return Value(some(random), some(random));
    else
        return static_cast<Value>(some(random));
}

template <typename Value, typename Index>
gko::matrix_data<Value, Index> random_data(int rows, int cols) {
    std::mt19937 random(1);
    gko::matrix_data<Value, Index> data(gko::dim<2>(rows, cols));
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j)
            if ((i * 7 + j * 13) % 11 == 0) data.nonzeros.emplace_back(i, j, number<Value>(random));
    return data;
}

template <typename Value>
std::unique_ptr<gko::matrix::Dense<Value>> random_dense(int rows, int cols, int stride) {
    std::mt19937 random(2);
    auto dense = gko::matrix::Dense<Value>::create(reference, gko::dim<2>(rows, cols), stride);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) dense->at(i, j) = number<Value>(random);
    return dense;
}

template <typename Dense>
void expect_close(const Dense& found, const Dense& expected) {
    using Value = typename Dense::value_type;
    ASSERT_EQ(found.get_size(), expected.get_size());
    const double tolerance = 100 * std::numeric_limits<gko::remove_complex<Value>>::epsilon();
    for (std::size_t i = 0; i < found.get_size()[0]; ++i)
        for (std::size_t j = 0; j < found.get_size()[1]; ++j)
            ASSERT_LE(std::abs(found.at(i, j) - expected.at(i, j)), tolerance) << i << ", " << j;
}

template <typename ValueType, typename IndexType>
struct Row {
    using Value = ValueType;
    using Index = IndexType;
};
using Rows =
    testing::Types<Row<double, gko::int32>, Row<float, gko::int64>,
                   Row<std::complex<double>, gko::int32>, Row<std::complex<float>, gko::int64>>;

template <typename T>
class GinkgoMatrix : public testing::Test {
  public:
    using Value = typename T::Value;
    using Index = typename T::Index;
    using Csr = gko::matrix::Csr<Value, Index>;
    using Dense = gko::matrix::Dense<Value>;
    using Operator = ginkgo::Matrix<Value, Index>;

    GinkgoMatrix() : csr(gko::share(Csr::create(reference))) {
        csr->read(random_data<Value, Index>(60, 42));
    }

    /// Both forms of apply against those of `expected`, for so many columns of wider arrays.
    void compare(const gko::LinOp& found, const gko::LinOp& expected, int columns, int stride) {
        const auto rows = static_cast<int>(found.get_size()[0]);
        const auto b = random_dense<Value>(static_cast<int>(found.get_size()[1]), columns, stride);
        auto x = random_dense<Value>(rows, columns, stride), y = gko::clone(x);
        found.apply(b, x);
        expected.apply(b, y);
        expect_close(*x, *y);
        const auto alpha = gko::initialize<Dense>({Value(-2)}, reference);
        const auto beta = gko::initialize<Dense>({Value(0.5)}, reference);
        found.apply(alpha, b, beta, x);
        expected.apply(alpha, b, beta, y);
        expect_close(*x, *y);
    }

    const std::shared_ptr<Csr> csr;
};
TYPED_TEST_SUITE(GinkgoMatrix, Rows);

TYPED_TEST(GinkgoMatrix, Multiplies) {
    const auto a = TestFixture::Operator::create(this->csr);
    this->compare(*a, *this->csr, 1, 1);
    this->compare(*a, *this->csr, 3, 3);
    this->compare(*a, *this->csr, 3, 5);
    this->compare(*a, *this->csr, 70, 70);
}

TYPED_TEST(GinkgoMatrix, TransposesAndAdjoints) {
    const auto a = TestFixture::Operator::create(this->csr);
    this->compare(*a->transpose(), *this->csr->transpose(), 1, 1);
    this->compare(*a->conj_transpose(), *this->csr->conj_transpose(), 2, 2);
    const auto twice = gko::as<gko::Transposable>(a->transpose())->conj_transpose();
    const auto expected = gko::as<gko::Transposable>(this->csr->transpose())->conj_transpose();
    this->compare(*twice, *expected, 1, 1);
    this->compare(*gko::as<gko::Transposable>(a->conj_transpose())->conj_transpose(), *this->csr, 1,
                  1);
}

TYPED_TEST(GinkgoMatrix, IsReadCopiedAndConverted) {
    auto a = TestFixture::Operator::create(reference);
    a->read(random_data<typename TestFixture::Value, typename TestFixture::Index>(60, 42));
    this->compare(*a, *this->csr, 1, 1);
    this->compare(*gko::clone(a), *this->csr, 1, 1);
    auto back = TestFixture::Csr::create(reference);
    gko::as<typename TestFixture::Operator>(a->transpose())->convert_to(back);
    this->compare(*back, *this->csr->transpose(), 1, 1);
    auto other = TestFixture::Operator::create(reference);
    other->copy_from(a);
    this->compare(*other, *this->csr, 1, 1);
}

TYPED_TEST(GinkgoMatrix, TakesNewNumbers) {
    auto a = TestFixture::Operator::create(this->csr);
    this->compare(*a, *this->csr, 1, 1);
    for (std::size_t k = 0; k < this->csr->get_num_stored_elements(); ++k)
        this->csr->get_values()[k] *= typename TestFixture::Value(0.25);
    a->update_values();
    this->compare(*a, *this->csr, 1, 1);
}

TEST(GinkgoMatrix, MultipliesComplexVectorsByARealMatrix) {
    auto csr = gko::share(gko::matrix::Csr<double>::create(reference));
    csr->read(random_data<double, gko::int32>(60, 42));
    const auto a = ginkgo::Matrix<double>::create(csr);
    const auto b = random_dense<std::complex<double>>(42, 2, 2);
    auto x = random_dense<std::complex<double>>(60, 2, 2), y = gko::clone(x);
    a->apply(b, x);
    csr->apply(b, y);
    expect_close(*x, *y);
}

TEST(GinkgoMatrix, TakesNoEpilogueForThePartsOfComplexVectors) {
    auto csr = gko::share(gko::matrix::Csr<double>::create(reference));
    csr->read(random_data<double, gko::int32>(60, 42));
    Options options;
    options.epilogue = "value + 1";
    const auto a = ginkgo::Matrix<double>::create(csr, options);
    const auto b = random_dense<std::complex<double>>(42, 2, 2);
    auto x = random_dense<std::complex<double>>(60, 2, 2);
    EXPECT_EQ(code_and_text([&] { a->apply(b, x); }),
              "invalid_argument: the matrix is real, but b is complex: options.epilogue would be "
              "applied to each part by itself; multiply real vectors");
    const auto c = random_dense<double>(42, 2, 2);
    auto y = random_dense<double>(60, 2, 2), z = gko::clone(y);
    a->apply(c, y);
    csr->apply(c, z);
    for (gko::size_type i = 0; i < 60; ++i) EXPECT_NEAR(y->at(i, 1), z->at(i, 1) + 1, 1e-12);
}

TEST(GinkgoMatrix, SolvesAsCsrDoes) {
    const int n = 400;
    gko::matrix_data<double, gko::int32> data(gko::dim<2>(n, n));
    for (int i = 0; i < n; ++i)
        for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j)
            data.nonzeros.emplace_back(i, j, i == j ? 2.1 : -1.0);
    auto csr = gko::share(gko::matrix::Csr<double>::create(reference));
    csr->read(data);
    const auto b = random_dense<double>(n, 1, 1);
    const auto solve = [&](std::shared_ptr<const gko::LinOp> a) {
        auto solver =
            gko::solver::Cg<double>::build()
                .with_criteria(
                    gko::stop::Iteration::build().with_max_iters(400u).on(reference),
                    gko::stop::ResidualNorm<double>::build().with_reduction_factor(1e-12).on(
                        reference))
                .on(reference)
                ->generate(a);
        auto x = gko::matrix::Dense<double>::create(reference, gko::dim<2>(n, 1));
        x->fill(0.0);
        solver->apply(b, x);
        return x;
    };
    const auto ours = solve(gko::share(ginkgo::Matrix<double>::create(csr))), theirs = solve(csr);
    for (int i = 0; i < n; ++i) EXPECT_NEAR(ours->at(i, 0), theirs->at(i, 0), 1e-9);
}

TEST(GinkgoMatrix, TellsWhatItDoes) {
    auto csr = gko::share(gko::matrix::Csr<double>::create(reference));
    csr->read(random_data<double, gko::int32>(60, 42));
    Options options;
    options.kernel = "csr_rows";
    const auto a = ginkgo::Matrix<double>::create(csr, options);
    EXPECT_TRUE(a->get_handle()->info().kernel.starts_with("csr_rows_f64"));
    EXPECT_EQ(a->get_csr(), csr);
}

}  // namespace
}  // namespace spmvgen
