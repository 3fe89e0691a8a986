// Epilogues with operands on a GPU: every kernel, replayed from a graph where the device has them.
#include "gpu_products.hpp"
#include "verify/epilogue_check.hpp"

namespace spmvgen::gpu_tests {
namespace {

constexpr const char* uneven_matrix = "powerlaw:n=6000,max_row=3000";
// Operands in this order: got, c, dot, most, w, tau, kept.
constexpr const char* program =
    "got[row] = value; t = value - c[row]; dot += t * c[row]; most max= fabs(t); "
    "w[row] = w[row] + tau * t; kept[0] = tau / 3; t > 0 ? t : 0";

class GpuEpilogues : public OnDevice, public testing::WithParamInterface<std::string> {
  protected:
    /// Operands in the device, and what they hold before an apply.
    struct Operands {
        std::vector<std::vector<double>> before;
        std::vector<std::unique_ptr<DeviceMemory>> there;

        Operands(Device& device, std::int64_t rows) {
            const auto n = static_cast<std::size_t>(rows);
            before = {std::vector<double>(n, NAN),
                      std::vector<double>(n),
                      {NAN},
                      {NAN},
                      std::vector<double>(n),
                      {0.75},
                      {NAN}};
            fill_random(ValueType::f64, before[1].data(), rows, 21);
            fill_random(ValueType::f64, before[4].data(), rows, 22);
            for (auto& numbers : before) there.push_back(device.allocate(numbers.size() * 8));
            reset(device);
        }
        void reset(Device& device) const {
            for (std::size_t i = 0; i < before.size(); ++i)
                device.copy_to_device(there[i]->data(), before[i].data(), before[i].size() * 8);
        }
        std::vector<std::vector<double>> after(Device& device) const {
            auto now = before;
            for (std::size_t i = 0; i < now.size(); ++i)
                device.copy_to_host(now[i].data(), there[i]->data(), now[i].size() * 8);
            return now;
        }
        std::vector<EpilogueOperand> named() const {
            std::vector<EpilogueOperand> all;
            constexpr const char* names[] = {"got", "c", "dot", "most", "w", "tau", "kept"};
            for (std::size_t i = 0; i < there.size(); ++i)
                all.emplace_back(names[i], ValueType::f64, there[i]->data(), true);
            return all;
        }
    };
};

TEST_P(GpuEpilogues, AreComputedInEveryReplay) {
    for (const bool deterministic : {false, true}) {
        Options options = options_for(GetParam());
        const KernelEntry& entry = kernel_entry(GetParam());
        options.deterministic =
            deterministic && has_fixed_rows(entry) && entry.determinism != Determinism::never;
        options.memory_limit = std::int64_t{1} << 30;
        options.epilogue = program;
        Product<double> product(make_gallery_matrix(uneven_matrix), *device_);
        const Handle handle(product.view(), options);
        const Operands operands(*device_, product.view().rows);
        const auto named = operands.named();
        const double alpha = -1.5, beta = 2;
        handle.prepare(Scale::general, Scale::general);
        const auto apply = [&](StreamRef stream) {
            handle.apply_with(ValueType::f64, &alpha, product.x(), &beta, product.y(), named,
                              {stream.native});
        };
        const auto graph = device_->record(apply);
        double first_dot = 0;
        for (int round = 0; round < 4; ++round) {
            operands.reset(*device_);
            product.new_y(beta);
            if (graph != nullptr) {
                graph->launch();
                graph->synchronize();
            } else {
                apply({});
                device_->synchronize({});
            }
            const auto after = operands.after(*device_);
            const std::vector<double> y = product.fetch_y();
            EXPECT_EQ(check_epilogue(program, {.type = ValueType::f64,
                                               .value = after[0],
                                               .y = y,
                                               .before = operands.before,
                                               .after = after}),
                      "")
                << handle.info().kernel << ", round " << round;
            device_->copy_to_device(product.y(), after[0].data(), after[0].size() * 8);
            EXPECT_EQ(product.trouble(alpha, beta), "") << handle.info().kernel;
            if (round == 0) first_dot = after[2][0];
            if (handle.info().deterministic) {
                EXPECT_EQ(after[2][0], first_dot) << handle.info().kernel;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, GpuEpilogues, testing::ValuesIn(kernels()), id_of);

}  // namespace
}  // namespace spmvgen::gpu_tests
