#include "handle/kernels/side_by_side.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>

namespace spmvgen {

std::vector<ProvidedGpuKernel> make_side_by_side(KernelProvider& provider,
                                                 const KernelPolicy& policy,
                                                 const std::shared_ptr<Device>& device,
                                                 std::span<const Signature> kernels, int threads) {
    std::vector<ProvidedGpuKernel> made(kernels.size());
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < kernels.size(); ++i)
        if (provider.distance(kernels[i], policy, device) == KernelProvider::Distance::compiler)
            missing.push_back(i);
    if (missing.size() < 2 || threads < 2 || !provider.may_compile(policy)) return made;
    std::atomic<std::size_t> next = 0;
    const auto make = [&](std::size_t i) {
        try {
            made[i] = provider.get(kernels[i], policy, device);
        } catch (const std::exception&) {
            made[i] = {};  // why is told when it is asked for
        }
    };
    const auto work = [&] {
        for (std::size_t m = next++; m < missing.size(); m = next++) make(missing[m]);
    };
    std::vector<std::jthread> team;
    const std::size_t helpers = std::min(missing.size(), static_cast<std::size_t>(threads)) - 1;
    team.reserve(helpers);
    const auto begin_one = [&] {
        try {
            team.emplace_back(work);
            return true;
        } catch (const std::system_error&) {
            return false;  // there are no more threads: those that run do it all
        }
    };
    while (team.size() < helpers && begin_one()) continue;
    work();
    team.clear();
    return made;
}

}  // namespace spmvgen
