// What an application does with a handle beside plain applies: graphs, several streams and threads,
// memory and streams of the CUDA runtime.
#include <array>
#include <thread>

#include "gpu_products.hpp"
#include "peers/cuda_driver.hpp"

namespace spmvgen::gpu_tests {
namespace {

constexpr const char* odd_matrix = "powerlaw:n=20000,max_row=5000";

/// Needs a driver with streams: the SIMT executor has the default stream only.
class GpuStreams : public OnDevice, public testing::WithParamInterface<std::string> {
  protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (IsSkipped()) return;
        if (!is_cuda()) GTEST_SKIP() << device_text() << " has one stream and no graphs";
        driver_ = std::make_unique<CudaDriver>();
    }
    std::vector<Options> options() const {
        std::vector<Options> both(2, options_for(GetParam()));
        both[1].deterministic = true;
        return both;
    }
    std::unique_ptr<CudaDriver> driver_;
};

TEST_P(GpuStreams, QuickGraphIsReplayedWithOtherX) {
    const auto stream = driver_->make_stream();
    for (auto& options : options()) {
        Product<double> product(make_gallery_matrix(odd_matrix), *device_);
        const Handle handle(product.view(), options);
        for (const double beta : {0.0, 2.5}) {
            handle.prepare(Scale::general, beta == 0 ? Scale::zero : Scale::general,
                           {stream.get()});
            driver_->begin_capture(stream.get());
            handle.apply(-1.5, product.x(), beta, product.y(), {stream.get()});
            const auto graph = driver_->end_capture(stream.get());
            for (const std::uint64_t seed : {11, 12, 13}) {
                product.new_x(seed);
                product.new_y(beta);
                driver_->launch(graph, stream.get());
                driver_->synchronize(stream.get());
                EXPECT_EQ(product.trouble(-1.5, beta), "") << handle.info().kernel;
            }
        }
    }
}

/// α and β are read when the graph runs, not when it is captured.
TEST_P(GpuStreams, QuickGraphReadsScalarsOfTheDevice) {
    const auto stream = driver_->make_stream();
    for (auto& options : options()) {
        Product<double> product(make_gallery_matrix(odd_matrix), *device_);
        const Handle handle(product.view(), options);
        const auto scalars = device_->allocate(2 * sizeof(double));
        const double* const alpha = static_cast<const double*>(scalars->data());
        handle.prepare(Scale::device, Scale::device, {stream.get()});
        driver_->begin_capture(stream.get());
        handle.apply_device_scalars(alpha, product.x(), alpha + 1, product.y(), {stream.get()});
        const auto graph = driver_->end_capture(stream.get());
        for (const auto& numbers : {std::array{1.0, 0.0}, {-1.5, 2.5}, {3.0, 1.0}}) {
            device_->copy_to_device(scalars->data(), numbers.data(), sizeof numbers);
            product.new_y(1);  // read whatever β is
            driver_->launch(graph, stream.get());
            driver_->synchronize(stream.get());
            EXPECT_EQ(product.trouble(numbers[0], numbers[1]), "") << handle.info().kernel;
        }
    }
}

/// Several applies in one graph, each of which needs the end of the one before.
TEST_P(GpuStreams, GraphOfSeveralApplies) {
    const auto stream = driver_->make_stream();
    for (auto& options : options()) {
        Product<double> product(make_gallery_matrix(odd_matrix), *device_);
        const Handle handle(product.view(), options);
        handle.prepare(Scale::one, Scale::zero, {stream.get()});
        handle.prepare(Scale::general, Scale::zero, {stream.get()});
        driver_->begin_capture(stream.get());
        for (const double alpha : {1.0, 3.0, 1.0, -0.75})
            handle.apply(alpha, product.x(), 0.0, product.y(), {stream.get()});
        const auto graph = driver_->end_capture(stream.get());
        product.new_y(0);
        driver_->launch(graph, stream.get());
        driver_->synchronize(stream.get());
        EXPECT_EQ(product.trouble(-0.75, 0), "") << handle.info().kernel;
    }
}

TEST_P(GpuStreams, TwoStreamsAtOnce) {
    const auto first = driver_->make_stream(), second = driver_->make_stream();
    const CsrMatrix matrix = make_gallery_matrix(odd_matrix);
    for (auto& options : options()) {
        Product<double> one(matrix, *device_), two(matrix, *device_);
        const Handle handle(one.view(), options);
        for (std::uint64_t round = 0; round < 100; ++round) {
            one.new_x(2 * round + 1);
            two.new_x(2 * round + 2);
            one.new_y(0);
            two.new_y(0);
            for (int i = 0; i < 5; ++i) {
                handle.apply(1.0, one.x(), 0.0, one.y(), {first.get()});
                handle.apply(1.0, two.x(), 0.0, two.y(), {second.get()});
            }
            driver_->synchronize(first.get());
            driver_->synchronize(second.get());
            ASSERT_EQ(one.trouble(1, 0), "") << handle.info().kernel << " round " << round;
            ASSERT_EQ(two.trouble(1, 0), "") << handle.info().kernel << " round " << round;
        }
    }
}

TEST_P(GpuStreams, TwoThreadsOneHandle) {
    const CsrMatrix matrix = make_gallery_matrix(odd_matrix);
    const Handle handle(convert_values(matrix.view(), ValueType::f64).view(),
                        options_for(GetParam()));
    std::vector<std::string> troubles(2);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < troubles.size(); ++t)
        threads.emplace_back([&, t] {
            const CudaDriver driver;
            const auto stream = driver.make_stream();
            Product<double> product(matrix, *device_);
            for (int round = 0; round < 50 && troubles[t].empty(); ++round) {
                const double beta = round % 2 == 0 ? 0 : 2.5;
                product.new_y(beta);
                handle.apply(1.0, product.x(), beta, product.y(), {stream.get()});
                driver.synchronize(stream.get());
                troubles[t] = product.trouble(1, beta);
            }
        });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(troubles, std::vector<std::string>(2));
}

