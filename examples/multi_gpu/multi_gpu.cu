// Conjugate gradient over all GPUs of one process: each has a block of rows. Kernels read the halo
// from the memory of the other GPUs, or NCCL sends it, while rows are multiplied with their own
// columns. Two iterations of all GPUs are one CUDA graph, and the host waits at the end alone. The
// residuals are compared with those of one GPU.
//     multi_gpu [GRID] [GPUS] [peer|nccl]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <spmvgen/distributed.hpp>
#include <string>
#include <vector>

#include "laplacian.hpp"
#ifdef WITH_NCCL
#include <nccl.h>
#endif

#define CHECK(call)                                                                      \
    if (const cudaError_t status = (call); status != cudaSuccess) {                      \
        std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));             \
        std::exit(1);                                                                    \
    }
#ifdef WITH_NCCL
#define NCCL(call)                                                                       \
    if (const ncclResult_t status = (call); status != ncclSuccess) {                     \
        std::fprintf(stderr, "%s: %s\n", #call, ncclGetErrorString(status));             \
        std::exit(1);                                                                    \
    }
#endif

using spmvgen::Exchange;
using spmvgen::Handle;
using spmvgen::Part;
using spmvgen::PartHandle;
using spmvgen::Scale;

constexpr int most_gpus = 16;

/// The sums of all GPUs, which this one can read.
struct Sums {
    const double* of[most_gpus];
    int count;
};

/// *total = the sum of all; with a history, also its next element.
__global__ void add_sums(Sums sums, double* total, double* history, int* length) {
    double sum = 0;
    for (int i = 0; i < sums.count; ++i) sum += *sums.of[i];
    *total = sum;
    if (history != nullptr) history[(*length)++] = sum;
}

spmvgen::Options on_gpu(int number, const char* epilogue = "") {
    spmvgen::Options options;
    options.device = "cuda:" + std::to_string(number);
    options.epilogue = epilogue;
    options.updatable = false;
    return options;
}

// A matrix without entries: its epilogue alone, for vectors.
Handle for_vectors(std::int64_t n, int number, const char* epilogue) {
    const std::vector<int> row_ptr(n + 1);
    const int* no_columns = nullptr;
    const double* no_values = nullptr;
    return Handle(n, n, row_ptr.data(), no_columns, no_values, on_gpu(number, epilogue));
}

/// Elements of the GPU that is current.
template <typename T = double>
T* elements(std::size_t n) {
    T* v = nullptr;
    CHECK(cudaMalloc(&v, std::max<std::size_t>(n, 1) * sizeof(T)));
    CHECK(cudaMemset(v, 0, std::max<std::size_t>(n, 1) * sizeof(T)));
    return v;
}

/// A GPU with its part of everything.
struct Gpu {
    int number;
    std::int64_t n, first;
    PartHandle a;
    Handle dot, update, turn;
    cudaStream_t compute, travel;
    cudaEvent_t begun, turned, arrived, dotted, updated;
    double *x, *p, *q, *r, *halo, *send;
    double *own_pq, *pq, *own_rr, *rr[2];  ///< sums of its rows, and of all

    Gpu(int number_of, const Part& part)
        : number(number_of),
          n(part.rows()),
          first(part.first_row),
          a(part, on_gpu(number)),
          dot(for_vectors(n, number, "pq += p[row] * value; value")),
          update(for_vectors(n, number,
                             "alpha = pq > 0 ? rr / pq : 0; x[row] = x[row] + alpha * p[row]; "
                             "t = value - alpha * q[row]; next += t * t; t")),
          turn(for_vectors(n, number, "r[row] + (rr > 0 ? next / rr : 0) * value")) {
        CHECK(cudaSetDevice(number));
        for (auto* stream : {&compute, &travel})
            CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
        for (auto* event : {&begun, &turned, &arrived, &dotted, &updated})
            CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
        for (auto** v : {&x, &p, &q, &r}) *v = elements(n);
        halo = elements(part.halo_columns.size());
        send = elements(part.send_elements.size());
        for (auto** v : {&own_pq, &pq, &own_rr, &rr[0], &rr[1]}) *v = elements(1);
        // Nothing is loaded or allocated later, when a graph is captured.
        a.prepare(Scale::one, Scale::zero, {compute});
        for (const Handle* handle : {&dot, &update, &turn})
            handle->prepare(Scale::zero, Scale::one, {compute});
    }
    Gpu(const Gpu&) = delete;
    ~Gpu() {
        CHECK(cudaSetDevice(number));
        for (double* v : {x, p, q, r, halo, send, own_pq, pq, own_rr, rr[0], rr[1]}) CHECK(cudaFree(v));
        for (auto event : {begun, turned, arrived, dotted, updated}) CHECK(cudaEventDestroy(event));
        for (auto stream : {compute, travel}) CHECK(cudaStreamDestroy(stream));
    }
};

class Solver {
  public:
    Solver(const Csr& csr, int count, int iterations, bool with_nccl)
        : csr_(csr), iterations_(iterations), nccl_(with_nccl) {
        const auto matrix = spmvgen::csr_view(csr.rows, csr.rows, csr.row_ptr.data(),
                                              csr.col_idx.data(), csr.values.data());
        const auto parts = make_parts(matrix, partition_by_entries(matrix, count));
        for (int i = 0; i < count; ++i) gpus_.push_back(std::make_unique<Gpu>(i, parts[i]));
        CHECK(cudaSetDevice(0));
        history_ = elements(iterations);
        length_ = elements<int>(1);
#ifdef WITH_NCCL
        comms_.resize(count);
        if (nccl_) NCCL(ncclCommInitAll(comms_.data(), count, nullptr));
#endif
    }
    ~Solver() {
        CHECK(cudaSetDevice(0));
        CHECK(cudaFree(history_));
        CHECK(cudaFree(length_));
#ifdef WITH_NCCL
        if (nccl_)
            for (auto comm : comms_) ncclCommDestroy(comm);
#endif
    }

    /// b = A·(1, …, 1), x = 0. Returns √(r·r) after each iteration, and prints.
    std::vector<double> solve() {
        begin();
        cudaGraph_t graph;
        cudaGraphExec_t two;
        CHECK(cudaSetDevice(0));
        CHECK(cudaStreamBeginCapture(gpus_[0]->compute, cudaStreamCaptureModeThreadLocal));
        begin_together();
        iterate(0);
        iterate(1);
        end_together();
        CHECK(cudaSetDevice(0));
        CHECK(cudaStreamEndCapture(gpus_[0]->compute, &graph));
        CHECK(cudaGraphInstantiateWithFlags(&two, graph, 0));
        CHECK(cudaGraphLaunch(two, gpus_[0]->compute));  // is loaded to the GPUs
        wait();
        begin();
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < iterations_; i += 2) CHECK(cudaGraphLaunch(two, gpus_[0]->compute));
        wait();
        const std::chrono::duration<double, std::micro> us = std::chrono::steady_clock::now() - start;
        std::vector<double> history(iterations_);
        CHECK(cudaMemcpy(history.data(), history_, iterations_ * sizeof(double), cudaMemcpyDeviceToHost));
        for (double& rr : history) rr = std::sqrt(rr);
        std::printf("%zu GPU%s, %s: %.1f us an iteration, residual %.1e, largest error %.1e\n",
                    gpus_.size(), gpus_.size() > 1 ? "s" : "", nccl_ ? "NCCL" : "peer memory",
                    us.count() / iterations_, history.back() / first_, largest_error());
        CHECK(cudaGraphExecDestroy(two));
        CHECK(cudaGraphDestroy(graph));
        return history;
    }

    double largest_error() {
        double error = 0;
        std::vector<double> x;
        for (auto& gpu : gpus_) {
            x.resize(gpu->n);
            CHECK(cudaMemcpy(x.data(), gpu->x, gpu->n * sizeof(double), cudaMemcpyDeviceToHost));
            for (const double value : x) error = std::fmax(error, std::fabs(value - 1));
        }
        return error;
    }

  private:
    void begin() {
        std::vector<double> b(csr_.rows);
        for (int row = 0; row < csr_.rows; ++row)
            for (int k = csr_.row_ptr[row]; k < csr_.row_ptr[row + 1]; ++k) b[row] += csr_.values[k];
        double rr = 0;
        for (const double value : b) rr += value * value;
        first_ = std::sqrt(rr);
        for (auto& gpu : gpus_) {
            CHECK(cudaSetDevice(gpu->number));
            for (double* v : {gpu->r, gpu->p})
                CHECK(cudaMemcpy(v, b.data() + gpu->first, gpu->n * sizeof(double), cudaMemcpyHostToDevice));
            CHECK(cudaMemset(gpu->x, 0, gpu->n * sizeof(double)));
            CHECK(cudaMemcpy(gpu->rr[0], &rr, sizeof rr, cudaMemcpyHostToDevice));
            CHECK(cudaDeviceSynchronize());
        }
        CHECK(cudaSetDevice(0));
        CHECK(cudaMemset(length_, 0, sizeof(int)));
        CHECK(cudaDeviceSynchronize());
    }

    /// All streams begin after, and end before, that of GPU 0.
    void begin_together() {
        CHECK(cudaEventRecord(gpus_[0]->begun, gpus_[0]->compute));
        for (auto& gpu : gpus_) {
            CHECK(cudaSetDevice(gpu->number));
            CHECK(cudaStreamWaitEvent(gpu->compute, gpus_[0]->begun));
            CHECK(cudaEventRecord(gpu->turned, gpu->compute));
        }
    }
    void end_together() {
        for (auto& gpu : gpus_) CHECK(cudaStreamWaitEvent(gpus_[0]->compute, gpu->turned));
    }

    /// q = Ap, x += αp, r -= αq, p = r + βp. What a GPU reads of another one is not overwritten too
    /// early, for each sum over all GPUs waits for all of them.
    void iterate(int even) {
        for (auto& gpu : gpus_) send(*gpu);
        bring_halos();
        for (auto& gpu : gpus_) multiply(*gpu);
        add_all(&Gpu::dotted, [](Gpu& g) { return g.own_pq; }, [](Gpu& g) { return g.pq; }, false);
        for (auto& gpu : gpus_) update(*gpu, gpu->rr[even]);
        add_all(&Gpu::updated, [](Gpu& g) { return g.own_rr; },
                [&](Gpu& g) { return g.rr[1 - even]; }, true);
        for (auto& gpu : gpus_) turn(*gpu, gpu->rr[even], gpu->rr[1 - even]);
    }

    void send(Gpu& gpu) {
        CHECK(cudaSetDevice(gpu.number));
        CHECK(cudaStreamWaitEvent(gpu.travel, gpu.turned));
        if (nccl_) gpu.a.pack(gpu.p, gpu.send, {gpu.travel});
    }

    void bring_halos() {
        if (!nccl_) {
            for (auto& gpu : gpus_) {
                CHECK(cudaSetDevice(gpu->number));
                for (std::size_t i = 0; i < gpu->a.receives().size(); ++i) {
                    const Gpu& other = *gpus_[gpu->a.receives()[i].part];
                    CHECK(cudaStreamWaitEvent(gpu->travel, other.turned));
                    gpu->a.fetch(i, other.p, gpu->halo, {gpu->travel});
                }
            }
        }
#ifdef WITH_NCCL
        if (nccl_) {
            NCCL(ncclGroupStart());
            for (auto& gpu : gpus_) {
                for (const Exchange& s : gpu->a.sends())
                    NCCL(ncclSend(gpu->send + s.first, s.count, ncclDouble, s.part,
                                  comms_[gpu->number], gpu->travel));
                for (const Exchange& r : gpu->a.receives())
                    NCCL(ncclRecv(gpu->halo + r.first, r.count, ncclDouble, r.part,
                                  comms_[gpu->number], gpu->travel));
            }
            NCCL(ncclGroupEnd());
        }
#endif
        for (auto& gpu : gpus_) {
            CHECK(cudaSetDevice(gpu->number));
            CHECK(cudaEventRecord(gpu->arrived, gpu->travel));
        }
    }

    void multiply(Gpu& gpu) {
        CHECK(cudaSetDevice(gpu.number));
        const double *p = gpu.p, *nothing = nullptr;
        gpu.a.multiply_local(1.0, p, 0.0, gpu.q, {gpu.compute});  // while the halo travels
        CHECK(cudaStreamWaitEvent(gpu.compute, gpu.arrived));
        gpu.a.multiply_halo(1.0, gpu.halo, gpu.q, {gpu.compute});
        gpu.dot.apply_with(0.0, nothing, 1.0, gpu.q, {{"p", p}, {"pq", gpu.own_pq}}, {gpu.compute});
        CHECK(cudaEventRecord(gpu.dotted, gpu.compute));
    }

    void update(Gpu& gpu, const double* rr) {
        CHECK(cudaSetDevice(gpu.number));
        const double *p = gpu.p, *q = gpu.q, *pq = gpu.pq, *nothing = nullptr;
        gpu.update.apply_with(0.0, nothing, 1.0, gpu.r,
                              {{"rr", rr}, {"pq", pq}, {"x", gpu.x}, {"p", p}, {"q", q}, {"next", gpu.own_rr}},
                              {gpu.compute});
        CHECK(cudaEventRecord(gpu.updated, gpu.compute));
    }

    void turn(Gpu& gpu, const double* rr, const double* next) {
        CHECK(cudaSetDevice(gpu.number));
        const double *r = gpu.r, *nothing = nullptr;
        gpu.turn.apply_with(0.0, nothing, 1.0, gpu.p, {{"r", r}, {"rr", rr}, {"next", next}}, {gpu.compute});
        CHECK(cudaEventRecord(gpu.turned, gpu.compute));
    }

    /// Every GPU adds the sums of all, in the same order.
    template <typename Own, typename All>
    void add_all(cudaEvent_t Gpu::*made, Own own, All all, bool keep) {
        Sums sums{};
        for (auto& gpu : gpus_) sums.of[sums.count++] = own(*gpu);
        for (auto& gpu : gpus_) {
            CHECK(cudaSetDevice(gpu->number));
            for (auto& other : gpus_) CHECK(cudaStreamWaitEvent(gpu->compute, (*other).*made));
            const bool here = keep && gpu->number == 0;
            add_sums<<<1, 1, 0, gpu->compute>>>(sums, all(*gpu), here ? history_ : nullptr, length_);
            CHECK(cudaGetLastError());
        }
    }

    void wait() {
        for (auto& gpu : gpus_) {
            CHECK(cudaSetDevice(gpu->number));
            CHECK(cudaDeviceSynchronize());
        }
    }

    const Csr& csr_;
    const int iterations_;  ///< an even number
    const bool nccl_;
    std::vector<std::unique_ptr<Gpu>> gpus_;
    double first_ = 0;
    double* history_ = nullptr;
    int* length_ = nullptr;
#ifdef WITH_NCCL
    std::vector<ncclComm_t> comms_;
#endif
};

