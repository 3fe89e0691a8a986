// BiCGSTAB on a GPU: the Laplacian with wind, which is not symmetric. Every vector and every scalar
// stays on the device, an iteration is four launches, and two of them are recorded once as a CUDA
// graph. The host waits only to look at the residual, every 20 iterations.
//     bicgstab_cuda [GRID]
#include "cuda_steps.hpp"
#include "epilogues.hpp"
#include "laplacian.hpp"

using spmvgen::Handle;
using spmvgen::Scale;

int main(int argc, char** argv) {
    if (!gpu_is_there()) return 0;
    const Csr csr = laplacian(argc > 1 ? std::atoi(argv[1]) : 500, 0.3);
    const int n = csr.rows;
    const auto with = [&](const char* epilogue) {
        return Handle(n, n, csr.row_ptr.data(), csr.col_idx.data(), csr.values.data(),
                      on_gpu(epilogue));
    };
    const Handle product_of_p = with(bicgstab::product_of_p);
    const Handle half_step = for_vectors(n, bicgstab::half_step);
    const Handle product_of_s = with(bicgstab::product_of_s);
    const Handle update = for_vectors(n, bicgstab::update);
    std::printf("%d rows on %s, kernel %s\n", n, update.info().device.c_str(),
                product_of_p.info().kernel.c_str());

    const OwnStream cuda_stream;
    const spmvgen::Stream stream{cuda_stream};
    // Kernels are loaded and workspaces allocated here, so that nothing of that falls into the graph.
    for (const Handle* product : {&product_of_p, &product_of_s})
        product->prepare(Scale::one, Scale::zero, stream);
    for (const Handle* vectors : {&half_step, &update})
        vectors->prepare(Scale::zero, Scale::one, stream);

    // A right-hand side whose solution is known: b = A·(1, …, 1). With x = 0 it is r, p and the shadow.
    Vector x(n), r(n), shadow(n), p(n, 1), v(n), t(n);
    Vector even(1), odd(1), rr(1), rv(1), ts(1), tt(1), ss(1), st(1);
    const double* nothing = nullptr;
    product_of_p.apply_with(1.0, p.in(), 0.0, r.out(), {{"shadow", p.in()}, {"rv", rv.out()}},
                            stream);
    cuda_stream.wait();
    shadow = r;
    p = r;
    double first = 0;
    for (const double value : r.on_host()) first += value * value;
    even = Vector(1, first);

    // One iteration, from r·shadow in `rho` to the next. Between the products r is s.
    const auto iterate = [&](const Vector& rho, Vector& next) {
        product_of_p.apply_with(1.0, p.in(), 0.0, v.out(),
                                {{"shadow", shadow.in()}, {"rv", rv.out()}}, stream);
        half_step.apply_with(0.0, nothing, 1.0, r.out(),
                             {{"rho", rho.in()}, {"rv", rv.in()}, {"v", v.in()}}, stream);
        product_of_s.apply_with(1.0, r.in(), 0.0, t.out(),
                                {{"r", r.in()}, {"shadow", shadow.in()}, {"ts", ts.out()},
                                 {"tt", tt.out()}, {"ss", ss.out()}, {"st", st.out()}},
                                stream);
        update.apply_with(0.0, nothing, 1.0, p.out(),
                          {{"rho", rho.in()}, {"rv", rv.in()}, {"ts", ts.in()}, {"tt", tt.in()},
                           {"ss", ss.in()}, {"st", st.in()}, {"next", next.out()}, {"x", x.out()},
                           {"r", r.out()}, {"t", t.in()}, {"v", v.in()}, {"rr", rr.out()}},
                          stream);
    };
    const Graph two_iterations(cuda_stream, [&] {
        iterate(even, odd);
        iterate(odd, even);
    });
    return solve(two_iterations, cuda_stream, first, rr, x);
}
