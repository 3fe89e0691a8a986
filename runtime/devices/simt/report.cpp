// Texts that say what the threads of a block wait for.
#include <fmt/format.h>

#include "devices/simt/block_runner.hpp"

namespace spmvgen {

namespace {

std::string describe(const DeviceThread& thread, bool many) {
    const char* const wait = many ? "wait" : "waits";
    switch (thread.state) {
        case ThreadState::returned:
            return many ? "have returned" : "has returned";
        case ThreadState::at_barrier:
            return fmt::format("{} at __syncthreads() in line {}", wait, thread.line);
        case ThreadState::at_warp_operation:
            if (thread.call.masked)
                return fmt::format("{} at {} with mask {:#x} in line {}", wait, thread.call.name,
                                   thread.call.mask, thread.call.line);
            return fmt::format("{} at {} in line {}", wait, thread.call.name, thread.call.line);
        case ThreadState::ready:
            break;
    }
    return many ? "are ready" : "is ready";
}

}  // namespace

std::string describe_waits(const std::vector<DeviceThread>& threads) {
    std::string text;
    for (std::size_t begin = 0; begin < threads.size();) {
        const auto what = describe(threads[begin], true);
        std::size_t end = begin + 1;
        while (end < threads.size() && describe(threads[end], true) == what) end++;
        if (!text.empty()) text += "; ";
        text += end - begin == 1
                    ? fmt::format("thread {} {}", begin, describe(threads[begin], false))
                    : fmt::format("threads {}-{} {}", begin, end - 1, what);
        begin = end;
    }
    return text;
}

}  // namespace spmvgen
