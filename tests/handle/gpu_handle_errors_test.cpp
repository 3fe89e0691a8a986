// What a handle on a GPU refuses, and how it fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "errors.hpp"
#include "gpu_handle_fixture.hpp"

namespace spmvgen {
namespace {

using namespace fake_gpu;
using testing::HasSubstr;

TEST_F(GpuHandle, ADeviceHasNoFallback) {
    fake.generator.unsupported = {BinaryKind::cubin, BinaryKind::ptx};
    const std::string text = code_and_text([&] { make(); });
    EXPECT_THAT(text, HasSubstr("compile: no kernel csr_classical_f64"));
    EXPECT_THAT(text, HasSubstr("@sm_90: nothing makes cubin; nothing makes ptx; device cuda:0 has "
                                "no generic kernel to fall back to"));
    EXPECT_EQ(fake.provider.counters().fallbacks, 0);
    Options options = gpu_options();
    options.cache = CacheMode::load;
    FakeKernels other;
    EXPECT_THAT(code_and_text([&] { make_handle(Tiny().view(), options, other.provider, device); }),
                HasSubstr("it is not in the cache, and cache mode load does not compile; device"));
    EXPECT_TRUE(log.memory.empty());
}

TEST_F(GpuHandle, AModeThatCannotBeMadeIsAnErrorOfTheApply) {
    fake.generator.only_base_works = true;
    const Handle handle = make();
    std::vector<double> y(3, 1);
    EXPECT_THAT(code_and_text([&] { handle.apply(1.0, x.data(), 1.0, y.data()); }),
                HasSubstr("compile: no kernel csr_classical_f64_i32_o32_a1_b1_k1"));
    handle.apply(1.0, x.data(), 0.0, y.data());
    EXPECT_EQ(y, product);
}

TEST_F(GpuHandle, ADeviceWithoutMemoryLeavesNothingBehind) {
    log.capacity = 40;
    EXPECT_EQ(code_and_text([&] { make(); }), "io: cuda:0: out of memory");
    EXPECT_TRUE(log.memory.empty());
    log.capacity = SIZE_MAX;
    log.refuses_to_load = true;
    FakeKernels other;
    const auto make_other = [&] {
        return make_handle(Tiny().view(), gpu_options(), other.provider, device);
    };
    EXPECT_EQ(code_and_text(make_other), "io: cuda:0: no room for the kernel");
    log.refuses_to_load = false;
    EXPECT_EQ(code_and_text(make_other), "no error");
}

TEST_F(GpuHandle, RefusesWrongOptions) {
    const auto with = [&](const std::function<void(Options&)>& change) {
        Options options = gpu_options();
        change(options);
        return code_and_text([&] { make(options); });
    };
    EXPECT_EQ(with([](Options& o) { o.cache = CacheMode::off; }),
              "invalid_argument: cache mode off (options.cache, SPMVGEN_CACHE) always runs the "
              "generic CSR "
              "kernel, which device cuda:0 does not have: use another mode");
    EXPECT_EQ(with([](Options& o) { o.target = "sm_80"; }),
              "invalid_argument: options.target sm_80 is not what device cuda:0 runs, sm_90: leave "
              "it native");
    EXPECT_EQ(with([](Options& o) { o.target = "sm_90"; }), "no error");
    EXPECT_EQ(with([](Options& o) { o.kernel = "csr_rows"; }),
              "invalid_argument: kernel csr_rows is not for sm_90: it is for CPUs");
    EXPECT_EQ(with([](Options& o) { o.storage = "f64"; }), "no error");
    EXPECT_EQ(
        with([](Options& o) { o.storage = "c32"; }),
        "invalid_argument: options.storage c32 is not a narrower type of the numbers that the "
        "matrix has, f64: use f16 or bf16 for f32; these or f32 for f64; c32 for c64");
    EXPECT_THAT(with([](Options& o) { o.storage = "f8"; }),
                HasSubstr("invalid_argument: options.storage: unknown value type 'f8'"));
    EXPECT_EQ(with([](Options& o) { o.num_rhs = 0; }),
              "invalid_argument: options.num_rhs is 0: use 1…64");
    EXPECT_TRUE(log.memory.empty());
}

TEST_F(GpuHandle, WhatIsForGpusIsRefusedOnTheHost) {
    const auto with = [&](const std::function<void(Options&)>& change) {
        Options options;
        change(options);
        return code_and_text([&] { make_handle(Tiny().view(), options, fake.provider); });
    };
    EXPECT_EQ(with([](Options& o) { o.target = "sm_90"; }),
              "unsupported: options.target sm_90 cannot run here: sm_90 is not a CPU; use native");
    EXPECT_THAT(with([](Options& o) { o.device = "tpu:0"; }),
                HasSubstr("invalid_argument: 'tpu:0' is no device: use host, cuda:N or hip:N"));
    const Handle host = make_handle(Tiny().view(), {}, fake.provider);
    std::vector<double> y(3);
    const std::string refusal =
        "invalid_argument: apply: a stream is for GPUs only, but the handle's device is host";
    EXPECT_EQ(code_and_text([&] { host.apply(1.0, x.data(), 0.0, y.data(), stream(5)); }), refusal);
}

TEST_F(GpuHandle, RefusesWrongOperands) {
    const Handle handle = make();
    std::vector<double> y(3);
    std::vector<float> narrow(3);
    EXPECT_EQ(code_and_text([&] { handle.apply(1.0F, narrow.data(), 0.0F, narrow.data()); }),
              "invalid_argument: apply: the matrix is f64, but α, x, β and y are f32; use f64");
    EXPECT_EQ(code_and_text([&] { handle.apply<double>(1.0, nullptr, 0.0, y.data()); }),
              "invalid_argument: apply: x is null, but has 2 elements");
    EXPECT_EQ(code_and_text([&] { handle.apply(1.0, y.data() + 2, 0.0, y.data()); }),
              "invalid_argument: apply: x and y overlap; use different arrays");
    EXPECT_TRUE(log.launches.empty());
}

}  // namespace
}  // namespace spmvgen
