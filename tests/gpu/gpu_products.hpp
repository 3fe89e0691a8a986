#pragma once
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "devices/device.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/suites/gallery.hpp"
#include "measure/random_vector.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "spmvgen/spmvgen.hpp"
#include "verify/reference.hpp"

/// What the tests on a GPU share: the device, vectors in it, and checked products.
namespace spmvgen::gpu_tests {

/// The device that $SPMVGEN_TEST_DEVICE names, else cuda:0.
std::string device_text();
inline bool is_cuda() {
    return device_text().starts_with("cuda");
}

/// Skips where the device is not there, and says why.
class OnDevice : public testing::Test {
  protected:
    void SetUp() override;
    std::shared_ptr<Device> device_;
};

/// Registry ids of all GPU kernels but those that transpose.
std::vector<std::string> kernels();
/// A test name for a kernel id.
inline std::string id_of(const testing::TestParamInfo<std::string>& info) {
    return info.param;
}

/// All families of our gallery, a few thousand entries each.
const std::vector<std::string>& small_gallery();

/// Options for the device; kernels are compiled into memory.
Options options_for(const std::string& kernel);

/// A matrix with vectors in the device for one product at a time.
template <typename Value>
class Product {
  public:
    Product(const CsrMatrix& matrix, Device& device)
        : matrix_(convert_values(matrix.view(), type_tag<Value>::value)),
          device_(device),
          x_host_(count(matrix.cols)),
          y_host_(count(matrix.rows)),
          y_before_(count(matrix.rows)),
          x_(device.allocate(bytes(x_host_))),
          y_(device.allocate(bytes(y_host_))) {
        new_x(1);
    }

    CsrView view() const { return matrix_.view(); }
    const Value* x() const { return static_cast<const Value*>(x_->data()); }
    Value* y() const { return static_cast<Value*>(y_->data()); }

    /// Other numbers in x, here and there.
    void new_x(std::uint64_t seed) {
        fill_random(type_tag<Value>::value, x_host_.data(), matrix_.cols, seed);
        device_.copy_to_device(x_->data(), x_host_.data(), x_host_.size() * sizeof(Value));
    }
    /// Numbers in y, or NaN when β is zero: it must not be read then.
    void new_y(Value beta) {
        fill_random(type_tag<Value>::value, y_before_.data(), matrix_.rows, 99);
        if (beta == Value(0))
            std::memset(static_cast<void*>(y_before_.data()), 0xff,
                        y_before_.size() * sizeof(Value));
        device_.copy_to_device(y_->data(), y_before_.data(), y_before_.size() * sizeof(Value));
    }
    /// y as it is in the device now.
    const std::vector<Value>& fetch_y() {
        device_.copy_to_host(y_host_.data(), y_->data(), y_host_.size() * sizeof(Value));
        return y_host_;
    }
    /// What is wrong with y in the device; "" = nothing.
    std::string trouble(Value alpha, Value beta) {
        fetch_y();
        return check_product(matrix_.view(),
                             {&alpha, x_host_.data(), &beta, y_before_.data(), y_host_.data(), 1})
            .message;
    }
    /// One apply on the default stream, checked.
    std::string multiply(const Handle& handle, Value alpha, Value beta) {
        new_y(beta);
        handle.apply(alpha, x(), beta, y());
        device_.synchronize({});
        return trouble(alpha, beta);
    }

  private:
    static std::size_t count(std::int64_t n) { return static_cast<std::size_t>(n); }
    static std::size_t bytes(const std::vector<Value>& v) {
        return std::max<std::size_t>(v.size() * sizeof(Value), 1);
    }

    CsrMatrix matrix_;
    Device& device_;
    std::vector<Value> x_host_, y_host_, y_before_;
    std::unique_ptr<DeviceMemory> x_, y_;
};

/// Numbers that are neither 0 nor 1.
template <typename Value>
Value general(double number) {
    if constexpr (requires { typename Value::value_type; }) {
        using Real = typename Value::value_type;
        return Value(static_cast<Real>(number), static_cast<Real>(0.5));
    } else {
        return static_cast<Value>(number);
    }
}

}  // namespace spmvgen::gpu_tests
