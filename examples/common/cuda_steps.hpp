#pragma once
// What the solvers on one GPU share: vectors on the device, handles with an epilogue, and
// iterations that are recorded once as a CUDA graph.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <spmvgen/spmvgen.hpp>
#include <vector>

#define CHECK(call)                                                          \
    if (const cudaError_t status = (call); status != cudaSuccess) {          \
        std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status)); \
        std::exit(1);                                                        \
    }

inline bool gpu_is_there() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) return true;
    std::puts("Skipped: there is no GPU here");
    return false;
}

inline spmvgen::Options on_gpu(const char* epilogue) {
    spmvgen::Options options;
    options.device = "cuda:0";
    options.epilogue = epilogue;
    return options;
}

/// A matrix without entries: its epilogue alone, for vectors.
inline spmvgen::Handle for_vectors(int n, const char* epilogue) {
    const std::vector<int> row_ptr(n + 1);
    const int* no_columns = nullptr;
    const double* no_values = nullptr;
    return spmvgen::Handle(n, n, row_ptr.data(), no_columns, no_values, on_gpu(epilogue));
}

/// Numbers on the device, freed with the object.
class Vector {
  public:
    explicit Vector(int n, double first = 0) : Vector(std::vector<double>(n, first)) {}
    explicit Vector(const std::vector<double>& numbers) : size_(numbers.size()) {
        CHECK(cudaMalloc(&data_, size_ * sizeof(double)));
        CHECK(cudaMemcpy(data_, numbers.data(), size_ * sizeof(double), cudaMemcpyHostToDevice));
    }
    ~Vector() { cudaFree(data_); }
    Vector(const Vector&) = delete;
    Vector& operator=(const Vector& other) {
        CHECK(cudaMemcpy(data_, other.data_, size_ * sizeof(double), cudaMemcpyDeviceToDevice));
        return *this;
    }

    /// What kernels write, and what they only read.
    double* out() { return data_; }
    const double* in() const { return data_; }
    std::vector<double> on_host() const {
        std::vector<double> numbers(size_);
        CHECK(cudaMemcpy(numbers.data(), data_, size_ * sizeof(double), cudaMemcpyDeviceToHost));
        return numbers;
    }

  private:
    std::size_t size_;
    double* data_ = nullptr;
};

/// What is enqueued on a stream, recorded and not run. It refers to the arrays of handles, so it
/// goes before them.
class Graph {
  public:
    template <typename Enqueue>
    Graph(cudaStream_t stream, const Enqueue& enqueue) : stream_(stream) {
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        enqueue();
        CHECK(cudaStreamEndCapture(stream, &graph_));
        CHECK(cudaGraphInstantiateWithFlags(&ready_, graph_, 0));
    }
    ~Graph() {
        cudaGraphExecDestroy(ready_);
        cudaGraphDestroy(graph_);
    }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    void launch() const { CHECK(cudaGraphLaunch(ready_, stream_)); }

  private:
    cudaStream_t stream_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t ready_ = nullptr;
};

/// A stream of its own.
class OwnStream {
  public:
    OwnStream() { CHECK(cudaStreamCreate(&stream_)); }
    ~OwnStream() { cudaStreamDestroy(stream_); }
    OwnStream(const OwnStream&) = delete;
    OwnStream& operator=(const OwnStream&) = delete;
    operator cudaStream_t() const { return stream_; }
    void wait() const { CHECK(cudaStreamSynchronize(stream_)); }

  private:
    cudaStream_t stream_ = nullptr;
};

/// Launches two iterations again and again, and looks at r·r every 20 iterations until √(r·r) is
/// 1e-10 of what it was: `first` is r·r then. The solution is known to be 1 everywhere. Tells how
/// it went, and gives the program's status.
inline int solve(const Graph& two_iterations, const OwnStream& stream, double first,
                 const Vector& rr, const Vector& x) {
    double left = first, error = 0;
    int count = 0;
    for (; left > 1e-20 * first && count < 20000; count += 20) {
        for (int i = 0; i < 10; ++i) two_iterations.launch();
        stream.wait();
        left = rr.on_host()[0];
    }
    for (const double value : x.on_host()) error = std::fmax(error, std::fabs(value - 1));
    std::printf("%d iterations, residual %.1e, largest error %.1e\n", count,
                std::sqrt(left / first), error);
    std::puts(error < 1e-5 ? "solved" : "not solved");
    return error < 1e-5 ? 0 : 1;
}
