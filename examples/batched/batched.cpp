// Many small systems at once: A_i x_i = b_i by conjugate gradient, where all products of an
// iteration are one apply.  usage: batched [SYSTEMS]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <spmvgen/batch.hpp>
#include <vector>

#include "laplacian.hpp"

using Vector = std::vector<double>;

int main(int argc, char** argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 1000;

    // One pattern, and values of its own for each system: heat conduction with another time step,
    // A_i = I + t_i L. (Systems may also differ in everything; the handle finds out.)
    const Csr grid = laplacian(6);
    std::vector<Vector> values;
    for (int i = 0; i < count; ++i) {
        Vector& v = values.emplace_back(grid.values);
        for (double& value : v) value = (value > 0 ? 1 : 0) + 0.01 * (i % 100 + 1) * value;
    }
    std::vector<spmvgen::CsrView> systems;
    for (const Vector& v : values)
        systems.push_back(spmvgen::csr_view(grid.rows, grid.rows, grid.row_ptr.data(),
                                            grid.col_idx.data(), v.data()));
    const spmvgen::BatchHandle a(systems);
    std::printf("%d systems of %d rows, %s, kernel %s\n", count, grid.rows, to_string(a.kind()),
                a.info().kernel.c_str());

    // The vectors of all systems lie one behind the other: x_i begins at a.x_offset(i).
    const auto n = static_cast<std::size_t>(grid.rows), all = static_cast<std::size_t>(a.x_size());
    const Vector ones(all, 1.0);
    Vector b(all), x(all, 0.0), q(all);
    a.apply(1.0, ones.data(), 0.0, b.data());
    Vector r = b, p = b;

    const auto dot = [&](std::size_t i, const Vector& u, const Vector& v) {
        double sum = 0;
        for (std::size_t k = i * n; k < (i + 1) * n; ++k) sum += u[k] * v[k];
        return sum;
    };
    int iterations = 0;
    for (std::size_t active = 1; active > 0 && iterations < 100; ++iterations) {
        a.apply(1.0, p.data(), 0.0, q.data());  // q_i = A_i p_i for every system
        active = 0;
        for (std::size_t i = 0; i < systems.size(); ++i) {
            const double rr = dot(i, r, r);
            if (rr <= 1e-20 * static_cast<double>(n)) continue;  // this one is done
            ++active;
            const double alpha = rr / dot(i, p, q);
            for (std::size_t k = i * n; k < (i + 1) * n; ++k) {
                x[k] += alpha * p[k];
                r[k] -= alpha * q[k];
            }
            const double beta = dot(i, r, r) / rr;
            for (std::size_t k = i * n; k < (i + 1) * n; ++k) p[k] = r[k] + beta * p[k];
        }
    }

    double error = 0;
    for (const double value : x) error = std::fmax(error, std::fabs(value - 1));
    std::printf("%d iterations, largest error %.1e\n", iterations, error);
    std::puts(error < 1e-6 ? "solved" : "not solved");
    return error < 1e-6 ? 0 : 1;
}
