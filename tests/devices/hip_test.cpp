// What is HIP's own, against the stand-in.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "vendor_fixture.hpp"

extern "C" {
int hipSetDevice(int device);
int hipGetDevice(int* device);
}

namespace spmvgen {
namespace {

class HipDevice : public VendorFixture {
  public:
    HipDevice() : VendorFixture(false) {}

  protected:
    int current() {
        int device = -1;
        hipGetDevice(&device);
        return device;
    }
};

TEST_F(HipDevice, TheCurrentDeviceIsLeftAsItWas) {
    for (const int before : {0, 1}) {
        ASSERT_EQ(hipSetDevice(before), 0);
        for (const int number : {0, 1}) {
            const auto own = device(number);
            const auto memory = upload<int>(*own, {1, 2});
            const auto kernel = own->load(binary({"block_sum"}));
            launch(*own, *kernel, {{1, 1}, 1, 16}, memory->data());
            EXPECT_EQ(download<int>(*own, *memory)[1], 64);
            EXPECT_EQ(current(), before);
        }
        EXPECT_EQ(current(), before);
    }
}

TEST_F(HipDevice, TargetsWithFeatures) {
    for (const char* arch : {"gfx906:sramecc+:xnack-", "gfx90a:sramecc+:xnack-", "gfx1030",
                             "gfx942:sramecc+:xnack+"}) {
        standin.reset({.archs = {arch}});
        EXPECT_EQ(target_id(device()->facts().target), arch);
    }
}

TEST_F(HipDevice, ArchitecturesThatTheTableLacks) {
    standin.reset({.archs = {"gfx803"}});
    EXPECT_EQ(
        error_of([&] { device(); }),
        "unsupported: hip:0 (Stand-in 0): it is gfx803, and there is no code for that: unknown "
        "architecture 'gfx803': use one of native, x86-64-v2, x86-64-v3, x86-64-v4, aarch64, "
        "sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_120, gfx906, gfx908, gfx90a, gfx942, "
        "gfx1030, gfx1100, gfx1201");
    standin.reset({.archs = {""}});
    EXPECT_EQ(error_of([&] { device(); }),
              "unsupported: hip:0 (Stand-in 0): hipGetDevicePropertiesR0600 does not say which "
              "architecture it is");
    standin.reset({.archs = {"gfx906"}});
    standin.fail_next("hipGetDevicePropertiesR0600", 1);
    EXPECT_EQ(error_of([&] { device(); }),
              "io: hip:0: hipGetDevicePropertiesR0600: invalid argument (hipErrorInvalidValue, 1)");
}

// Features that code was compiled for must be the device's; those that it leaves open need not.
TEST_F(HipDevice, FeaturesOfBinaries) {
    const auto own = device();
    const auto loads = [&](const char* target) {
        return error_of([&] { own->load(test_binary(target, BinaryKind::hsaco, {"axpy"})); });
    };
    const std::string none = "nothing was thrown";
    EXPECT_EQ(loads("gfx90a"), none);
    EXPECT_EQ(loads("gfx90a:xnack-"), none);
    EXPECT_EQ(loads("gfx90a:sramecc+"), none);
    EXPECT_EQ(loads("gfx90a:sramecc+:xnack-"), none);
    EXPECT_EQ(loads("gfx90a:xnack+"),
              "unsupported: hip:0: kernel test_f64_i32_o32_a1_b0_k1@gfx90a:xnack+: it is for "
              "gfx90a:xnack+, Stand-in 0 is gfx90a:sramecc+:xnack-");
    EXPECT_NE(loads("gfx908"), none);
}

TEST_F(HipDevice, NoMoreThreadsThanHipTakes) {
    const auto own = device();
    const auto kernel = own->load(binary({"block_sum"}));
    void* none[] = {nullptr};
    EXPECT_EQ(error_of([&] { own->launch(*kernel, 0, {{16777216, 1}, 256, 0}, none, {}); }),
              "invalid_argument: hip:0: launch of step 0 of " + kernel_name() +
                  ": a grid of 16777216 blocks of 256 threads; AMD's devices take 16777215 such "
                  "blocks; split the matrix by rows and apply the parts one after another");
}

// That library has no hipGetDevicePropertiesR0600, and is another one with a state of its own.
TEST(HipOfRocm5, TheArchitectureIsFoundInTheOlderLayout) {
    const ScopedEnv environment("SPMVGEN_HIP_LIBRARY", SPMVGEN_STANDIN_ROCM5);
    void* const library = dlopen(SPMVGEN_STANDIN_ROCM5, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto get =
        reinterpret_cast<decltype(&spmvgen_standin_hip)>(dlsym(library, "spmvgen_standin_hip"));
    ASSERT_NE(get, nullptr);
    standin::StandIn& standin = *get();
    ASSERT_NE(&standin, spmvgen_standin_hip());
    standin.reset({.archs = {"gfx908:sramecc+:xnack-"}});
    EXPECT_EQ(target_id(open_device("hip:0")->facts().target), "gfx908:sramecc+:xnack-");
    EXPECT_THAT(standin.calls(), testing::HasSubstr(" hipGetDeviceProperties "));
    dlclose(library);
}

}  // namespace
}  // namespace spmvgen
