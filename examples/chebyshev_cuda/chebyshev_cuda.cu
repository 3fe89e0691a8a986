// Chebyshev smoothing on a GPU, as multigrid methods use it: four steps reduce every rough part of
// the error to 0.145 of what it was. A step is one kernel, the product with an epilogue, and the
// four are recorded once as a CUDA graph.
//     chebyshev_cuda [GRID]
#include <cmath>

#include "cuda_steps.hpp"
#include "epilogues.hpp"
#include "laplacian.hpp"

using spmvgen::Handle;
using spmvgen::Scale;

constexpr int steps = 4;
// All eigenvalues of D⁻¹A are below 2. Those above a tenth of that belong to rough errors.
constexpr double lowest = 0.2, highest = 2;

/// What is left of an error between these eigenvalues: 1 / T₄(middle / half).
double bound() {
    const double s = (highest + lowest) / (highest - lowest);
    return 1 / (8 * s * s * s * s - 8 * s * s + 1);
}

/// 1 with a rough error added, an eigenvector of A.
std::vector<double> rough(int grid) {
    const double wave = std::acos(-1.0) * (3 * grid / 4) / (grid + 1);
    std::vector<double> x;
    for (int i = 1; i <= grid; ++i)
        for (int j = 1; j <= grid; ++j) x.push_back(1 + std::sin(wave * i) * std::sin(wave * j));
    return x;
}

double largest_error(const Vector& x) {
    double error = 0;
    for (const double value : x.on_host()) error = std::fmax(error, std::fabs(value - 1));
    return error;
}

int main(int argc, char** argv) {
    if (!gpu_is_there()) return 0;
    const int grid = argc > 1 ? std::atoi(argv[1]) : 1000;
    const Csr csr = laplacian(grid);
    const int n = csr.rows;
    const Handle step(n, n, csr.row_ptr.data(), csr.col_idx.data(), csr.values.data(),
                      on_gpu(chebyshev::step));
    const Handle product(n, n, csr.row_ptr.data(), csr.col_idx.data(), csr.values.data(),
                         on_gpu(""));
    std::printf("%d rows on %s, kernel %s\n", n, step.info().device.c_str(),
                step.info().kernel.c_str());

    const OwnStream cuda_stream;
    const spmvgen::Stream stream{cuda_stream};
    // Kernels are loaded and workspaces allocated here, so that nothing of that falls into the graph.
    step.prepare(Scale::one, Scale::zero, stream);

    // A right-hand side whose solution is known: b = A·(1, …, 1). The diagonal is 4 everywhere.
    Vector x(rough(grid)), other(n, 1), b(n), d(n), inverse(n, 0.25);
    product.apply(1.0, other.in(), 0.0, b.out(), stream);
    const chebyshev::Numbers<steps> numbers(lowest, highest);
    const Vector keep(std::vector<double>(numbers.keep, numbers.keep + steps));
    const Vector add(std::vector<double>(numbers.add, numbers.add + steps));

    // Each step leads from one vector to the other: no kernel writes what others still gather.
    const Graph smoothing(cuda_stream, [&] {
        for (int k = 0; k < steps; ++k) {
            Vector &from = k % 2 == 0 ? x : other, &to = k % 2 == 0 ? other : x;
            step.apply_with(1.0, from.in(), 0.0, to.out(),
                            {{"x", from.in()}, {"b", b.in()}, {"inverse", inverse.in()},
                             {"d", d.out()}, {"keep", keep.in() + k}, {"add", add.in() + k}},
                            stream);
        }
    });

    bool smooth = true;
    double error = largest_error(x);
    for (int count = 1; count <= 3; ++count) {
        smoothing.launch();
        cuda_stream.wait();
        const double left = largest_error(x);
        std::printf("smoothing %d: largest error %.3e, %.4f of the last; at most %.4f\n", count, left,
                    left / error, bound());
        smooth = smooth && left <= bound() * error * (1 + 1e-9);
        error = left;
    }
    std::puts(smooth ? "solved" : "not solved");
    return smooth ? 0 : 1;
}
