// Batch kernels with narrow storage, wider vectors and sums, and epilogues.
#include <gtest/gtest.h>

#include <cmath>

#include "batch_systems.hpp"
#include "modes.hpp"
#include "registry.hpp"
#include "spmvgen/batch.hpp"

namespace spmvgen {
namespace {

Options options_of(const std::string& kernel, const char* device) {
    Options o;
    o.device = device;
    o.kernel = kernel;
    o.cache_dir = fixtures::cache_of_this_run();
    o.strict = true;
    return o;
}

/// Small whole numbers, which every storage type holds exactly.
class WholeBatch : public testing::Test {
  protected:
    WholeBatch() {
        for (const char* name :
             {"every_length", "many_empty_rows", "zero_by_three", "one_by_one"}) {
            systems_.add(fixtures::find(name));
            auto& values = systems_.matrices.back().values;
            for (std::size_t k = 0; k < values.size(); ++k)
                values[k] = static_cast<float>(k * 7 % 31) - 15;
        }
        for (auto& view : systems_.views) {
            const auto first = x_.size();
            for (std::int64_t j = 0; j < view.cols; ++j)
                x_.push_back(static_cast<float>(j % 13) - 6);
            for (std::int64_t row = 0; row < view.rows; ++row) {
                float sum = 0;
                for (std::int64_t k = view.row_begin(row); k < view.row_begin(row + 1); ++k)
                    sum += view.values_as<float>()[k] *
                           x_[first + static_cast<std::size_t>(view.col(k))];
                product_.push_back(sum);
            }
        }
    }
    Systems<float> systems_;
    std::vector<float> x_, product_;
};
class BatchTypes : public WholeBatch, public testing::WithParamInterface<std::string> {};

std::vector<std::string> batch_kernel_ids() {
    std::vector<std::string> ids;
    for (auto& entry : kernel_registry())
        if (entry.batch) ids.emplace_back(entry.id);
    return ids;
}
INSTANTIATE_TEST_SUITE_P(, BatchTypes, testing::ValuesIn(batch_kernel_ids()),
                         [](auto& test) { return test.param; });

/// Of a GPU's two widths one, another for the other `test`; the long tests have both.
std::vector<const char*> devices_of(const std::string& kernel, int test) {
    if (!kernel_entry(kernel).gpu) return {"host"};
    if (fixtures::is_every_mode_wanted()) return {"simt:sm_90", "simt:gfx906"};
    return {test == 0 ? "simt:sm_90" : "simt:gfx906"};
}

TEST_P(BatchTypes, ComputeWithNarrowStorageAndApplyEpilogues) {
    for (const char* device : devices_of(GetParam(), 0)) {
        Options o = options_of(GetParam(), device);
        for (const char* storage : {"f16", "bf16"}) {
            o.storage = storage;
            std::vector<float> y(product_.size(), NAN);
            BatchHandle(systems_.views, o).apply(1.0F, x_.data(), 0.0F, y.data());
            EXPECT_EQ(y, product_) << storage;
        }
        o.storage = "";
        o.epilogue = "2 * fmax(value, 0) + row";
        std::vector<float> y(product_.size(), 1);
        const BatchHandle handle(systems_.views, o);
        handle.apply(1.0F, x_.data(), 1.0F, y.data());
        for (std::size_t i = 0; i < y.size(); ++i)
            EXPECT_EQ(y[i], 2 * std::max(product_[i] + 1, 0.0F) + static_cast<float>(i)) << i;
        handle.apply(0.0F, x_.data(), 0.0F, y.data());
        for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], static_cast<float>(i));
    }
}

/// f64 vectors that f32 could not hold, and f64 sums of f32 vectors.
TEST_P(BatchTypes, ComputeWithWiderVectorsAndSums) {
    constexpr double step = 1 + 0x1p-40;
    const std::vector<double> x(x_.begin(), x_.end());
    std::vector<double> fine;
    for (const double element : x) fine.push_back(element * step);
    for (const char* device : devices_of(GetParam(), 1)) {
        Options o = options_of(GetParam(), device);
        o.accumulator = "f64";
        std::vector<float> sums(product_.size(), NAN);
        BatchHandle(systems_.views, o).apply(1.0F, x_.data(), 0.0F, sums.data());
        EXPECT_EQ(sums, product_);
        o.vectors = "f64";
        std::vector<double> y(product_.size(), NAN);
        const BatchHandle handle(systems_.views, o);
        handle.apply(1.0, fine.data(), 0.0, y.data());
        for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], product_[i] * step) << i;
        EXPECT_EQ(handle.info().storage, "f32");
    }
}

TEST_F(WholeBatch, TheGenericLoopTakesThemAll) {
    Options o;
    o.cache = CacheMode::off;
    o.storage = "f16";
    o.vectors = "f64";
    const std::vector<double> x(x_.begin(), x_.end());
    std::vector<double> y(product_.size(), NAN);
    BatchHandle(systems_.views, o).apply(1.0, x.data(), 0.0, y.data());
    EXPECT_EQ(y, std::vector<double>(product_.begin(), product_.end()));
}

}  // namespace
}  // namespace spmvgen
