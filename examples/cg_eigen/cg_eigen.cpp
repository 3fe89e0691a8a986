// A handle as a matrix of Eigen: its iterative solvers then multiply with spmvgen.  usage: cg_eigen
// [GRID]
#include <Eigen/Core>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <cstdio>
#include <cstdlib>
#include <spmvgen/eigen.hpp>

#include "laplacian.hpp"

int main(int argc, char** argv) {
    // A matrix of Eigen, as a program that uses Eigen has one.
    const Csr csr = laplacian(argc > 1 ? std::atoi(argv[1]) : 100);
    using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;
    const Sparse sparse =
        Eigen::Map<const Sparse>(csr.rows, csr.rows, static_cast<int>(csr.values.size()),
                                 csr.row_ptr.data(), csr.col_idx.data(), csr.values.data());

    using Matrix = spmvgen::eigen::Matrix<double>;
    const Matrix a(sparse);
    std::printf("%ld rows, kernel %s\n", static_cast<long>(a.rows()),
                a.handle().info().kernel.c_str());

    Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner>
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
