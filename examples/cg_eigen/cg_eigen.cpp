// A handle as a matrix of Eigen: its iterative solvers then multiply with spmvgen.  usage: cg_eigen
// [GRID]
#include <Eigen/Core>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <cstdio>
#include <cstdlib>
#include <spmvgen/spmvgen.hpp>

#include "laplacian.hpp"

class SpmvgenMatrix;

// Eigen wants to know what kind of matrix this is …
namespace Eigen::internal {
template <>
struct traits<SpmvgenMatrix> : traits<Eigen::SparseMatrix<double>> {};
}  // namespace Eigen::internal

// … and its sizes, and that A * x is a product that is worked out below.
class SpmvgenMatrix : public Eigen::EigenBase<SpmvgenMatrix> {
  public:
    using Scalar = double;
    using RealScalar = double;
    using StorageIndex = int;
    enum {
        ColsAtCompileTime = Eigen::Dynamic,
        MaxColsAtCompileTime = Eigen::Dynamic,
        IsRowMajor = true
    };

    // From a matrix of Eigen in its row-major, compressed form: that is CSR.
    explicit SpmvgenMatrix(const Eigen::SparseMatrix<double, Eigen::RowMajor>& a)
        : rows_(a.rows()),
          cols_(a.cols()),
          handle_(a.rows(), a.cols(), a.outerIndexPtr(), a.innerIndexPtr(), a.valuePtr()) {}

    Eigen::Index rows() const { return rows_; }
    Eigen::Index cols() const { return cols_; }
    const spmvgen::Handle& handle() const { return handle_; }

    template <typename Rhs>
    Eigen::Product<SpmvgenMatrix, Rhs, Eigen::AliasFreeProduct> operator*(
        const Eigen::MatrixBase<Rhs>& x) const {
        return {*this, x.derived()};
    }

  private:
    Eigen::Index rows_, cols_;
    spmvgen::Handle handle_;
};

// y += alpha · A · x, of which Eigen makes all products.
namespace Eigen::internal {
template <typename Rhs>
struct generic_product_impl<SpmvgenMatrix, Rhs, SparseShape, DenseShape, GemvProduct>
    : generic_product_impl_base<SpmvgenMatrix, Rhs, generic_product_impl<SpmvgenMatrix, Rhs>> {
    template <typename Dest>
    static void scaleAndAddTo(Dest& y, const SpmvgenMatrix& a, const Rhs& x, double alpha) {
        const Eigen::Ref<const Eigen::VectorXd> values(x);  // contiguous, a copy only if it must be
        a.handle().apply(alpha, values.data(), 1.0, y.data());
    }
};
}  // namespace Eigen::internal

int main(int argc, char** argv) {
    // A matrix of Eigen, as a program that uses Eigen has one.
    const Csr csr = laplacian(argc > 1 ? std::atoi(argv[1]) : 100);
    using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;
    const Sparse sparse =
        Eigen::Map<const Sparse>(csr.rows, csr.rows, static_cast<int>(csr.values.size()),
                                 csr.row_ptr.data(), csr.col_idx.data(), csr.values.data());

    const SpmvgenMatrix a(sparse);
    std::printf("%ld rows, kernel %s\n", static_cast<long>(a.rows()),
                a.handle().info().kernel.c_str());

    Eigen::ConjugateGradient<SpmvgenMatrix, Eigen::Lower | Eigen::Upper,
                             Eigen::IdentityPreconditioner>
        solver;
    solver.setTolerance(1e-10);
    solver.compute(a);
    const Eigen::VectorXd b = sparse * Eigen::VectorXd::Ones(a.rows());
    const Eigen::VectorXd x = solver.solve(b);

    const double error = (x - Eigen::VectorXd::Ones(a.rows())).lpNorm<Eigen::Infinity>();
    std::printf("%ld iterations, largest error %.1e\n", static_cast<long>(solver.iterations()),
                error);
    const bool solved = solver.info() == Eigen::Success && error < 1e-6;
    std::puts(solved ? "solved" : "not solved");
    return solved ? 0 : 1;
}
