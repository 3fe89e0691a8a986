#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fixtures.hpp"
#include "handle/conversion/conversion_on_device.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "matrix/features/features.hpp"
#include "matrix_on_device.hpp"
#include "registry.hpp"

namespace spmvgen {

/// Converts CSR that is on a device to a format, and holds the arrays against the host's.
class ConversionOnDeviceTest : public testing::TestWithParam<const char*> {
  public:
    /// A kernel's signature for a matrix on a device.
    static Signature signature_of(const Device& device, const CsrView& a, std::string kernel,
                                  Params params, std::optional<ValueType> storage = {}) {
        Signature s;
        s.kernel = std::move(kernel);
        s.value = a.value_type;
        s.storage = storage;
        s.index = a.index_type;
        s.offset = a.offset_type;
        s.params = std::move(params);
        s.target = device.facts().target;
        return complete(s);
    }

  protected:
    /// With the columns of each row in rising order.
    static fixtures::Fixture sorted(fixtures::Fixture f) {
        for (std::size_t row = 0; row + 1 < f.row_ptr.size(); ++row)
            std::sort(f.col_idx.begin() + f.row_ptr[row], f.col_idx.begin() + f.row_ptr[row + 1]);
        return f;
    }
    std::unique_ptr<ConversionOnDevice> begin(const OnDevice& there, const CsrView& a,
                                              const Signature& s) {
        MatrixOnDevice matrix{there.view(), a, features_of_rows(a).max_row};
        matrix.on_host.col_idx = matrix.on_host.values = nullptr;
        EXPECT_EQ(why_not_on_device(matrix, s), "");
        kernels_ = load_converters(
            KernelProvider::process(),
            {.mode = CacheMode::on, .directory = fixtures::cache_of_this_run()}, device_, s, a);
        return begin_conversion(*device_, kernels_, matrix, s);
    }
    std::string fault(const CsrView& a, const Signature& s) {
        const OnDevice there(*device_, a);
        return begin(there, a, s)->fault();
    }
    /// Converts on the device and on the host and compares.
    void expect_equal(const CsrView& a, const Signature& s) {
        SCOPED_TRACE(to_string(s));
        const OnDevice there(*device_, a);
        const auto conversion = begin(there, a, s);
        ASSERT_EQ(conversion->fault(), "");
        const StoredMatrix host = convert(a, s, false);
        const GpuMatrix gpu = conversion->store(s, 0);
        EXPECT_EQ(gpu.stored.format, host.format);
        EXPECT_EQ(gpu.stored.scalars, host.scalars);
        EXPECT_EQ(gpu.stored.stored, host.stored);
        EXPECT_EQ(gpu.stored.bytes, host.bytes);
        for (auto& [name, array] : host.arrays) {
            ASSERT_TRUE(gpu.stored.arrays.contains(name)) << name;
            const Buffer& expected = host_array(host, name);
            ASSERT_EQ(device_array(gpu, name).bytes(), expected.bytes()) << name;
            if (!is_read(name, s, host)) continue;
            std::vector<unsigned char> made(expected.bytes());
            device_->copy_to_host(made.data(), gpu.stored.arrays.at(name), made.size());
            const auto* bytes = static_cast<const unsigned char*>(expected.data());
            const auto wrong = std::mismatch(made.begin(), made.end(), bytes).first - made.begin();
            EXPECT_EQ(wrong, std::ssize(made)) << name << " differs at that byte";
        }
    }
    void expect_equal(const CsrView& a, const char* kernel, const Params& params,
                      std::optional<ValueType> storage = {}) {
        expect_equal(a, signature_of(*device_, a, kernel, params, storage));
    }

    std::shared_ptr<Device> device_ = open_device(GetParam());

  private:
    /// Whether a kernel reads the array: some exist in name only.
    static bool is_read(const std::string& array, const Signature& s, const StoredMatrix& m) {
        const auto value_of = [&](const char* name) {
            const auto found = s.params.find(name);
            return found != s.params.end() ? found->second : 0;
        };
        if (array == "row_order") return value_of("sigma") > 1;
        if (array == "values") return value_of("value_code") != 1;
        if (array == "coded_values") return value_of("value_code") % 2 == 1;
        if (array == "filled_rows") return value_of("gaps") == 1;
        if (array == "empty_rows") return m.scalars.at("num_empty") > 0;
        if (array.starts_with("part_")) return m.scalars.at("num_parts") > 0;
        if (array.starts_with("middle_")) return m.scalars.at("num_middle") > 0;
        return true;
    }

    static const Buffer& host_array(const StoredMatrix& m, const std::string& name) {
        return *std::ranges::find_if(m.owned,
                                     [&](auto& b) { return b.data() == m.arrays.at(name); });
    }

    static const DeviceMemory& device_array(const GpuMatrix& m, const std::string& name) {
        return **std::ranges::find_if(
            m.memory, [&](auto& memory) { return memory->data() == m.stored.arrays.at(name); });
    }

    ConversionKernels kernels_;  ///< outlive the conversion
};

}  // namespace spmvgen
