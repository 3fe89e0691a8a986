#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "control.hpp"
#include "device_kernels.hpp"

namespace spmvgen {

/// Tests against the stand-in for one vendor's library: nothing may be misused, and nothing may
/// live in it in the end.
class VendorFixture : public ::testing::Test {
  public:
    explicit VendorFixture(bool is_cuda)
        : cuda(is_cuda),
          standin(is_cuda ? *spmvgen_standin_cuda() : *spmvgen_standin_hip()),
          library_(is_cuda ? "SPMVGEN_CUDA_LIBRARY" : "SPMVGEN_HIP_LIBRARY", SPMVGEN_STANDIN) {}

  protected:
    void SetUp() override { standin.reset({.archs = {arch(), arch()}}); }
    void TearDown() override {
        EXPECT_EQ(standin.misuse(), "");
        EXPECT_EQ(standin.alive(), "");
    }

    std::string arch() const { return cuda ? "sm_90" : "gfx90a:sramecc+:xnack-"; }
    std::string text(int number = 0) const {
        return (cuda ? "cuda:" : "hip:") + std::to_string(number);
    }
    std::shared_ptr<Device> device(int number = 0) const { return open_device(text(number)); }
    BinaryKind kind() const { return cuda ? BinaryKind::cubin : BinaryKind::hsaco; }
    KernelBinary binary(std::initializer_list<std::string> symbols) const {
        return test_binary(arch(), kind(), symbols);
    }
    /// "io: cuda:0: "
    std::string io() const { return "io: " + text() + ": "; }
    std::string kernel_name() const { return "kernel test_f64_i32_o32_a1_b0_k1@" + arch(); }
    /// The vendor's name of a call.
    std::string name(const char* of_cuda, const char* of_hip) const {
        return cuda ? of_cuda : of_hip;
    }
    /// "out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2)"
    std::string out_of_memory() const {
        return cuda ? "out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2)"
                    : "out of memory (hipErrorOutOfMemory, 2)";
    }
    /// The same for 999, which the stand-in has no text for.
    std::string unknown() const {
        return cuda ? "an error that the driver has no text for (999)"
                    : "unknown error (hipErrorUnknown, 999)";
    }

    const bool cuda;
    standin::StandIn& standin;

  private:
    ScopedEnv library_;
};

/// What CUDA and HIP have in common: each test once for each; the parameter: whether it is CUDA.
class VendorDevice : public VendorFixture, public ::testing::WithParamInterface<bool> {
  public:
    VendorDevice() : VendorFixture(GetParam()) {}

    /// y + 2x on `own`, with x in the memory of `other`.
    std::vector<double> axpy(Device& own, Device& other) const {
        const auto x = upload<double>(other, {1, 2, 3});
        const auto y = upload<double>(own, {10, 20, 30});
        const auto kernel = own.load(binary({"axpy"}));
        launch(own, *kernel, {{1, 1}, 64, 0}, 3l, 2.0, x->data(), y->data());
        own.synchronize({});
        return download<double>(own, *y);
    }
    const std::vector<double> sum{12, 24, 36};
};

}  // namespace spmvgen
