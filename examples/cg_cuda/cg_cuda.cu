// Conjugate gradient on a GPU: every vector and every scalar stays on the device, all work is in one
// stream, and an iteration is recorded once as a CUDA graph. The host waits only to look at the
// residual, every 20 iterations.  usage: cg_cuda [GRID]
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

constexpr int block = 256;
int blocks_for(int n) { return (n + block - 1) / block; }

// What conjugate gradient computes on its way, on the device.
struct Scalars {
    double rr, pq, next_rr;
};

// *sum += u·v; sum is set to 0 before.
__global__ void dot(int n, const double* u, const double* v, double* sum) {
    __shared__ double parts[block];
    const int i = blockIdx.x * block + threadIdx.x;
    parts[threadIdx.x] = i < n ? u[i] * v[i] : 0;
    for (int half = block / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    }
    if (threadIdx.x == 0) atomicAdd(sum, parts[0]);
}

// x += αp, r -= αq with α = rr / p·q
__global__ void step(int n, const Scalars* s, const double* p, const double* q, double* x, double* r) {
    const int i = blockIdx.x * block + threadIdx.x;
    if (i >= n) return;
    const double alpha = s->pq > 0 ? s->rr / s->pq : 0;
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
}

// p = r + βp with β = next_rr / rr
__global__ void turn(int n, const Scalars* s, const double* r, double* p) {
    const int i = blockIdx.x * block + threadIdx.x;
    if (i < n) p[i] = r[i] + (s->rr > 0 ? s->next_rr / s->rr : 0) * p[i];
}

__global__ void shift(Scalars* s) { s->rr = s->next_rr; }

double* device_vector(int n) {
    double* v = nullptr;
    CHECK(cudaMalloc(&v, n * sizeof(double)));
    CHECK(cudaMemset(v, 0, n * sizeof(double)));
    return v;
}

int main(int argc, char** argv) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return std::puts("Skipped: there is no GPU here"), 0;
    const Csr csr = laplacian(argc > 1 ? std::atoi(argv[1]) : 1000);
    const int n = csr.rows, blocks = blocks_for(n);

    // The handle uploads the matrix to the GPU in the form that its kernel reads.
    spmvgen::Options options;
    options.device = "cuda:0";
    const spmvgen::Handle a(n, n, csr.row_ptr.data(), csr.col_idx.data(), csr.values.data(), options);
    std::printf("%d rows on %s, kernel %s\n", n, a.info().device.c_str(), a.info().kernel.c_str());

    cudaStream_t cuda_stream;
    CHECK(cudaStreamCreate(&cuda_stream));
    const spmvgen::Stream stream{cuda_stream};
    // Kernels are loaded and workspaces allocated here, so that nothing of that falls into the graph.
    a.prepare(spmvgen::Scale::one, spmvgen::Scale::zero, stream);

    double *x = device_vector(n), *r = device_vector(n), *p = device_vector(n), *q = device_vector(n);
    Scalars* s = nullptr;
    CHECK(cudaMalloc(&s, sizeof(Scalars)));
    CHECK(cudaMemset(s, 0, sizeof(Scalars)));

    // A right-hand side whose solution is known: b = A·(1, …, 1). With x = 0 it is also r and p.
    const std::vector<double> ones(n, 1.0);
    CHECK(cudaMemcpy(q, ones.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    a.apply(1.0, q, 0.0, r, stream);
    CHECK(cudaMemcpyAsync(p, r, n * sizeof(double), cudaMemcpyDeviceToDevice, cuda_stream));
    dot<<<blocks, block, 0, cuda_stream>>>(n, r, r, &s->rr);

    // One iteration, recorded and not run. apply enqueues its launches and nothing else.
    cudaGraph_t graph;
    cudaGraphExec_t iteration;
    CHECK(cudaStreamBeginCapture(cuda_stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(&s->pq, 0, 2 * sizeof(double), cuda_stream));  // pq and next_rr
    a.apply(1.0, p, 0.0, q, stream);
    dot<<<blocks, block, 0, cuda_stream>>>(n, p, q, &s->pq);
    step<<<blocks, block, 0, cuda_stream>>>(n, s, p, q, x, r);
    dot<<<blocks, block, 0, cuda_stream>>>(n, r, r, &s->next_rr);
    turn<<<blocks, block, 0, cuda_stream>>>(n, s, r, p);
    shift<<<1, 1, 0, cuda_stream>>>(s);
    CHECK(cudaStreamEndCapture(cuda_stream, &graph));
    CHECK(cudaGraphInstantiateWithFlags(&iteration, graph, 0));

    double rr = 0, first = 0;
    CHECK(cudaMemcpyAsync(&first, &s->rr, sizeof first, cudaMemcpyDeviceToHost, cuda_stream));
    CHECK(cudaStreamSynchronize(cuda_stream));
    int iterations = 0;
    for (rr = first; rr > 1e-20 * first && iterations < 20000; iterations += 20) {
        for (int i = 0; i < 20; ++i) CHECK(cudaGraphLaunch(iteration, cuda_stream));
        CHECK(cudaMemcpyAsync(&rr, &s->rr, sizeof rr, cudaMemcpyDeviceToHost, cuda_stream));
        CHECK(cudaStreamSynchronize(cuda_stream));
    }

    std::vector<double> solution(n);
    CHECK(cudaMemcpy(solution.data(), x, n * sizeof(double), cudaMemcpyDeviceToHost));
    double error = 0;
    for (const double value : solution) error = std::fmax(error, std::fabs(value - 1));
    std::printf("%d iterations, residual %.1e, largest error %.1e\n", iterations,
                std::sqrt(rr / first), error);

    // The graph refers to the handle's arrays: it goes first.
    CHECK(cudaGraphExecDestroy(iteration));
    CHECK(cudaGraphDestroy(graph));
    for (double* v : {x, r, p, q}) CHECK(cudaFree(v));
    CHECK(cudaFree(s));
    CHECK(cudaStreamDestroy(cuda_stream));
    std::puts(error < 1e-5 ? "solved" : "not solved");
    return error < 1e-5 ? 0 : 1;
}
