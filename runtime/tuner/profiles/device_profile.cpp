#include "tuner/profiles/device_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "spmvgen/error.hpp"
#include "tuner/cost/work/gpu_units.hpp"
#include "tuner/profiles/device_profile_scaled.hpp"

namespace spmvgen {
namespace {

constexpr double sector_bytes = 32, line_bytes = 64;

/// Of the numbers of threads that were measured the nearest, the smaller of two.
int nearest_threads(const std::vector<DeviceRate>& rates, int threads) {
    int nearest = rates.front().threads;
    for (auto& rate : rates) {
        if (nearest == threads) break;
        const int distance = std::abs(rate.threads - threads), best = std::abs(nearest - threads);
        if (distance < best || (distance == best && rate.threads < nearest)) nearest = rate.threads;
    }
    return nearest;
}

/// Of a team that was not measured each thread does what one of the nearest does.
double rate_of(const std::vector<DeviceRate>& rates, double bytes, int threads) {
    const int nearest = nearest_threads(rates, threads);
    const double teams = nearest > 0 ? static_cast<double>(std::max(threads, 1)) / nearest : 1;
    const DeviceRate *below = nullptr, *above = nullptr;
    for (auto& rate : rates) {
        if (rate.threads != nearest) continue;
        if (rate.bytes <= bytes && (below == nullptr || rate.bytes > below->bytes)) below = &rate;
        if (rate.bytes >= bytes && (above == nullptr || rate.bytes < above->bytes)) above = &rate;
    }
    if (below == nullptr) return teams * above->per_s;
    if (above == nullptr || above->bytes == below->bytes) return teams * below->per_s;
    const double share = std::log(bytes / below->bytes) / std::log(above->bytes / below->bytes);
    return teams * (below->per_s + share * (above->per_s - below->per_s));
}

/// Of a larger team than was measured: a begin is handed on from thread to thread as in a tree.
double larger_region_us(int measured, double us, int threads) {
    return measured > 1 ? us * std::log2(threads) / std::log2(measured) : us;
}

/// The architecture that a profile is of; files of schema 1 name a CPU's as the device.
std::string arch_of(const DeviceProfile& profile) {
    return profile.arch.empty() ? profile.device : profile.arch;
}

/// How new: "sm_90" → 90, "gfx90a" → 0x90a, "x86-64-v4" → 4.
long generation(std::string_view arch) {
    const std::string vendor = vendor_of(arch);
    const auto digits = std::string(arch.substr(arch.find_last_of("_xv") + 1));
    return std::strtol(digits.c_str(), nullptr, vendor == "amd" ? 16 : 10);
}

void share_sheets(std::vector<DeviceProfile>& profiles) {
    for (auto& p : profiles)
        for (auto& other : profiles)
            if (p.device == other.device) p.rated = completed(p.rated, other.rated);
}

/// Rates for what has none.
std::vector<DeviceProfile> with_rates(const std::vector<DeviceProfile>& profiles,
                                      std::vector<std::string>& warnings) {
    std::vector<DeviceProfile> all;
    for (auto& p : profiles) {
        if (!p.read.empty()) {
            all.push_back(p);
        } else if (auto made = scaled_from_nearest(profiles, p)) {
            made->file = p.file + ", " + made->method;
            made->method += ". " + p.method;
            all.push_back(std::move(*made));
        } else {
            warnings.push_back(
                fmt::format("tuning file {} is left out: it has no rates, and no "
                            "measured profile could be scaled",
                            p.file));
        }
    }
    return all;
}

}  // namespace

double DeviceProfile::read_rate(double bytes, int threads) const {
    return rate_of(read, bytes, threads);
}

double DeviceProfile::copy_rate(double bytes, int threads) const {
    return copy.empty() ? read_rate(bytes, threads) : rate_of(copy, bytes, threads);
}

double DeviceProfile::gather_rate(double bytes, int threads) const {
    const bool gpu = read.front().threads == 0;
    return gather.empty() ? read_rate(bytes, threads) / (gpu ? sector_bytes : line_bytes)
                          : rate_of(gather, bytes, threads);
}

double DeviceProfile::core_speed() const {
    constexpr double first_cache = 32 * 1024;  // bytes
    return gather_rate(first_cache, 1) / usual_cached_loads_per_s;
}

double DeviceProfile::region_us(int threads) const {
    if (threads <= 1) return 0;
    if (regions.empty())
        return threads > units ? larger_region_us(units, launch_us.value, threads)
                               : launch_us.value;
    const RegionTime *below = nullptr, *above = nullptr;
    for (auto& region : regions) {
        if (region.threads <= threads && (below == nullptr || region.threads > below->threads))
            below = &region;
        if (region.threads >= threads && (above == nullptr || region.threads < above->threads))
            above = &region;
    }
    if (below == nullptr) return above->us;
    if (above == nullptr) return larger_region_us(below->threads, below->us, threads);
    if (below->threads == above->threads) return below->us;
    const double part = static_cast<double>(threads - below->threads) /
                        static_cast<double>(above->threads - below->threads);
    return below->us + part * (above->us - below->us);
}

bool DeviceProfile::has_region(int threads) const {
    int largest = regions.empty() ? units : 0;
    for (auto& region : regions) largest = std::max(largest, region.threads);
    return threads <= 2 * largest;
}

double DeviceProfile::atomic_rate(double bytes, int threads) const {
    return atomics.empty() ? gather_rate(bytes, threads) : rate_of(atomics, bytes, threads);
}

std::vector<DeviceProfile> read_device_profiles(std::span<const TuningFile> files,
                                                std::vector<std::string>& warnings,
                                                std::string_view vendor) {
    std::vector<DeviceProfile> profiles;
    for (auto& file : files) try {
            profiles.push_back(parse_device_profile(file.readable_text()));
            profiles.back().file = file.label();
            const std::string& arch = profiles.back().arch;
            if (!vendor.empty() && !arch.empty() && vendor_of(arch) != vendor) profiles.pop_back();
        } catch (const Error& error) {
            warnings.push_back(
                fmt::format("tuning file {} is left out: {}", file.name, error.what()));
        }
    share_sheets(profiles);
    return with_rates(profiles, warnings);
}

const DeviceProfile* find_named_profile(std::span<const DeviceProfile> profiles,
                                        std::string_view device) {
    const DeviceProfile* found = nullptr;
    for (auto& p : profiles) {
        if (p.device != device) continue;
        if (p.source == measured_source) return &p;
        if (found == nullptr) found = &p;
    }
    return found;
}

FoundDeviceProfile find_device_profile(std::span<const DeviceProfile> profiles,
                                       std::string_view device, const Target& target) {
    if (const DeviceProfile* same = find_named_profile(profiles, device))
        return {same, ProfileMatch::device,
                fmt::format("profile of {} ({})", same->device, same->source)};
    FoundDeviceProfile found;
    long nearest = std::numeric_limits<long>::max();
    for (auto& profile : profiles) {
        const std::string arch = arch_of(profile);
        if (vendor_of(arch) != vendor_of(target.arch)) continue;
        const bool same_arch = arch == target.arch;
        const long distance = architecture_distance(arch, target.arch);
        if (distance >= nearest) continue;
        nearest = distance;
        found.profile = &profile;
        found.match = same_arch ? ProfileMatch::architecture : ProfileMatch::vendor;
        found.note =
            fmt::format("no profile of {}; that of {} ({}), of the same {}", device, profile.device,
                        profile.source, same_arch ? "architecture" : "vendor");
    }
    return found;
}

std::string vendor_of(std::string_view arch) {
    if (arch.starts_with("sm_")) return "nvidia";
    if (arch.starts_with("gfx")) return "amd";
    if (arch.starts_with("x86-64")) return "x86-64";
    return std::string(arch.substr(0, arch.find(':')));
}

bool may_be_of_vendor(std::string_view name, std::string_view vendor) {
    name.remove_prefix(std::min(name.find('-') + 1, name.size()));
    constexpr std::string_view vendors[] = {"nvidia", "amd", "x86-64", "aarch64"};
    return std::ranges::none_of(vendors, [&](std::string_view other) {
        return other != vendor && name.starts_with(other);
    });
}

long architecture_distance(std::string_view arch, std::string_view from) {
    if (arch == from) return -1;
    const long newer = generation(arch) - generation(from);
    return 2 * std::abs(newer) + (newer > 0 ? 1 : 0);
}

std::string device_file_name(const DeviceProfile& profile) {
    std::string name = "device-";
    for (const char c : profile.device) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        const bool capital = c >= 'A' && c <= 'Z';
        name += plain ? c : capital ? static_cast<char>(c - 'A' + 'a') : '-';
    }
    return name + ".json";
}

