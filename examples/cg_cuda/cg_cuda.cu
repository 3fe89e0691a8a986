// Conjugate gradient on a GPU: every vector and every scalar stays on the device, an iteration is three
// launches of products with epilogues, and two of them are recorded once as a CUDA graph. The host
// waits only to look at the residual, every 20 iterations.  usage: cg_cuda [GRID]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <spmvgen/spmvgen.hpp>
#include <vector>

#include "laplacian.hpp"

#define CHECK(call)                                                                      \
    if (const cudaError_t status = (call); status != cudaSuccess) {                      \
        std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));             \
        std::exit(1);                                                                    \
    }

using spmvgen::Handle;
using spmvgen::Scale;

spmvgen::Options on_gpu(const char* epilogue) {
    spmvgen::Options options;
    options.device = "cuda:0";
    options.epilogue = epilogue;
    return options;
}

// A matrix without entries: its epilogue alone, for vectors.
Handle for_vectors(int n, const char* epilogue) {
    const std::vector<int> row_ptr(n + 1);
    const int* no_columns = nullptr;
    const double* no_values = nullptr;
    return Handle(n, n, row_ptr.data(), no_columns, no_values, on_gpu(epilogue));
}

double* device_vector(int n, double first = 0) {
    double* v = nullptr;
    const std::vector<double> numbers(n, first);
    CHECK(cudaMalloc(&v, n * sizeof(double)));
    CHECK(cudaMemcpy(v, numbers.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    return v;
}

int main(int argc, char** argv) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return std::puts("Skipped: there is no GPU here"), 0;
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

    cudaStream_t cuda_stream;
    CHECK(cudaStreamCreate(&cuda_stream));
    const spmvgen::Stream stream{cuda_stream};
    // Kernels are loaded and workspaces allocated here, so that nothing of that falls into the graph.
    product.prepare(Scale::one, Scale::zero, stream);
    update.prepare(Scale::zero, Scale::one, stream);
    turn.prepare(Scale::zero, Scale::one, stream);

    // A right-hand side whose solution is known: b = A·(1, …, 1). With x = 0 it is also r and p.
    double *x = device_vector(n), *p = device_vector(n, 1), *q = device_vector(n), *r = device_vector(n);
    double *pq = device_vector(1), *rr = device_vector(1), *next = device_vector(1);
    const double *nothing = nullptr, *from_p = p, *from_q = q, *from_r = r, *from_pq = pq;
    product.apply_with(1.0, from_p, 0.0, r, {{"p", from_p}, {"pq", pq}}, stream);
    std::vector<double> b(n);
    CHECK(cudaStreamSynchronize(cuda_stream));
    CHECK(cudaMemcpy(b.data(), r, n * sizeof(double), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(p, r, n * sizeof(double), cudaMemcpyDeviceToDevice));
    double first = 0;
    for (const double value : b) first += value * value;
    CHECK(cudaMemcpy(rr, &first, sizeof first, cudaMemcpyHostToDevice));

    // One iteration, from the sum in `now` to the one in `then`.
    const auto iterate = [&](const double* now, double* then) {
        const double* made = then;
        product.apply_with(1.0, from_p, 0.0, q, {{"p", from_p}, {"pq", pq}}, stream);
        update.apply_with(0.0, nothing, 1.0, r,
                          {{"rr", now}, {"pq", from_pq}, {"x", x}, {"p", from_p}, {"q", from_q},
                           {"next", then}},
                          stream);
        turn.apply_with(0.0, nothing, 1.0, p, {{"r", from_r}, {"rr", now}, {"next", made}}, stream);
    };
    // Two iterations, recorded and not run. apply enqueues its launches and nothing else.
    cudaGraph_t graph;
    cudaGraphExec_t iterations;
    CHECK(cudaStreamBeginCapture(cuda_stream, cudaStreamCaptureModeGlobal));
    iterate(rr, next);
    iterate(next, rr);
    CHECK(cudaStreamEndCapture(cuda_stream, &graph));
    CHECK(cudaGraphInstantiateWithFlags(&iterations, graph, 0));

    double left = first;
    int count = 0;
    for (; left > 1e-20 * first && count < 20000; count += 20) {
        for (int i = 0; i < 10; ++i) CHECK(cudaGraphLaunch(iterations, cuda_stream));
        CHECK(cudaMemcpyAsync(&left, rr, sizeof left, cudaMemcpyDeviceToHost, cuda_stream));
        CHECK(cudaStreamSynchronize(cuda_stream));
    }

    std::vector<double> solution(n);
    CHECK(cudaMemcpy(solution.data(), x, n * sizeof(double), cudaMemcpyDeviceToHost));
    double error = 0;
    for (const double value : solution) error = std::fmax(error, std::fabs(value - 1));
    std::printf("%d iterations, residual %.1e, largest error %.1e\n", count, std::sqrt(left / first),
                error);

    // The graph refers to the handles' arrays: it goes first.
    CHECK(cudaGraphExecDestroy(iterations));
    CHECK(cudaGraphDestroy(graph));
    for (double* v : {x, r, p, q, pq, rr, next}) CHECK(cudaFree(v));
    CHECK(cudaStreamDestroy(cuda_stream));
    std::puts(error < 1e-5 ? "solved" : "not solved");
    return error < 1e-5 ? 0 : 1;
}
