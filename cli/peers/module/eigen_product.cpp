#include "peers/module/eigen_product.hpp"

#include <Eigen/Sparse>
#include <complex>

#define SPMVGEN_TEXT(number) #number
#define SPMVGEN_TEXT_OF(number) SPMVGEN_TEXT(number)

constexpr const char* const eigen_version =
    SPMVGEN_TEXT_OF(EIGEN_WORLD_VERSION) "." SPMVGEN_TEXT_OF(
        EIGEN_MAJOR_VERSION) "." SPMVGEN_TEXT_OF(EIGEN_MINOR_VERSION);

namespace {

struct Product {
    virtual ~Product() = default;
    virtual void multiply(const void* x, void* y) const = 0;
};

template <typename Value>
struct ProductOf final : Product {
    using Matrix = Eigen::SparseMatrix<Value, Eigen::RowMajor, int>;
    using Vector = Eigen::Matrix<Value, Eigen::Dynamic, 1>;

    explicit ProductOf(const spmvgen::CsrView& a)
        : matrix(static_cast<int>(a.rows), static_cast<int>(a.cols), static_cast<int>(a.nnz),
                 a.row_ptr_as<int>(), a.col_idx_as<int>(), a.values_as<Value>()) {}
    void multiply(const void* x, void* y) const override {
        const Eigen::Map<const Vector> from(static_cast<const Value*>(x), matrix.cols());
        Eigen::Map<Vector> to(static_cast<Value*>(y), matrix.rows());
        to.noalias() = matrix * from;
    }

    Eigen::Map<const Matrix> matrix;
};

}  // namespace

void* eigen_make(const spmvgen::CsrView& a) {
    Product* product = nullptr;
    spmvgen::dispatch(a.value_type, [&](auto tag) { product = new ProductOf<decltype(tag)>(a); });
    return product;
}

void eigen_multiply(const void* product, const void* x, void* y, int threads) {
    Eigen::setNbThreads(threads);
    static_cast<const Product*>(product)->multiply(x, y);
}

void eigen_free(void* product) {
    delete static_cast<Product*>(product);
}
