#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/device_sheet.hpp"
#include "spmvgen/target.hpp"
#include "tuner/files/tuning_files.hpp"

namespace spmvgen {

/// A figure of a device. 0 = not known.
struct Figure {
    double value = 0;
    double spread = 0;  ///< interquartile range over the median; 0 = not measured
    bool operator==(const Figure&) const = default;
};

/// What a device does a second with so many bytes of memory, over and over: with few bytes from
/// caches.
struct DeviceRate {
    int threads = 0;  ///< of a CPU; 0 = a GPU
    double bytes = 0;
    double per_s = 0;
    double spread = 0;  ///< as Figure's
    bool operator==(const DeviceRate&) const = default;
};

/// An empty parallel region of so many threads of a CPU.
struct RegionTime {
    int threads = 0;
    double us = 0;
    double spread = 0;  ///< as Figure's
    bool operator==(const RegionTime&) const = default;
};

/// Where the rates of a profile come from (DeviceProfile::source).
inline constexpr std::string_view measured_source = "measured", sheet_source = "data sheet",
                                  scaled_source = "scaled";

/// Loads of a core from its first cache in a second, as profiles have them: of the CPUs whose times
/// made the constants of predicted times.
inline constexpr double usual_cached_loads_per_s = 1.2e9;

/// What a device was measured to do, or what its data sheet says: a file of tuning_db,
/// device-*.json (docs/reference/files.md). A file of a data sheet may have no rates at all: read
/// by itself it has an empty `read`, and no rate can be asked for; read_device_profiles() gives it
/// rates.
struct DeviceProfile {
    std::string device;  ///< a GPU's name ("NVIDIA H200"), or of a CPU its architecture
    std::string arch;    ///< Target::arch; "" = not told (schema 1)
    int units = 0;       ///< multiprocessors, compute units, threads of a CPU; 0 = not told
    DeviceSheet rated;   ///< of a GPU: what its data sheet or driver says
    std::string date;    ///< of the measurement, "2026-11-21"
    std::string source{measured_source};
    std::vector<std::string> assumed;  ///< fields that neither was measured nor a data sheet has
    std::string method;                ///< how the figures were had, for people
    Figure launch_us;                  ///< of a GPU: a launch; of a CPU: a parallel region
    std::vector<RegionTime> regions;   ///< of a CPU: parallel regions of other teams
    std::vector<DeviceRate> read;      ///< bytes read
    std::vector<DeviceRate> copy;      ///< bytes read and written
    std::vector<DeviceRate> gather;    ///< 8-byte elements at random places, each its own sector
    std::vector<DeviceRate> atomics;   ///< f64 additions at random places; of 8 bytes: at one place
    Figure first_kernel_ms;      ///< the first kernel of a process, the compiler's start included
    Figure kernel_ms;            ///< a further one: emitted, compiled, loaded
    Figure load_ms;              ///< loading one that is compiled
    Figure convert_bytes_per_s;  ///< bytes of CSR that this host converts to SELL, all threads
    std::string file = {};       ///< its name in tuning_db; no part of the text
    bool operator==(const DeviceProfile&) const = default;