double predict_us(const DeviceProfile& profile, double bytes, int threads, int launches,
                  const GatheredRows& gathered) {
    const double launch_us = threads > 1 ? profile.region_us(threads) : profile.launch_us.value;
    double seconds = bytes / profile.read_rate(bytes, threads);
    if (gathered.count > 0) {
        constexpr double shared_cache = 4e6;  // bytes: x from the cache that all share
        const double sectors = std::max(1.0, std::ceil(gathered.row_bytes / sector_bytes));
        const double gathers = gathered.count * (1 + (sectors - 1) * gpu::next_sector);
        seconds = std::max(
            seconds, gathers / profile.gather_rate(std::max(gathered.x_bytes, shared_cache), 0));
    }
    return 1e6 * seconds + launch_us * launches;
}

namespace {

constexpr double own_caches = 1 << 20;  ///< bytes of a core

/// Whether arrays of `read` or `copy` are in the cores' own caches.
bool streams_from_core(const DeviceRate& rate) {
    return rate.bytes <= own_caches * std::max(rate.threads, 1);
}

/// The same of `gather`: all threads gather from the whole of their array.
bool gathers_from_core(const DeviceRate& rate) {
    return rate.bytes <= own_caches;
}

}  // namespace

DeviceProfile without_core_rates(DeviceProfile p) {
    std::erase_if(p.read, streams_from_core);
    std::erase_if(p.copy, streams_from_core);
    std::erase_if(p.gather, gathers_from_core);
    return p;
}

DeviceProfile with_faster_cores(const DeviceProfile& from, double times) {
    DeviceProfile p = from;
    for (auto list : {&DeviceProfile::read, &DeviceProfile::copy})
        for (auto& rate : p.*list)
            if (streams_from_core(rate)) rate.per_s *= times;
    for (auto& rate : p.gather)
        if (gathers_from_core(rate)) rate.per_s *= times;
    p.file = fmt::format("{}, cores {:.2g} times as fast", from.file, times);
    return p;
}

}  // namespace spmvgen
