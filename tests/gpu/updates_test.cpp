// New numbers, matrices whose arrays are on the device, and workspaces of the caller's.
#include "gpu_products.hpp"
#include "peers/cuda_driver.hpp"

namespace spmvgen::gpu_tests {
namespace {

constexpr const char* small_odd_matrix = "powerlaw:n=4000,max_row=1500";

/// The matrix with other values at the same places.
CsrMatrix with_other_values(const CsrMatrix& matrix, std::uint64_t seed) {
    CsrMatrix other = convert_values(matrix.view(), ValueType::f64);
    fill_random(ValueType::f64, other.values.data(), other.nnz, seed);
    return other;
}

class GpuUpdates : public OnDevice, public testing::WithParamInterface<std::string> {
  protected:
    std::unique_ptr<DeviceMemory> put(const void* host, std::size_t bytes) {
        auto memory = device_->allocate(bytes);
        device_->copy_to_device(memory->data(), host, bytes);
        return memory;
    }
    const CsrMatrix first_ = with_other_values(make_gallery_matrix(small_odd_matrix), 21);
    const CsrMatrix second_ = with_other_values(first_, 22);
};

TEST_P(GpuUpdates, QuickNewNumbersAreMultiplied) {
    Product<double> one(first_, *device_), two(second_, *device_);
    Handle handle(one.view(), options_for(GetParam()));
    EXPECT_EQ(one.multiply(handle, 1, 0), "");
    EXPECT_EQ(one.multiply(handle, -1.5, 2.5), "");
    handle.update_values(two.view().values_as<double>());
    EXPECT_EQ(two.multiply(handle, 1, 0), "");
    EXPECT_EQ(two.multiply(handle, -1.5, 2.5), "");
}

TEST_P(GpuUpdates, QuickArraysOnTheDevice) {
    Product<double> one(first_, *device_), two(second_, *device_);
    const auto row_ptr = put(first_.row_ptr.data(), first_.row_ptr.bytes());
    const auto col_idx = put(first_.col_idx.data(), first_.col_idx.bytes());
    const auto values = put(first_.values.data(), first_.values.bytes());
    const auto fresh = put(second_.values.data(), second_.values.bytes());
    CsrView there = first_.view();
    there.row_ptr = row_ptr->data();
    there.col_idx = col_idx->data();
    there.values = values->data();
    for (const bool copy : {true, false}) {
        Options options = options_for(GetParam());
        options.device_arrays = true;
        options.copy = copy;
        Handle handle(there, options);
        EXPECT_EQ(one.multiply(handle, 1, 0), "") << "copy " << copy;
        handle.update_values(static_cast<const double*>(fresh->data()));
        EXPECT_EQ(two.multiply(handle, 1, 0), "") << "copy " << copy;
        EXPECT_EQ(two.multiply(handle, -1.5, 2.5), "") << "copy " << copy;
    }
}

TEST_P(GpuUpdates, QuickWorkspaceOfTheCallers) {
    Product<double> product(first_, *device_);
    for (const bool deterministic : {false, true}) {
        Options options = options_for(GetParam());
        options.deterministic = deterministic;
        const Handle handle(product.view(), options);
        const std::size_t bytes = std::max(handle.workspace_bytes(Scale::one, Scale::zero),
                                           handle.workspace_bytes(Scale::general, Scale::general));
        const auto memory = device_->allocate(bytes);
        if (bytes > 0) device_->zero(memory->data(), bytes);
        for (int round = 0; round < 3; ++round)
            for (const double alpha : {1.0, -1.5}) {
                const double beta = alpha == 1 ? 0 : 2.5;
                product.new_y(beta);
                handle.apply(alpha, product.x(), beta, product.y(), {}, {memory->data(), bytes});
                device_->synchronize({});
                EXPECT_EQ(product.trouble(alpha, beta), "") << handle.info().kernel;
            }
    }
}

// The copy waits for what was enqueued before; a graph multiplies with the new numbers.
TEST_P(GpuUpdates, InStreamsAndGraphs) {
    if (!is_cuda()) GTEST_SKIP() << device_text() << " has one stream and no graphs";
    const CudaDriver driver;
    const auto stream = driver.make_stream();
    Product<double> one(first_, *device_), two(second_, *device_);
    Handle handle(one.view(), options_for(GetParam()));
    handle.prepare(Scale::one, Scale::zero, {stream.get()});
    driver.begin_capture(stream.get());
    handle.apply(1.0, one.x(), 0.0, one.y(), {stream.get()});
    const auto graph = driver.end_capture(stream.get());
    for (int round = 0; round < 20; ++round) {
        handle.update_values(first_.view().values_as<double>(), {stream.get()});
        one.new_y(0);
        driver.launch(graph, stream.get());
        // The graph is still running when the numbers come that must wait for it.
        handle.update_values(second_.view().values_as<double>(), {stream.get()});
        ASSERT_EQ(one.trouble(1, 0), "") << "round " << round;
        two.new_y(0);
        handle.apply(1.0, two.x(), 0.0, two.y(), {stream.get()});
        driver.synchronize(stream.get());
        ASSERT_EQ(two.trouble(1, 0), "") << "round " << round;
    }
}

/// The matrix with multiples of `unit` for values.
CsrMatrix with_multiples(const CsrMatrix& matrix, double unit, std::int64_t salt) {
    CsrMatrix other = convert_values(matrix.view(), ValueType::f64);
    const std::span<double> values = other.values.as<double>();
    for (std::size_t k = 0; k < values.size(); ++k)
        values[k] = unit * static_cast<double>((static_cast<std::int64_t>(k) * 5 + salt) % 11 - 5);
    return other;
}

// Numbers that are stored in fewer bytes, put there by the device, and some that need more.
TEST_P(GpuUpdates, OfEncodedNumbers) {
    const CsrMatrix grid = make_gallery_matrix("stencil5:nx=230,ny=230,random_values=1");
    const auto row_ptr = put(grid.row_ptr.data(), grid.row_ptr.bytes());
    const auto col_idx = put(grid.col_idx.data(), grid.col_idx.bytes());
    for (const double unit : {1.0, 0.1, 1 + 0x1p-20}) {
        SCOPED_TRACE(unit);
        const CsrMatrix first = with_multiples(grid, unit, 0);
        Product<double> one(first, *device_);
        const auto values = put(first.values.data(), first.values.bytes());
        CsrView there = first.view();
        there.row_ptr = row_ptr->data();
        there.col_idx = col_idx->data();
        there.values = values->data();
        Options options = options_for(GetParam());
        options.device_arrays = true;
        Handle handle(there, options);
        EXPECT_EQ(one.multiply(handle, 1, 0), "");
        const CsrMatrix second = with_multiples(grid, unit, 3),
                        third = with_multiples(grid, unit, 7);
        for (const CsrMatrix* next : {&second, &third, &grid}) {
            Product<double> product(*next, *device_);
            const auto fresh = put(next->values.data(), next->values.bytes());
            handle.update_values(static_cast<const double*>(fresh->data()));
            EXPECT_EQ(product.multiply(handle, 1, 0), "") << handle.info().kernel;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, GpuUpdates, testing::ValuesIn(kernels()), id_of);

}  // namespace
}  // namespace spmvgen::gpu_tests