/// The runtime API of an application, found where the application would have linked it.
struct CudaRuntime {
    VendorLibrary library{
        "CUDA runtime",
        "SPMVGEN_CUDART_LIBRARY",
        {"libcudart.so.13", "libcudart.so.12", "/usr/local/cuda/lib64/libcudart.so"}};
    VendorCall<int> set_device{library, "cudaSetDevice"};
    VendorCall<void**, std::size_t> allocate{library, "cudaMalloc"};
    VendorCall<void*> release{library, "cudaFree"};
    VendorCall<void*, const void*, std::size_t, int> copy{library, "cudaMemcpy"};
    VendorCall<void**> make_stream{library, "cudaStreamCreate"};
    VendorCall<void*> destroy_stream{library, "cudaStreamDestroy"};
    VendorCall<void*> synchronize{library, "cudaStreamSynchronize"};
};

TEST_P(GpuStreams, MemoryAndStreamOfTheCudaRuntime) {
    std::unique_ptr<CudaRuntime> found;
    try {
        found = std::make_unique<CudaRuntime>();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    const CudaRuntime& cuda = *found;
    constexpr int to_device = 1, to_host = 2;
    const CsrMatrix a = convert_values(make_gallery_matrix(odd_matrix).view(), ValueType::f64);
    std::vector<double> x(static_cast<std::size_t>(a.cols)), y(static_cast<std::size_t>(a.rows));
    fill_random(ValueType::f64, x.data(), a.cols, 5);
    void *x_device = nullptr, *y_device = nullptr, *stream = nullptr;
    ASSERT_EQ(cuda.set_device(0), 0);
    ASSERT_EQ(cuda.allocate(&x_device, x.size() * sizeof(double)), 0);
    ASSERT_EQ(cuda.allocate(&y_device, y.size() * sizeof(double)), 0);
    ASSERT_EQ(cuda.make_stream(&stream), 0);
    ASSERT_EQ(cuda.copy(x_device, x.data(), x.size() * sizeof(double), to_device), 0);
    {
        const Handle handle(a.view(), options_for(GetParam()));
        handle.apply(1.0, static_cast<const double*>(x_device), 0.0, static_cast<double*>(y_device),
                     {stream});
        ASSERT_EQ(cuda.synchronize(stream), 0);
    }
    ASSERT_EQ(cuda.copy(y.data(), y_device, y.size() * sizeof(double), to_host), 0);
    const double one = 1, zero = 0;
    EXPECT_EQ(check_product(a.view(), {&one, x.data(), &zero, nullptr, y.data(), 1}).message, "");
    EXPECT_EQ(cuda.destroy_stream(stream), 0);
    EXPECT_EQ(cuda.release(x_device), 0);
    EXPECT_EQ(cuda.release(y_device), 0);
}

INSTANTIATE_TEST_SUITE_P(Kernels, GpuStreams, testing::ValuesIn(kernels()), id_of);

}  // namespace
}  // namespace spmvgen::gpu_tests
