// csr_light's row counter on the stand-ins for CUDA and HIP: it is zero again after each apply, one
// stream has nothing to do with another, graphs can be replayed, and a failed launch leaves nothing
// behind that a later apply would see. The kernel is the generator's own; its code is for the SIMT
// executor, which the stand-ins launch on.
#include <gmock/gmock.h>

#include <thread>

#include "handle/kernels/kernel_provider.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "matrix/suites/gallery.hpp"
#include "measure/random_vector.hpp"
#include "spmvgen/error.hpp"
#include "vendor_fixture.hpp"
#include "verify/reference.hpp"

namespace spmvgen {
namespace {

/// What draw_rows() in templates/gpu/csr_light.hpp ends with.
constexpr const char* reset = "atomicAdd(counter, static_cast<unsigned long long>(-draws";

/// The generator, whose code for a vendor's device is that for the executor; leaves the counter's
/// reset out when told to.
class StandInGenerator : public Generator {
  public:
    bool without_reset = false;

    KernelSource emit(const Signature& signature, const std::string& command) override {
        KernelSource source = real_.emit(signature, command);
        if (!without_reset) return source;
        const auto at = source.text.find(reset);
        EXPECT_NE(at, std::string::npos) << source.text;
        source.text.insert(at, "if (false) ");
        return source;
    }
    KernelBinary compile(const KernelSource& source, BinaryKind kind, Compiler) override {
        KernelBinary binary = real_.compile(source, BinaryKind::simt);
        binary.kind = kind;
        return binary;
    }
    std::map<std::string, std::string> versions() override { return real_.versions(); }

  private:
    Generator& real_ = load_generator();
};

/// A checked product on a vendor's device.
class Product {
  public:
    Product(const CsrMatrix& matrix, Device& device, std::uint64_t seed)
        : matrix_(matrix),
          device_(device),
          x_(static_cast<std::size_t>(matrix.cols)),
          y_(static_cast<std::size_t>(matrix.rows)),
          x_there_(device.allocate(x_.size() * sizeof(double))),
          y_there_(device.allocate(y_.size() * sizeof(double))) {
        fill_random(ValueType::f64, x_.data(), matrix.cols, seed);
        device.copy_to_device(x_there_->data(), x_.data(), x_.size() * sizeof(double));
        forget();
    }
    /// NaN in y.
    void forget() {
        const std::vector<double> nothing(y_.size(), std::numeric_limits<double>::quiet_NaN());
        device_.copy_to_device(y_there_->data(), nothing.data(), y_.size() * sizeof(double));
    }
    void apply(const Handle& handle, void* stream) {
        handle.apply(1.0, static_cast<const double*>(x_there_->data()), 0.0,
                     static_cast<double*>(y_there_->data()), {stream});
    }
    /// "" = y is right.
    std::string trouble() {
        device_.copy_to_host(y_.data(), y_there_->data(), y_.size() * sizeof(double));
        const double one = 1, zero = 0;
        return check_product(matrix_.view(), {&one, x_.data(), &zero, nullptr, y_.data(), 1})
            .message;
    }

  private:
    const CsrMatrix& matrix_;
    Device& device_;
    std::vector<double> x_, y_;
    std::unique_ptr<DeviceMemory> x_there_, y_there_;
};

struct Light : VendorFixture, testing::WithParamInterface<bool> {
    Light() : VendorFixture(GetParam()) {}

    Handle make(int level = 1) {
        Options options;
        options.device = text();
        options.kernel = "csr_light";
        options.params = {{"level", level}, {"subwarp", 4}};
        options.cache = CacheMode::memory;
        return make_handle(matrix.view(), options, *provider, open);
    }
    void SetUp() override {
        VendorFixture::SetUp();
        open = device();
    }
    void TearDown() override {
        provider.reset();
        open.reset();
        VendorFixture::TearDown();
    }

