#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <string>

#include "devices/simt/block_runner.hpp"
#include "devices/simt/simt.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {

namespace {

constexpr unsigned max_threads = 1024;

std::string spelled(spmvgen_simt_index i) {
    return fmt::format("({}, {}, {})", i.x, i.y, i.z);
}

void check(const spmvgen_simt_kernel& kernel, const SimtLaunch& launch) {
    const auto refuse = [&](const std::string& why) {
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("simt: launch of kernel '{}': {}", kernel.name, why));
    };
    if (kernel.version != spmvgen_simt_abi_version)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("simt: the kernel was compiled for version {} of the executor's "
                                "interface, this is version {}; compile it again",
                                kernel.version, static_cast<unsigned>(spmvgen_simt_abi_version)));
    const auto& b = launch.block;
    const auto& g = launch.grid;
    if (b.x == 0 || b.x > max_threads || b.y == 0 || b.y > max_threads || b.z == 0 || b.z > 64 ||
        b.x * b.y * b.z > max_threads)
        refuse(fmt::format("block {} must have 1 to {} threads", spelled(b), max_threads));
    if (g.x == 0 || g.x > INT32_MAX || g.y == 0 || g.y > 65535 || g.z == 0 || g.z > 65535)
        refuse(fmt::format("grid {} must be within (1, 1, 1) and (2147483647, 65535, 65535)",
                           spelled(g)));
    if (launch.warp != 32 && launch.warp != 64)
        refuse(fmt::format("warp {} must be 32 or 64", launch.warp));
    const std::size_t capacity = kernel.dynamic_shared == nullptr ? 0 : kernel.dynamic_capacity;
    if (launch.dynamic_shared_bytes > capacity)
        refuse(fmt::format("{} bytes of dynamic shared memory, the kernel has room for {}",
                           launch.dynamic_shared_bytes, capacity));
}

/// The first trouble by block number among those that were met.
struct Trouble {
    std::int64_t block = INT64_MAX;
    std::string text;
    std::exception_ptr thrown;
};

}  // namespace

SimtExecutor::SimtExecutor() = default;
SimtExecutor::~SimtExecutor() = default;

void SimtExecutor::run(const spmvgen_simt_kernel& kernel, void* const* arguments,
                       const SimtLaunch& launch) {
    check(kernel, launch);
    const std::lock_guard lock(mutex_);
    const auto& grid = launch.grid;
    const std::int64_t blocks = std::int64_t{grid.x} * grid.y * grid.z;
    const int team = static_cast<int>(std::min<std::int64_t>(omp_get_max_threads(), blocks));
    while (runners_.size() < static_cast<std::size_t>(team))
        runners_.push_back(std::make_unique<BlockRunner>());
    const auto place = [&](std::int64_t b) {
        return spmvgen_simt_index{static_cast<unsigned>(b % grid.x),
                                  static_cast<unsigned>(b / grid.x % grid.y),
                                  static_cast<unsigned>(b / grid.x / grid.y)};
    };
    std::atomic<std::int64_t> next{0};
    Trouble trouble;
    std::mutex trouble_mutex;
#pragma omp parallel num_threads(team)
    {
        std::int64_t block = -1;
        const auto report = [&](std::string text, std::exception_ptr thrown) {
            next = blocks;  // no new blocks
            const std::lock_guard trouble_lock(trouble_mutex);
            if (block < trouble.block) trouble = {block, std::move(text), std::move(thrown)};
        };
        try {
            auto& runner = *runners_[static_cast<std::size_t>(omp_get_thread_num())];
            runner.begin(kernel, arguments, launch);
            std::string text;
            while (text.empty() && (block = next++) < blocks) text = runner.run(place(block));
            if (!text.empty()) report(std::move(text), nullptr);
        } catch (...) {
            report("", std::current_exception());
        }
    }
    if (trouble.thrown) std::rethrow_exception(trouble.thrown);
    if (!trouble.text.empty())
        throw Error(ErrorCode::internal, fmt::format("simt: kernel '{}', block {}: {}", kernel.name,
                                                     spelled(place(trouble.block)), trouble.text));
}

}  // namespace spmvgen
