// Every batch kernel on a device: types, modes of α and β, every value of every parameter, each
// element of each product checked against the compensated reference.
#include <algorithm>

#include "gpu_products.hpp"
#include "spmvgen/batch.hpp"

namespace spmvgen::gpu_tests {
namespace {

/// Stands for a matrix without entries: no rows but columns, or empty rows.
constexpr const char* no_rows = "no rows";
constexpr const char* empty_rows = "empty rows";

CsrMatrix make_system(const std::string& name) {
    if (name != no_rows && name != empty_rows) return make_gallery_matrix(name);
    CsrMatrix matrix;
    matrix.rows = name == no_rows ? 0 : 70;
    matrix.cols = 9;
    matrix.row_ptr = make_buffer<std::int32_t>(matrix.rows + 1);
    std::ranges::fill(matrix.row_ptr.as<std::int32_t>(), 0);
    return matrix;
}

/// What batches are made of: all families of the gallery, nothing at all, and systems whose x fits
/// in no shared memory.
std::vector<std::string> all_sorts() {
    std::vector<std::string> names = small_gallery();
    names.insert(names.end(), {no_rows, empty_rows, "random:rows=1,cols=1,per_row=1",
                               "random:rows=3000,cols=20000", "arrow:n=9000"});
    return names;
}

/// A batch with its vectors in the device.
template <typename Value>
class BatchProduct {
  public:
    BatchProduct(const std::vector<std::string>& names, Device& device) : device_(device) {
        for (auto& name : names) {
            matrices_.push_back(convert_values(make_system(name).view(), type_tag<Value>::value));
            rows_ += matrices_.back().rows;
            cols_ += matrices_.back().cols;
        }
        for (auto& matrix : matrices_) views_.push_back(matrix.view());
        x_host_.resize(static_cast<std::size_t>(cols_));
        fill_random(type_tag<Value>::value, x_host_.data(), cols_, 1);
        x_ = device.allocate(x_host_.size() * sizeof(Value));
        y_ = device.allocate(static_cast<std::size_t>(rows_) * sizeof(Value));
        device.copy_to_device(x_->data(), x_host_.data(), x_host_.size() * sizeof(Value));
    }

    const std::vector<CsrView>& views() const { return views_; }

    /// y after one apply; NaN before it when β = 0.
    std::vector<Value> multiply(const BatchHandle& handle, Value alpha, Value beta,
                                std::vector<Value>& before) const {
        before.resize(static_cast<std::size_t>(rows_));
        fill_random(type_tag<Value>::value, before.data(), rows_, 99);
        if (beta == Value(0))
            std::memset(static_cast<void*>(before.data()), 0xff, before.size() * sizeof(Value));
        device_.copy_to_device(y_->data(), before.data(), before.size() * sizeof(Value));
        handle.apply(alpha, static_cast<const Value*>(x_->data()), beta,
                     static_cast<Value*>(y_->data()));
        device_.synchronize({});
        std::vector<Value> after(before.size());
        device_.copy_to_host(after.data(), y_->data(), after.size() * sizeof(Value));
        return after;
    }

    void check(const BatchHandle& handle, Value alpha, Value beta) const {
        std::vector<Value> before;
        const std::vector<Value> after = multiply(handle, alpha, beta, before);
        for (std::size_t i = 0; i < views_.size(); ++i) {
            const auto system = static_cast<std::int64_t>(i);
            const auto x = handle.x_offset(system), y = handle.y_offset(system);
            EXPECT_EQ(check_product(views_[i], {&alpha, x_host_.data() + x, &beta,
                                                before.data() + y, after.data() + y, 1})
                          .message,
                      "")
                << handle.info().kernel << " α=" << alpha << " β=" << beta << " system " << i;
        }
    }

  private:
    Device& device_;
    std::vector<CsrMatrix> matrices_;
    std::vector<CsrView> views_;
    std::int64_t rows_ = 0, cols_ = 0;
    std::vector<Value> x_host_;
    std::unique_ptr<DeviceMemory> x_, y_;
};

std::vector<std::string> batch_kernels() {
    std::vector<std::string> ids;
    for (auto& entry : kernel_registry())
        if (entry.gpu && entry.batch) ids.emplace_back(entry.id);
    return ids;
}

class GpuBatches : public OnDevice, public testing::WithParamInterface<std::string> {
  protected:
    template <typename Value>
    void check_modes() {
        const BatchProduct<Value> product(all_sorts(), *device_);
        const BatchHandle handle(product.views(), options_for(GetParam()));
        for (const double a : {1.0, -1.5, 0.0})
            for (const double b : {0.0, 1.0, 2.5})
                product.check(handle, a == -1.5 ? general<Value>(a) : static_cast<Value>(a),
                              b == 2.5 ? general<Value>(b) : static_cast<Value>(b));
    }
};
INSTANTIATE_TEST_SUITE_P(, GpuBatches, testing::ValuesIn(batch_kernels()), id_of);

TEST_P(GpuBatches, AllModesInF64) {
    check_modes<double>();
}
TEST_P(GpuBatches, AllModesInF32) {
    check_modes<float>();
}
TEST_P(GpuBatches, AllModesInC64) {
    check_modes<std::complex<double>>();
}

/// What compute-sanitizer, which is slow, runs.
TEST_P(GpuBatches, Quick) {
    const BatchProduct<double> product(
        {"fem:nx=9,ny=8", "powerlaw:n=600,max_row=500", no_rows, "random:rows=3000,cols=20000"},
        *device_);
    const BatchHandle handle(product.views(), options_for(GetParam()));
    product.check(handle, 1, 0);
    product.check(handle, -1.5, 2.5);
}

TEST_P(GpuBatches, EveryValueOfEveryParameter) {
    const BatchProduct<double> product(all_sorts(), *device_);
    for (auto& p : kernel_entry(GetParam()).params)
        for (const std::int64_t value : p.allowed) {
            if (p.within_wavefront && value > device_->facts().target.wavefront) continue;
            Options options = options_for(GetParam());
            options.params = {{p.name, value}};
            try {
                product.check(BatchHandle(product.views(), options), 1, 2.5);
            } catch (const Error& error) {
                // Sizes of x that f32 alone has room for.
                EXPECT_EQ(p.name, "shared_x") << error.what();
                EXPECT_GE(value * 8, 40 * 1024) << error.what();
            }
        }
}

TEST_P(GpuBatches, TheSameBitsEachTime) {
    const BatchProduct<double> product(all_sorts(), *device_);
    const BatchHandle handle(product.views(), options_for(GetParam()));
    std::vector<double> before;
    const std::vector<double> first = product.multiply(handle, 1, 2.5, before);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(product.multiply(handle, 1, 2.5, before), first);
}

/// A pattern that is stored once, a matrix that is, and as a product with many right-hand sides.
TEST_P(GpuBatches, SystemsThatShare) {
    const BatchProduct<double> product(std::vector<std::string>(70, "fem:nx=9,ny=8"), *device_);
    const BatchHandle same(product.views(), options_for(GetParam()));
    EXPECT_EQ(same.kind(), BatchKind::one_matrix);
    product.check(same, 1, 2.5);
    std::vector<std::string> seeds;
    for (int i = 0; i < 20; ++i) seeds.push_back("fem:nx=9,ny=8,seed=" + std::to_string(i));
    const BatchProduct<double> similar(seeds, *device_);
    const BatchHandle handle(similar.views(), options_for(GetParam()));
    EXPECT_EQ(handle.kind(), BatchKind::shared_pattern);
    similar.check(handle, 1, 2.5);
}

}  // namespace
}  // namespace spmvgen::gpu_tests
