#include "measure/parallel_region.hpp"

#include <dlfcn.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <string_view>

#include "measure/timing.hpp"

namespace spmvgen {
namespace {

double measured_region_us(int threads) {
    std::array<double, 16> times;
    constexpr int warm_up = 4;
    for (int i = -warm_up; i < static_cast<int>(times.size()); ++i) {
        const double begin = now_s();
#pragma omp parallel num_threads(threads)
        asm volatile("" ::: "memory");
        if (i >= 0) times[static_cast<std::size_t>(i)] = now_s() - begin;
    }
    std::ranges::nth_element(times, times.begin() + times.size() / 2);
    return 1e6 * times[times.size() / 2];
}

}  // namespace

double parallel_region_us(int threads) {
    static std::mutex mutex;
    static std::map<int, double> known;
    const std::scoped_lock lock(mutex);
    const auto found = known.find(threads);
    if (found != known.end()) return found->second;
    return known.emplace(threads, measured_region_us(threads)).first->second;
}

bool keeps_idle_threads() {
    Dl_info info;
    if (dladdr(reinterpret_cast<const void*>(&omp_get_max_threads), &info) == 0 ||
        info.dli_fname == nullptr)
        return false;
    return std::string_view(info.dli_fname).find("gomp") == std::string_view::npos;
}

}  // namespace spmvgen
