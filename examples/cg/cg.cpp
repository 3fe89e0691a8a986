// Conjugate gradient on a handle, on the CPU: solves Ax = b.  usage: cg [GRID]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <spmvgen/spmvgen.hpp>
#include <vector>

#include "laplacian.hpp"

using Vector = std::vector<double>;

double dot(const Vector& x, const Vector& y) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
}

// Solves from the x that is given until ‖b - Ax‖ ≤ tolerance · ‖b‖; returns the iterations.
int solve(const spmvgen::Handle& a, const Vector& b, Vector& x, double tolerance) {
    Vector r = b, q(b.size());
    a.apply(-1.0, x.data(), 1.0, r.data());  // r = b - Ax, in one pass
    Vector p = r;
    double rr = dot(r, r);
    const double goal = tolerance * tolerance * dot(b, b);
    int iterations = 0;
    for (; rr > goal && iterations < 10000; ++iterations) {
        a.apply(1.0, p.data(), 0.0, q.data());  // q = Ap; what was in q is not read
        const double alpha = rr / dot(p, q);
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        const double previous = rr;
        rr = dot(r, r);
        for (std::size_t i = 0; i < p.size(); ++i) p[i] = r[i] + rr / previous * p[i];
    }
    return iterations;
}

int main(int argc, char** argv) {
    const Csr csr = laplacian(argc > 1 ? std::atoi(argv[1]) : 100);

    // The handle analyses the matrix and makes a kernel for it, or finds that in the user's cache.
    // It keeps a copy of the matrix: `csr` could be freed now.
    const spmvgen::Handle a(csr.rows, csr.rows, csr.row_ptr.data(), csr.col_idx.data(),
                            csr.values.data());
    std::printf("%d rows, kernel %s (%s)\n", csr.rows, a.info().kernel.c_str(),
                a.info().reason.c_str());

    // A right-hand side whose solution is known: all ones.
    const auto n = static_cast<std::size_t>(csr.rows);
    const Vector ones(n, 1.0);
    Vector b(n), x(n, 0.0);
    a.apply(1.0, ones.data(), 0.0, b.data());

    const int iterations = solve(a, b, x, 1e-10);

    double error = 0;
    for (const double value : x) error = std::fmax(error, std::fabs(value - 1));
    std::printf("%d iterations, largest error %.1e\n", iterations, error);
    std::puts(error < 1e-6 ? "solved" : "not solved");
    return error < 1e-6 ? 0 : 1;
}
