// Conjugate gradient on a GPU: every vector and every scalar stays on the device, an iteration is three
// launches of products with epilogues, and two of them are recorded once as a CUDA graph. The host
// waits only to look at the residual, every 20 iterations.  usage: cg_cuda [GRID]
#include "cuda_steps.hpp"
#include "laplacian.hpp"

using spmvgen::Handle;
using spmvgen::Scale;

int main(int argc, char** argv) {
    if (!gpu_is_there()) return 0;
    const Csr csr = laplacian(argc > 1 ? std::atoi(argv[1]) : 1000);
    const int n = csr.rows;

    // q = Ap with p·q beside it; x += αp, r -= αq with r·r beside it; p = r + βp.
    const Handle product(n, n, csr.row_ptr.data(), csr.col_idx.data(), csr.values.data(),
                         on_gpu("pq += p[row] * value; value"));
    const Handle update = for_vectors(n, "alpha = pq > 0 ? rr / pq : 0; "
                                         "x[row] = x[row] + alpha * p[row]; "
                                         "t = value - alpha * q[row]; next += t * t; t");
    const Handle turn = for_vectors(n, "r[row] + (rr > 0 ? next / rr : 0) * value");
    std::printf("%d rows on %s, kernel %s\n", n, product.info().device.c_str(),
                product.info().kernel.c_str());

    const OwnStream cuda_stream;
    const spmvgen::Stream stream{cuda_stream};
    // Kernels are loaded and workspaces allocated here, so that nothing of that falls into the graph.
    product.prepare(Scale::one, Scale::zero, stream);
    update.prepare(Scale::zero, Scale::one, stream);
    turn.prepare(Scale::zero, Scale::one, stream);

    // A right-hand side whose solution is known: b = A·(1, …, 1). With x = 0 it is also r and p.
    Vector x(n), p(n, 1), q(n), r(n), pq(1), even(1), odd(1);
    const double* nothing = nullptr;
    product.apply_with(1.0, p.in(), 0.0, r.out(), {{"p", p.in()}, {"pq", pq.out()}}, stream);
    cuda_stream.wait();
    p = r;
    double first = 0;
    for (const double value : r.on_host()) first += value * value;
    even = Vector(1, first);

    // One iteration, from the sum in `rr` to the one in `next`.
    const auto iterate = [&](const Vector& rr, Vector& next) {
        product.apply_with(1.0, p.in(), 0.0, q.out(), {{"p", p.in()}, {"pq", pq.out()}}, stream);
        update.apply_with(0.0, nothing, 1.0, r.out(),
                          {{"rr", rr.in()}, {"pq", pq.in()}, {"x", x.out()}, {"p", p.in()},
                           {"q", q.in()}, {"next", next.out()}},
                          stream);
        turn.apply_with(0.0, nothing, 1.0, p.out(),
                        {{"r", r.in()}, {"rr", rr.in()}, {"next", next.in()}}, stream);
    };
    // Two iterations, recorded and not run. apply enqueues its launches and nothing else.
    const Graph two_iterations(cuda_stream, [&] {
        iterate(even, odd);
        iterate(odd, even);
    });
    return solve(two_iterations, cuda_stream, first, even, x);
}