    /// Bytes per second for so many: between two measured amounts on the line over the logarithm of
    /// the bytes, beyond the outermost its own. Of a CPU the measured team of the nearest number of
    /// threads counts; each thread of another team does what one of that does.
    double read_rate(double bytes, int threads) const;
    /// Of a CPU: what a core loads from its first cache, over the usual.
    double core_speed() const;
    /// The same as read_rate() of the other lists; without figures what streaming would give:
    /// bytes, sectors of 32 bytes (of a CPU lines of 64).
    double copy_rate(double bytes, int threads) const;
    double gather_rate(double bytes, int threads) const;
    double atomic_rate(double bytes, int threads) const;
    /// Microseconds of a parallel region of so many threads of a CPU: between two teams that were
    /// measured on the line over their threads, below the least its own, beyond the largest in
    /// proportion to the logarithm of the threads; without any, launch_us is that of `units`
    /// threads. 0 for one thread.
    double region_us(int threads) const;
    /// Whether a team of half as many threads or more was measured.
    bool has_region(int threads) const;
};

/// The profile of a CPU whose cores are so many times as fast as those of `from`: rates of what a
/// core's own caches hold go with it. Parallel regions and all else stay.
DeviceProfile with_faster_cores(const DeviceProfile& from, double times);
/// The same without the rates that the speed of cores decides.
DeviceProfile without_core_rates(DeviceProfile profile);

/// JSON of schema 2, and back from schema 1 and 2. Throws Error(invalid_input) that says what is
/// wrong with the text: no JSON, another kind or schema, a field that is missing or of another
/// type, a figure that is not positive.
std::string to_json(const DeviceProfile& profile);
DeviceProfile parse_device_profile(std::string_view text);

/// For people: at most 100 columns, with a spread behind each figure that was measured.
std::string sheet(const DeviceProfile& profile);

/// The profiles of the files, in order. Figures of `rated` that one lacks are those of the first
/// file of the same device that has them; files without rates get those of the nearest measured
/// profile, scaled (tuner/profiles/device_profile_scaled.hpp). What is broken, of another schema,
/// or has no rates while there are none to scale, is left out, with a line in `warnings` that says
/// why. With a `vendor` (vendor_of()), profiles of others are left out without.
std::vector<DeviceProfile> read_device_profiles(std::span<const TuningFile> files,
                                                std::vector<std::string>& warnings,
                                                std::string_view vendor = "");

/// The profile of a device by that name among device-*.json of $SPMVGEN_TUNING_DB, of the user's
/// own directory and of those that ship, in this order, the measured ones first; or null. They are
/// read once in a process, warnings written to the log; where an architecture is asked for (below),
/// only those of its vendor. Safe to call from any thread.
const DeviceProfile* find_device_profile(std::string_view device);

/// The same among `profiles`.
const DeviceProfile* find_named_profile(std::span<const DeviceProfile> profiles,
                                        std::string_view device);

/// By what a profile was found: its device, another's that was scaled to it, another's of its
/// architecture or vendor.
enum class ProfileMatch { device, scaled, architecture, vendor };

/// A profile that was looked for; null when there is none even of the vendor.
struct FoundDeviceProfile {
    const DeviceProfile* profile = nullptr;
    ProfileMatch match = ProfileMatch::device;
    std::string note;  ///< for people: whose it is
};

/// The measured profile by that name; else, of an NVIDIA GPU whose sheet its driver (`units`,
/// `rated`) or a file by that name tells, the nearest measured one scaled to it; else the profile
/// by that name, one of that architecture, or of the vendor's nearest. What is scaled is made once
/// in a process and lives as long as that; any thread may ask. The second has nothing scaled, and
/// is of `profiles`, the first of equals.
FoundDeviceProfile find_device_profile(std::string_view device, const Target& target, int units = 0,
                                       const DeviceSheet& rated = {});
FoundDeviceProfile find_device_profile(std::span<const DeviceProfile> profiles,
                                       std::string_view device, const Target& target);

/// Who made devices of an architecture: "nvidia", "amd", or of a CPU its family: "x86-64",
/// "aarch64".
std::string vendor_of(std::string_view arch);

/// Whether a profile that ships in a file of that name, behind device- or dense-, may be of that
/// vendor, or of a device whose name begins so: of those that ship the names begin with the vendor.
bool may_be_of_vendor(std::string_view name, std::string_view vendor);

/// How far apart two architectures of a vendor are: -1 = they are the same; of two that are as far
/// the older is nearer.
long architecture_distance(std::string_view arch, std::string_view from);

/// Keeps it in the user's own directory (tuner/records/record_directory.hpp), in the place of what
/// was kept of the device before; the next process finds it. Returns its path. Throws Error(io)
/// that names the directory and what is wrong with it.
std::string keep_profile(const DeviceProfile& profile);

/// The name that a profile has in tuning_db: "device-nvidia-h200.json".
std::string device_file_name(const DeviceProfile& profile);

/// Rows of x that a product with several vectors asks a GPU's caches for.
struct GatheredRows {
    double count = 0;      ///< one for each entry, or for each column of a block
    double row_bytes = 0;  ///< of one row
    double x_bytes = 0;    ///< of all of x
};

/// Microseconds of an apply that moves so many bytes in so many launches, or as long as the caches
/// take for `gathered`, where that is more.
double predict_us(const DeviceProfile& profile, double bytes, int threads, int launches,
                  const GatheredRows& gathered = {});

}  // namespace spmvgen
