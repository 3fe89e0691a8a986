#include "tune/block_bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "measure/timing.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::cli {

BlockBench::BlockBench(std::string name, CsrMatrix matrix, const BlockTiming& timing,
                       std::shared_ptr<Device> device)
    : name_(std::move(name)),
      matrix_(std::move(matrix)),
      timing_(timing),
      device_(std::move(device)),
      operands_(make_operands({}, matrix_)),
      placed_(operands_, device_) {}

BlockTime BlockBench::time_blocks(int rows, int cols) const {
    Options options;
    options.kernel = device_ != nullptr ? "bcsr_fused" : "bcsr";
    options.params = {{"block_rows", rows}, {"block_cols", cols}};
    return time(std::move(options));
}

BlockTime BlockBench::time(Options options) const {
    options.device = timing_.device;
    options.threads = timing_.threads;
    options.all_threads = true;
    options.cache = CacheMode::memory;
    options.strict = true;
    const Handle handle(matrix_.view(), options);
    placed_.reset();
    placed_.apply(handle);
    placed_.finish();
    const CheckResult result = operands_.check(matrix_, placed_.result());
    if (!result.passed)
        throw Error(ErrorCode::internal,
                    fmt::format("{}, kernel {}: check failed: {}; this is a defect of spmvgen: "
                                "report the matrix and the kernel",
                                name_, handle.info().kernel, result.message));
    TimingPlan plan;
    plan.budget_s = timing_.time_ms / 1e3;
    plan.warm_up_s = plan.budget_s / 4;
    plan.sample_s = std::min(plan.sample_s, plan.budget_s / 4);
    const Timing timing =
        time_apply([&] { placed_.apply(handle); }, plan, [&] { placed_.finish(); });
    return {timing.min_s, handle.info().stored, handle.info().kernel};
}

}  // namespace spmvgen::cli
