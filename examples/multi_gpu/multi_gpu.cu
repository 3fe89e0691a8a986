// Conjugate gradient over all GPUs of one process: each has a block of rows, and what it needs of
// the others comes while it multiplies with its own columns. With flags, kernels write halos into
// the memory of the other GPUs and tell them; or they fetch them there, after events. Both ways they
// read the sums there. Or NCCL sends and adds. Two iterations of all GPUs are one CUDA graph, and the host
// waits at the end alone. The residuals are compared with those of one GPU.
//     multi_gpu [GRID] [GPUS] [flags|fetch|nccl]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <spmvgen/distributed.hpp>
#include <string>
#include <vector>

#include "gpu.hpp"
#include "laplacian.hpp"
#ifdef WITH_NCCL
#include <nccl.h>
#endif

#ifdef WITH_NCCL
#define NCCL(call)                                                                       \
    if (const ncclResult_t status = (call); status != ncclSuccess) {                     \
        std::fprintf(stderr, "%s: %s\n", #call, ncclGetErrorString(status));             \
        std::exit(1);                                                                    \
    }
#endif

using spmvgen::Exchange;
using spmvgen::Part;
using spmvgen::PeerHalo;

constexpr int most_gpus = 16;

/// The sums of all GPUs, which this one can read.
struct Sums {
    const double* of[most_gpus];
    int count;
};

/// *total = the sum of all.
__global__ void add_sums(Sums sums, double* total) {
    double sum = 0;
    for (int i = 0; i < sums.count; ++i) sum += *sums.of[i];
    *total = sum;
}

/// The next element of the history.
__global__ void keep(const double* number, double* history, int* length) {
    history[(*length)++] = *number;
}

/// How GPUs get what others have.
enum class Way { alone, flags, fetch, nccl };

class Solver {
  public:
    Solver(const Csr& csr, int count, int iterations, Way way)
        : csr_(csr), iterations_(iterations), way_(count > 1 ? way : Way::alone) {
        const auto matrix = spmvgen::csr_view(csr.rows, csr.rows, csr.row_ptr.data(),
                                              csr.col_idx.data(), csr.values.data());
        const auto parts = make_parts(matrix, partition_by_entries(matrix, count));
        for (int i = 0; i < count; ++i) gpus_.push_back(std::make_unique<Gpu>(i, parts[i], count == 1));
        if (way_ == Way::flags) {
            for (const Part& part : parts) halos_.emplace_back(part, on_gpu(part.number));
            connect(halos_);
        }
        CHECK(cudaSetDevice(0));
        history_ = elements(iterations);
        length_ = elements<int>(1);
        CHECK(cudaStreamCreateWithFlags(&aside_, cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&kept_, cudaEventDisableTiming));
#ifdef WITH_NCCL
        comms_.resize(count);
        if (way_ == Way::nccl) NCCL(ncclCommInitAll(comms_.data(), count, nullptr));
#endif
    }
    ~Solver() {
        CHECK(cudaSetDevice(0));
        CHECK(cudaFree(history_));
        CHECK(cudaFree(length_));
        CHECK(cudaEventDestroy(kept_));
        CHECK(cudaStreamDestroy(aside_));
#ifdef WITH_NCCL
        if (way_ == Way::nccl)
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
        constexpr const char* names[] = {"", ", flags", ", fetch", ", NCCL"};
        std::printf("%zu GPU%s%s: %.1f us an iteration, residual %.1e, largest error %.1e\n", gpus_.size(),
                    gpus_.size() > 1 ? "s" : "", names[static_cast<int>(way_)], us.count() / iterations_,
                    history.back() / first_, largest_error());
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
        CHECK(cudaStreamWaitEvent(gpus_[0]->compute, kept_));
    }

    /// Of each GPU, which is current then.
    template <typename Work>
    void each(Work work) {
        for (auto& gpu : gpus_) {
            CHECK(cudaSetDevice(gpu->number));
            work(*gpu);
        }
    }

    /// q = Ap, x += αp, r -= αq, p = r + βp.
    void iterate(int even) {
        each([&](Gpu& gpu) { CHECK(cudaStreamWaitEvent(gpu.travel, gpu.turned)); });
        bring_halos();
        each([&](Gpu& gpu) {
            CHECK(cudaEventRecord(gpu.arrived, gpu.travel));
            gpu.multiply(way_ == Way::flags ? halos_[gpu.number].data<double>() : gpu.halo);
        });
        add_all(&Gpu::own_pq, [](Gpu& gpu) { return gpu.pq; });
        each([&](Gpu& gpu) { gpu.descend(even); });
        add_all(&Gpu::own_rr, [&](Gpu& gpu) { return gpu.rr[1 - even]; });
        each([&](Gpu& gpu) { gpu.change_direction(even); });
        CHECK(cudaSetDevice(0));
        CHECK(cudaStreamWaitEvent(aside_, gpus_[0]->turned));
        keep<<<1, 1, 0, aside_>>>(gpus_[0]->rr[1 - even], history_, length_);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(kept_, aside_));
    }

    void bring_halos() {
        if (way_ == Way::flags)
            each([&](Gpu& gpu) { halos_[gpu.number].exchange(gpu.p, {gpu.travel}); });
        if (way_ == Way::fetch)
            each([&](Gpu& gpu) {
                for (std::size_t i = 0; i < gpu.a.receives().size(); ++i) {
                    const Gpu& other = *gpus_[gpu.a.receives()[i].part];
                    const double* there = other.p;
                    CHECK(cudaStreamWaitEvent(gpu.travel, other.turned));
                    gpu.a.fetch(i, there, gpu.halo, {gpu.travel});
                }
            });
#ifdef WITH_NCCL
        if (way_ != Way::nccl) return;
        each([&](Gpu& gpu) { gpu.a.pack(gpu.p, gpu.send, {gpu.travel}); });
        NCCL(ncclGroupStart());
        for (auto& gpu : gpus_) {
            for (const Exchange& s : gpu->a.sends())
                NCCL(ncclSend(gpu->send + s.first, s.count, ncclDouble, s.part, comms_[gpu->number],
                              gpu->travel));
            for (const Exchange& r : gpu->a.receives())
                NCCL(ncclRecv(gpu->halo + r.first, r.count, ncclDouble, r.part, comms_[gpu->number],
                              gpu->travel));
        }
        NCCL(ncclGroupEnd());
#endif
    }

    /// What GPUs read of each other is not overwritten too early: for the next sum, each waits for
    /// all of them.
    template <typename Total>
    void add_all(double* Gpu::*own, Total total) {
        if (way_ == Way::alone) return;
#ifdef WITH_NCCL
        if (way_ == Way::nccl) {
            NCCL(ncclGroupStart());
            for (auto& gpu : gpus_)
                NCCL(ncclAllReduce((*gpu).*own, total(*gpu), 1, ncclDouble, ncclSum, comms_[gpu->number],
                                   gpu->compute));
            NCCL(ncclGroupEnd());
            return;
        }
#endif
        Sums sums{};
        for (auto& gpu : gpus_) sums.of[sums.count++] = (*gpu).*own;
        each([&](Gpu& gpu) {
            for (auto& other : gpus_) CHECK(cudaStreamWaitEvent(gpu.compute, other->summed));
            add_sums<<<1, 1, 0, gpu.compute>>>(sums, total(gpu));
            CHECK(cudaGetLastError());
        });
    }

    void wait() {
        each([](Gpu&) { CHECK(cudaDeviceSynchronize()); });
    }

    const Csr& csr_;
    const int iterations_;  ///< an even number
    const Way way_;
    std::vector<std::unique_ptr<Gpu>> gpus_;
    std::vector<PeerHalo> halos_;  ///< with flags
    double first_ = 0;
    double* history_ = nullptr;
    int* length_ = nullptr;
    cudaStream_t aside_;
    cudaEvent_t kept_;
#ifdef WITH_NCCL
    std::vector<ncclComm_t> comms_;
#endif
};

