// New values of matrices that are stored encoded: a GPU looks at them and puts them in their
// places, a CPU walks the places that the first update found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <ostream>

#include "any_matrix.hpp"
#include "arrays_on_device.hpp"
#include "handle/base/handle_impl.hpp"
#include "handle/kernels/kernel_provider.hpp"

namespace spmvgen {
namespace {

using Doubles = std::vector<double>;
using testing::HasSubstr;

/// A kernel that stores values in fewer bytes.
struct Encoded {
    std::string kernel;
    Params params;
    std::string name;  ///< part of the kernel's name
    double unit;       ///< of the values: integers of it
    bool equal = false;

    friend std::ostream& operator<<(std::ostream& out, const Encoded& e) {
        return out << e.kernel << e.name;
    }
};

class EncodedUpdatesTest : public testing::TestWithParam<Encoded> {
  protected:
    /// Values that the encoding holds.
    Doubles numbers(int salt) const {
        Doubles made = a_.numbers(salt);
        for (double& value : made)
            value = GetParam().unit * (GetParam().equal ? 1.0 + salt : value);
        return made;
    }
    Options options(const std::string& device) const {
        Options o = options_for(device);
        o.kernel = GetParam().kernel;
        o.params = GetParam().params;
        return o;
    }
    Doubles product_of(const Handle& handle) const {
        const Doubles x = a_.x();
        Doubles y(x.size(), 1);
        handle.apply(1.0, x.data(), 0.0, y.data());
        return y;
    }
    /// Of a handle that was made with these values.
    Doubles product_of(const Doubles& values, const std::string& device) {
        AnyMatrix<double> fresh = a_;
        fresh.values = values;
        return product_of(Handle(fresh.view(), options(device)));
    }
    /// The same of values that the encoding may not hold.
    Doubles product_of_all(const Doubles& values, const std::string& device) {
        AnyMatrix<double> fresh = a_;
        fresh.values = values;
        Options o = options(device);
        o.params.erase("value_code");
        o.encodings = "none";
        return product_of(Handle(fresh.view(), o));
    }
    /// The handle's first new values find out where each goes; the second ones come here no more.
    void check(Handle& handle, CountingDevice& device,
               const std::function<void(const Doubles&)>& update) {
        EXPECT_THAT(handle.info().kernel, HasSubstr(GetParam().name));
        EXPECT_EQ(product_of(handle), product_of(numbers(0), device.facts().text));
        std::size_t came_here = 0;
        for (const int salt : {1, 2}) {
            device.came_here = 0;
            device.launches = 0;
            update(numbers(salt));
            EXPECT_EQ(handle.info().widened, 0);
            came_here = device.came_here;
            EXPECT_GE(device.launches, 2) << "a look at all values, and one step more";
            EXPECT_EQ(product_of(handle), product_of(numbers(salt), device.facts().text));
        }
        EXPECT_LT(came_here, 17'000) << "of " << 8 * a_.values.size() << " bytes: the traits";
    }

    static constexpr std::int64_t rows = 85'000;  ///< so many that values are looked at
    AnyMatrix<double> a_{rows};
};

INSTANTIATE_TEST_SUITE_P(
    , EncodedUpdatesTest,
    testing::Values(Encoded{"csr_classical", {}, "_sbf16_", 0.5},
                    Encoded{"csr_by_length", {}, "_sbf16_", 1},
                    Encoded{"csr_classical", {}, "_sf16_", 1 + 0x1p-8},
                    Encoded{"sell_slices", {}, "_sbf16_", 0.5},
                    Encoded{"sell_slices", {}, "_sf32_", 1 + 0x1p-20},
                    Encoded{"strips", {{"value_code", 1}}, "_value_code1", 1},
                    Encoded{"strips", {{"value_code", 2}}, "_value_code2", 0.1, true},
                    Encoded{"strips", {{"value_code", 3}}, "_value_code3", 0.1},
                    Encoded{"tiles", {{"value_code", 1}}, "_value_code1", 1},
                    Encoded{"tiles", {{"value_code", 3}}, "_value_code3", 0.1}),
    [](auto& test) {
        return test.param.kernel + test.param.name.substr(0, 12) + std::to_string(test.index);
    });

TEST_P(EncodedUpdatesTest, StayOnTheDevice) {
    for (const char* text : {"simt:sm_90", "simt:gfx906"}) {
        SCOPED_TRACE(text);
        const auto device = std::make_shared<CountingDevice>(text);
        const There there(*device, [&] {
            AnyMatrix<double> a = a_;
            a.values = numbers(0);
            return a;
        }());
        Options o = options(text);
        o.device_arrays = true;
        Handle handle = make_handle(there.view, o, KernelProvider::process(), device);
        check(handle, *device, [&](const Doubles& values) {
            const auto fresh = There::put(*device, values);
            handle.update_values(static_cast<const double*>(fresh->data()));
        });
        Doubles wide = numbers(3);
        wide.back() = 1.0 / 3 + 1e-9;
        wide.front() = 0.7;
        const auto fresh = There::put(*device, wide);
        handle.update_values(static_cast<const double*>(fresh->data()));
        const bool lists_all = GetParam().name == "_value_code3";
        EXPECT_EQ(handle.info().widened, lists_all ? 0 : 1);
        EXPECT_EQ(product_of(handle), product_of_all(wide, text));
    }
}

TEST_P(EncodedUpdatesTest, FromTheHostAreCodedOnTheDevice) {
    const auto device = std::make_shared<CountingDevice>("simt:sm_90");
    a_.values = numbers(0);
    Handle handle =
        make_handle(a_.view(), options("simt:sm_90"), KernelProvider::process(), device);
    check(handle, *device, [&](const Doubles& values) { handle.update_values(values.data()); });
}

TEST(EncodedUpdatesOnACpu, FindTheirPlacesOnce) {
    const AnyMatrix<double> a(34'000);
    for (const int code : {1, 2, 3}) {
        SCOPED_TRACE(code);
        const auto numbers = [&](int salt) {
            Doubles made = a.numbers(salt);
            for (double& value : made)
                value = code == 2 ? 0.1 + salt : (code == 3 ? 0.1 : 1) * value;
            return made;
        };
        Options o = options_for("host");
        o.kernel = "strips_cpu";
        o.params = {{"value_code", code}};
        const auto product_of = [&](const Handle& handle) {
            const Doubles x = a.x();
            Doubles y(x.size(), 1);
            handle.apply(1.0, x.data(), 0.0, y.data());
            return y;
        };
        const auto made_of = [&](const Doubles& values) {
            AnyMatrix<double> with = a;
            with.values = values;
            return Handle(with.view(), o);
        };
        Handle handle = made_of(numbers(0));
        const std::int64_t before = handle.info().update_bytes;
        for (const int salt : {1, 2}) {
            handle.update_values(numbers(salt).data());
            EXPECT_EQ(product_of(handle), product_of(made_of(numbers(salt))));
            EXPECT_EQ(handle.info().widened, 0);
            const std::int64_t places = code == 2 ? 0 : 4 * std::ssize(a.values);
            EXPECT_EQ(handle.info().update_bytes, before + places);
        }
    }
}

/// Padding takes little where values are codes: of values the same format would be too large.
TEST(EncodedUpdatesOfPaddedRows, FindTheirPlaces) {
    for (const char* device : {"host", "simt:sm_90"}) {
        SCOPED_TRACE(device);
        const bool host = std::string(device) == "host";
        std::vector<int> row_ptr{0}, col_idx;
        for (int row = 0; row < 19000; ++row) {
            for (int k = 0; k < (row % 2 == 0 ? 24 : 1); ++k) col_idx.push_back(row + k);
            row_ptr.push_back(static_cast<int>(col_idx.size()));
        }
        Doubles values(col_idx.size());
        const auto fill = [&](double unit) {
            for (std::size_t k = 0; k < values.size(); ++k)
                values[k] = unit * (1 + static_cast<double>(k % 5));
        };
        fill(0.37);
        Options o = options_for(device);
        o.kernel = host ? "strips_cpu" : "strips";
        o.params = {{"sigma", 1}, {"value_code", 3}, {host ? "lanes" : "slice", host ? 8 : 32}};
        Handle handle(csr_view(19000, 19100, row_ptr.data(), col_idx.data(), values.data()), o);
        const Doubles x(19100, 1.0);
        Doubles y(19000), expected(19000);
        for (const double unit : {0.37, 0.11}) {
            fill(unit);
            if (unit != 0.37) handle.update_values(values.data());
            handle.apply(1.0, x.data(), 0.0, y.data());
            for (std::size_t row = 0; row < expected.size(); ++row) {
                expected[row] = 0;
                for (int k = row_ptr[row]; k < row_ptr[row + 1]; ++k)
                    expected[row] += values[static_cast<std::size_t>(k)];
            }
            EXPECT_THAT(y, testing::Pointwise(testing::DoubleNear(1e-12), expected));
        }
    }
}

}  // namespace
}  // namespace spmvgen
