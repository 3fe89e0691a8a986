#include "tuner/profiles/device_profile_scaled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace spmvgen {
namespace {

constexpr double own_cache_bytes = 64 * 1024;  ///< what a multiprocessor's own cache surely holds
constexpr double l2s_of_memory = 4;  ///< times the L2: from there on its hits do not count

/// What the rates of one device have to be multiplied with to be another's.
struct SheetFactors {
    double core = 1, memory = 1, l2 = 1;
    std::string text;  ///< of those that are known
};

/// 1 when one of them is not known; else it is told in `text`.
double factor(double to, double from, const char* name, std::string& text) {
    if (!(to > 0) || !(from > 0)) return 1;
    text += fmt::format("{}{} {:.2g}", text.empty() ? "" : ", ", name, to / from);
    return to / from;
}

SheetFactors factors_of(const DeviceProfile& from, const DeviceProfile& to) {
    const DeviceSheet &a = from.rated, &b = to.rated;
    const bool clocks = a.clock_ghz > 0 && b.clock_ghz > 0;
    SheetFactors f;
    f.memory = factor(b.memory_bytes_per_s, a.memory_bytes_per_s, "memory bandwidth", f.text);
    f.core = clocks
                 ? factor(to.units * b.clock_ghz, from.units * a.clock_ghz, "units x clock", f.text)
                 : factor(to.units, from.units, "units", f.text);
    f.l2 = factor(b.l2_bytes, a.l2_bytes, "L2", f.text);
    return f;
}

/// Over the logarithm of the bytes from `core`, in the L2, to `memory`. Geometric, so that scaling
/// there and back changes nothing.
double factor_at(double bytes, double l2, const SheetFactors& f) {
    if (bytes <= std::max(l2, own_cache_bytes)) return f.core;
    if (bytes >= l2s_of_memory * l2) return f.memory;
    const double share = std::log(bytes / l2) / std::log(l2s_of_memory);
    return f.core * std::pow(f.memory / f.core, share);
}

/// With a much smaller L2, what its own cache does not hold is still more than that.
double bytes_at(double bytes, const SheetFactors& f) {
    if (bytes <= own_cache_bytes) return bytes;
    return std::max(bytes * f.l2, std::min(bytes, 2 * own_cache_bytes));
}

std::string scaling_text(const DeviceProfile& from, const SheetFactors& f) {
    return f.text.empty() ? fmt::format("taken from {} as it is", from.device)
                          : fmt::format("scaled from {} by {}", from.device, f.text);
}

bool is_known(const DeviceProfile& p) {
    return p.units > 0 && p.rated.memory_bytes_per_s > 0 && p.rated.l2_bytes > 0;
}

/// Whether rates of other GPUs may come from it.
bool is_measured(const DeviceProfile& p) {
    return p.source == measured_source && !p.gather.empty();
}

}  // namespace

DeviceProfile scaled(const DeviceProfile& from, const DeviceProfile& to) {
    const SheetFactors f = factors_of(from, to);
    DeviceProfile p = from;
    p.device = to.device;
    p.arch = to.arch;
    p.units = to.units;
    p.rated = to.rated;
    p.source = scaled_source;
    p.method = scaling_text(from, f);
    p.file = from.file + ", " + p.method;
    const double l2 = from.rated.l2_bytes > 0 ? from.rated.l2_bytes : to.rated.l2_bytes;
    for (auto list : {&DeviceProfile::read, &DeviceProfile::copy, &DeviceProfile::gather,
                      &DeviceProfile::atomics})
        for (auto& rate : p.*list) {
            rate.per_s *= factor_at(rate.bytes, l2, f);
            rate.bytes = bytes_at(rate.bytes, f);
            rate.spread = 0;
        }
    for (auto figure :
         {&DeviceProfile::launch_us, &DeviceProfile::first_kernel_ms, &DeviceProfile::kernel_ms,
          &DeviceProfile::load_ms, &DeviceProfile::convert_bytes_per_s})
        (p.*figure).spread = 0;
    return p;
}

std::optional<DeviceProfile> scaled_from_nearest(std::span<const DeviceProfile> profiles,
                                                 const DeviceProfile& wanted) {
    if (vendor_of(wanted.arch) != "nvidia" || !is_known(wanted)) return std::nullopt;
    const auto distance = [&](const DeviceProfile& p) {
        const SheetFactors f = factors_of(p, wanted);
        return std::tuple(
            architecture_distance(p.arch, wanted.arch),
            std::abs(std::log(f.memory)) + std::abs(std::log(f.core)) + std::abs(std::log(f.l2)));
    };
    const DeviceProfile* nearest = nullptr;
    for (auto& p : profiles)
        if (vendor_of(p.arch) == "nvidia" && is_measured(p) && is_known(p) &&
            (nearest == nullptr || distance(p) < distance(*nearest)))
            nearest = &p;
    if (nearest == nullptr) return std::nullopt;
    return scaled(*nearest, wanted);
}

const DeviceProfile& ScaledProfiles::keep(DeviceProfile profile) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(profiles_, profile);
    return found != profiles_.end() ? *found : profiles_.emplace_back(std::move(profile));
}

FoundDeviceProfile find_device_profile(std::span<const DeviceProfile> profiles,
                                       const DeviceProfile& wanted, const Target& target,
                                       ScaledProfiles& made) {
    const DeviceProfile* named = find_named_profile(profiles, wanted.device);
    DeviceProfile to = wanted;
    if (named != nullptr) {
        if (to.units == 0) to.units = named->units;
        to.rated = completed(to.rated, named->rated);
    }
    const bool has_own =
        named != nullptr &&
        (named->source == measured_source ||
         (named->source == scaled_source && named->units == to.units && named->rated == to.rated));
    if (!has_own)
        if (auto profile = scaled_from_nearest(profiles, to)) {
            const DeviceProfile& kept = made.keep(std::move(*profile));
            return {&kept, ProfileMatch::scaled,
                    fmt::format("no measured profile of {}; {}", to.device, kept.method)};
        }
    return find_device_profile(profiles, wanted.device, target);
}

}  // namespace spmvgen