/// The largest relative difference of the first `count` residuals.
double difference(const std::vector<double>& a, const std::vector<double>& b, std::size_t count) {
    double worst = 0;
    for (std::size_t i = 0; i < std::min(count, a.size()); ++i)
        worst = std::fmax(worst, std::fabs(a[i] - b[i]) / b[i]);
    return worst;
}

int main(int argc, char** argv) {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0)
        return std::puts("Skipped: there is no GPU here"), 0;
    const int grid = argc > 1 ? std::atoi(argv[1]) : 1000;
    const Csr csr = laplacian(grid);
    count = std::clamp(argc > 2 ? std::atoi(argv[2]) : count, 1, std::min(count, most_gpus));
    const std::string way = argc > 3 ? argv[3] : "";
#ifdef WITH_NCCL
    const bool nccl = way != "peer";
#else
    const bool nccl = false;
#endif
    // The sums of all GPUs are read by kernels whichever way the halo takes.
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j)
            if (!spmvgen::enable_peer_access("cuda:" + std::to_string(i), "cuda:" + std::to_string(j)))
                return std::printf("Skipped: GPU %d cannot read the memory of GPU %d\n", i, j), 0;

    const int iterations = 4 * grid;  // more than it takes
    constexpr int compared = 50;      // then rounding errors have grown too far
    Solver alone(csr, 1, iterations, false), together(csr, count, iterations, nccl);
    const auto expected = alone.solve(), found = together.solve();
    const double worst = difference(found, expected, compared);
    std::printf("residuals of %d iterations differ by %.1e; kernels compiled: %lld\n", compared, worst,
                static_cast<long long>(spmvgen::kernel_counters().compiles_started));
    const bool solved = worst < 1e-10 && together.largest_error() < 1e-5;
    std::puts(solved ? "solved" : "not solved");
    return solved ? 0 : 1;
}
