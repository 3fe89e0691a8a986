// Handles of GPUs with the generator's kernels and the SIMT executor for a device: what a user
// does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "devices/device.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/suites/gallery.hpp"
#include "measure/random_vector.hpp"
#include "registry.hpp"
#include "spmvgen/spmvgen.hpp"
#include "verify/reference.hpp"

namespace spmvgen {
namespace {

struct Case {
    std::string kernel, device;
};
void PrintTo(const Case& c, std::ostream* out) {
    *out << c.kernel << " on " << c.device;
}

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (auto& entry : kernel_registry())
        if (entry.gpu && is_plain_product(entry))
            for (const char* device : {"simt:sm_90", "simt:gfx906"})
                cases.push_back({std::string(entry.id), device});
    return cases;
}

Options options_of(const Case& c) {
    Options options;
    options.device = c.device;
    options.kernel = c.kernel;
    options.cache = CacheMode::memory;
    return options;
}

/// Device memory with the numbers of `host`.
std::unique_ptr<DeviceMemory> put(Device& device, const Buffer& host) {
    auto memory = device.allocate(host.bytes());
    device.copy_to_device(memory->data(), host.data(), host.bytes());
    return memory;
}

Buffer random_vector(ValueType type, std::int64_t count, std::uint64_t seed) {
    Buffer data(static_cast<std::size_t>(count) * size_of(type));
    fill_random(type, data.data(), count, seed);
    return data;
}

/// y = αAx + βy with a handle of these options, held against the reference.
void check(const CsrMatrix& a, const Options& options, const Handle& handle, double alpha,
           double beta) {
    const std::shared_ptr<Device> device = open_device(options.device);
    const ValueType type = a.value_type;
    const Buffer x = random_vector(type, a.cols * options.num_rhs, 1);
    const Buffer before = random_vector(type, a.rows * options.num_rhs, 2);
    Buffer y(before.bytes());
    if (beta == 0)
        std::ranges::fill(y.as<std::uint8_t>(), std::uint8_t{0xff});
    else if (y.bytes() > 0)
        std::memcpy(y.data(), before.data(), y.bytes());
    const auto x_there = put(*device, x), y_there = put(*device, y);
    dispatch(type, [&](auto tag) {
        using Value = decltype(tag);
        const auto in_type = [](double s) {
            if constexpr (std::is_floating_point_v<Value>)
                return static_cast<Value>(s);
            else
                return Value(static_cast<typename Value::value_type>(s));
        };
        const Value a_typed = in_type(alpha), b_typed = in_type(beta);
        handle.apply(type, &a_typed, x_there->data(), &b_typed, y_there->data());
        device->synchronize({});
        device->copy_to_host(y.data(), y_there->data(), y.bytes());
        const CheckResult result = check_product(a.view(), {.alpha = &a_typed,
                                                            .x = x.data(),
                                                            .beta = &b_typed,
                                                            .y_before = before.data(),
                                                            .y_after = y.data(),
                                                            .num_rhs = options.num_rhs});
        EXPECT_TRUE(result.passed) << handle.info().kernel << ", α = " << alpha << ", β = " << beta
                                   << ": " << result.message;
    });
}

class SimtHandle : public testing::TestWithParam<Case> {};

std::string case_name(const testing::TestParamInfo<Case>& info) {
    std::string name = info.param.kernel + "_" + info.param.device;
    std::ranges::replace(name, ':', '_');
    return name;
}
INSTANTIATE_TEST_SUITE_P(, SimtHandle, testing::ValuesIn(all_cases()), case_name);

/// The table of kernels has the modes; these are y = Ax, αAx + βy and βy, and with
/// $SPMVGEN_EVERY_MODE, as the long tests have it, all.
TEST_P(SimtHandle, MultipliesInItsModes) {
    const bool every = std::getenv("SPMVGEN_EVERY_MODE") != nullptr;
    const CsrMatrix a = make_gallery_matrix("powerlaw:n=700,max_row=600,seed=3");
    const Options options = options_of(GetParam());
    const Handle handle(a.view(), options);
    EXPECT_THAT(handle.info().origin, testing::AnyOf("compiled", "memory"))
        << "memory where an earlier test of this process made the kernel";
    for (const double alpha : {1.0, 0.0, -2.0})
        for (const double beta : {0.0, 1.0, 3.0})
            if (every || beta == (alpha == 1 ? 0 : 3)) check(a, options, handle, alpha, beta);
}

TEST_P(SimtHandle, DeterministicSingleComplexAndSeveralRightHandSides) {
    const CsrMatrix a = make_gallery_matrix("powerlaw:n=300,max_row=250,seed=4");
    for (const ValueType type : {ValueType::f32, ValueType::c64}) {
        const CsrMatrix typed = convert_values(a.view(), type);
        Options options = options_of(GetParam());
        options.deterministic = true;
        options.num_rhs = 3;
        const Handle handle(typed.view(), options);
        EXPECT_TRUE(handle.info().deterministic);
        check(typed, options, handle, 1, 0);
        check(typed, options, handle, 2, -1);
    }
}

TEST_P(SimtHandle, DegenerateShapes) {
    const std::vector<int> row_ptr(4, 0);
    const std::array<CsrView, 3> shapes{
        csr_view<double, int, int>(0, 3, nullptr, nullptr, nullptr),
        csr_view<double, int, int>(3, 0, row_ptr.data(), nullptr, nullptr),
        csr_view<double, int, int>(3, 2, row_ptr.data(), nullptr, nullptr)};
    for (auto& shape : shapes) {
        const Handle handle(shape, options_of(GetParam()));
        const std::shared_ptr<Device> device = open_device(GetParam().device);
        Buffer x(16), y(24);
        std::ranges::fill(x.as<double>(), 1);
        std::ranges::fill(y.as<double>(), 5);
        const auto x_there = put(*device, x), y_there = put(*device, y);
        handle.apply(1.0, static_cast<const double*>(x_there->data()), 2.0,
                     static_cast<double*>(y_there->data()));
        device->copy_to_host(y.data(), y_there->data(), y.bytes());
        for (const double element : y.as<double>()) EXPECT_EQ(element, shape.rows > 0 ? 10 : 5);
    }
}

}  // namespace
}  // namespace spmvgen