    const CsrMatrix matrix = make_gallery_matrix("powerlaw:n=700,max_row=300,seed=3");
    StandInGenerator generator;
    std::unique_ptr<KernelProvider> provider = std::make_unique<KernelProvider>(
        KernelSources{[this]() -> Generator& { return generator; }, nullptr});
    std::shared_ptr<Device> open;
};
INSTANTIATE_TEST_SUITE_P(, Light, testing::Bool(),
                         [](auto& p) { return p.param ? "Cuda" : "Hip"; });

TEST_P(Light, EveryApplyLeavesTheCounterAsItWas) {
    for (const int level : {0, 1}) {
        const Handle handle = make(level);
        Product product(matrix, *open, 1);
        for (int i = 0; i < 3; ++i) {
            product.forget();
            product.apply(handle, nullptr);
            EXPECT_EQ(product.trouble(), "") << "level " << level << ", apply " << i;
        }
    }
}

TEST_P(Light, WithoutTheResetTheSecondApplyIsWrong) {
    generator.without_reset = true;
    for (const int level : {0, 1}) {
        const Handle handle = make(level);
        Product product(matrix, *open, 1);
        product.apply(handle, nullptr);
        EXPECT_EQ(product.trouble(), "");
        product.forget();
        product.apply(handle, nullptr);
        EXPECT_THAT(product.trouble(), testing::HasSubstr("700 of 700 elements of y are wrong"))
            << "level " << level;
    }
}

TEST_P(Light, AnApplyIsOneLaunch) {
    const Handle handle = make();
    Product product(matrix, *open, 1);
    const std::string memset = name("cuMemsetD8Async", "hipMemsetD8Async");
    standin.calls();
    product.apply(handle, nullptr);
    EXPECT_THAT(standin.calls(), testing::HasSubstr(memset)) << "the first on this stream";
    for (int i = 0; i < 2; ++i) {
        product.apply(handle, nullptr);
        const std::string calls = standin.calls();
        EXPECT_THAT(calls, testing::HasSubstr(name("cuLaunchKernel", "hipModuleLaunchKernel")));
        EXPECT_THAT(calls, testing::Not(testing::HasSubstr("Mem"))) << calls;
    }
}

TEST_P(Light, TwoStreamsOfTwoThreads) {
    const Handle handle = make();
    const std::array<void*, 2> streams{standin.make_stream(0), standin.make_stream(0)};
    std::array<std::string, 2> troubles;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 2; ++t)
        threads.emplace_back([&, t] {
            Product product(matrix, *open, t + 1);
            for (int i = 0; i < 10 && troubles[t].empty(); ++i) {
                product.forget();
                product.apply(handle, streams[t]);
                troubles[t] = product.trouble();
            }
        });
    for (auto& thread : threads) thread.join();
    EXPECT_THAT(troubles, testing::Each(""));
}

TEST_P(Light, AGraphIsReplayed) {
    const Handle handle = make();
    Product product(matrix, *open, 1);
    void* stream = standin.make_stream(0);
    handle.prepare(Scale::one, Scale::zero, {stream});
    standin.begin_capture(stream);
    product.apply(handle, stream);
    product.apply(handle, stream);
    EXPECT_EQ(standin.end_capture(2), 2);
    EXPECT_EQ(product.trouble(), "");
    product.forget();
    product.apply(handle, stream);
    EXPECT_EQ(product.trouble(), "");
}

/// Zeros are written when the workspace is made, not when the graph runs.
TEST_P(Light, ACaptureWithoutAnApplyBefore) {
    const Handle handle = make();
    Product product(matrix, *open, 1);
    void* stream = standin.make_stream(0);
    standin.begin_capture(stream);
    product.apply(handle, stream);
    EXPECT_EQ(standin.end_capture(0), 1) << "the launch, and it is thrown away";
    product.apply(handle, stream);
    EXPECT_EQ(product.trouble(), "");
}

TEST_P(Light, AFailedLaunchDoesNotMatterToTheNext) {
    const Handle handle = make();
    Product product(matrix, *open, 1);
    product.apply(handle, nullptr);
    standin.fail_next(name("cuLaunchKernel", "hipModuleLaunchKernel"), 719);
    EXPECT_THROW(product.apply(handle, nullptr), Error);
    product.forget();
    product.apply(handle, nullptr);
    EXPECT_EQ(product.trouble(), "");
}

TEST_P(Light, NoZerosNoApply) {
    const Handle handle = make();
    Product product(matrix, *open, 1);
    for (auto& call : {name("cuMemsetD8Async", "hipMemsetD8Async"),
                       name("cuStreamCreate", "hipStreamCreateWithFlags")}) {
        standin.fail_next(call, 719);
        EXPECT_THROW(product.apply(handle, nullptr), Error) << call;
    }
    product.apply(handle, nullptr);
    EXPECT_EQ(product.trouble(), "") << "it is tried again";
}

}  // namespace
}  // namespace spmvgen
