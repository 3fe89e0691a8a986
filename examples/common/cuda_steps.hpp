#pragma once
// What the solvers on one GPU share: vectors on the device, handles with an epilogue, and iterations
// that are recorded once as a CUDA graph.
#include <cstdio>
#include <cstdlib>
#include <spmvgen/spmvgen.hpp>
#include <vector>

#define CHECK(call)                                                                      \
    if (const cudaError_t status = (call); status != cudaSuccess) {                      \
        std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));             \
        std::exit(1);                                                                    \
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