/// Whether all GPUs reach each other's memory, which they then may.
bool are_peers(int count) {
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j)
            if (!spmvgen::enable_peer_access("cuda:" + std::to_string(i), "cuda:" + std::to_string(j)))
                return false;
    return true;
}

/// The way that `text` names, else flags where they can be.
Way choose_way(const std::string& text, int count) {
    if (text != "nccl" && are_peers(count)) return text == "fetch" ? Way::fetch : Way::flags;
#ifdef WITH_NCCL
    return Way::nccl;
#else
    std::puts("Skipped: the GPUs cannot reach each other's memory, and this was built without NCCL");
    std::exit(0);
#endif
}

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
    const Way way = choose_way(argc > 3 ? argv[3] : "", count);

    const int iterations = 4 * grid;  // more than it takes
    constexpr int compared = 50;      // then rounding errors have grown too far
    Solver alone(csr, 1, iterations, Way::alone), together(csr, count, iterations, way);
    const auto expected = alone.solve(), found = together.solve();
    const double worst = difference(found, expected, compared);
    std::printf("residuals of %d iterations differ by %.1e; kernels compiled: %lld\n", compared, worst,
                static_cast<long long>(spmvgen::kernel_counters().compiles_started));
    const bool solved = worst < 1e-10 && together.largest_error() < 1e-5;
    std::puts(solved ? "solved" : "not solved");
    return solved ? 0 : 1;
}
