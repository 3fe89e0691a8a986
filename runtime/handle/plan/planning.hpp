#pragma once
#include <optional>
#include <string>

#include "devices/device.hpp"
#include "handle/plan/levels.hpp"
#include "matrix/features/features.hpp"
#include "tuner/chooser/break_even.hpp"
#include "tuner/profiles/device_profile.hpp"

/// What planning costs, weighed against what it saves, and what the device is known to do.
namespace spmvgen {

/// The profile of the device, or the nearest one (find_device_profile); null for the SIMT executor,
/// which is near to none. `device` is null for this CPU.
FoundDeviceProfile nearest_profile(const Target& target, const Device* device);

/// The profile by which times of kernels are predicted (Request::profile): of a GPU its own, one
/// that is scaled to it, or a measured one of its architecture, of this CPU (`device` is null) one
/// of its architecture; with gathers that were measured, not assumed. Null when there is none, and
/// for the SIMT executor.
const DeviceProfile* profile_to_predict(const Target& target, const Device* device);

/// What a core of this CPU loads from its first cache in a second, over `usual_loads_per_s`.
/// Measured once in a process, and told in steps of √2, from 0.5 to 4: so it is the same each time
/// but for CPUs in between.
double measured_core_speed(double usual_loads_per_s);

/// profile_to_predict() of this CPU, with the speed that its cores are found to have. With
/// options.deterministic nothing is measured.
const DeviceProfile* profile_of_this_cpu(const Target& target, const Options& options);

/// Where choices of such handles are recalled from and kept; null = they are made anew.
ChoiceMemory* memory_for(const Options& options, KernelProvider& provider);

/// What a device is known to stream before anything ran on it: by its profile, or that of the
/// nearest one.
class DeviceSpeed {
  public:
    /// `device` is null for this CPU, of which `threads` take part.
    DeviceSpeed(const Target& target, const Device* device, int threads);

    /// Null when there is none.
    const DeviceProfile* profile() const { return profile_; }
    /// Microseconds to stream so many bytes once; nothing without a profile.
    std::optional<double> stream_us(double bytes) const;

  private:
    const DeviceProfile* profile_;
    bool gpu_;
    int threads_;
};

/// Whether the host's plain CSR loop is the answer at once, for one apply, without an analysis. The
/// text says why; nothing = no.
std::optional<std::string> why_plain_at_once(const Options& options);

/// `choice`, or plain CSR when few applies are expected that cannot repay what the choice costs:
/// its kernel, and the conversion. The reason then has the figures.
LevelChoice unless_plain_is_cheaper(const LevelProblem& problem, const Choice& choice,
                                    const DeviceSpeed& speed);

/// break_even() in words, with its figures: "pays from 12.5 applies on (kernel 0.3 ms,
/// conversion 1.2 ms; an apply takes 75.0 µs, of plain CSR 100.0 µs)".
std::string to_string(const PlanningCost& cost);

/// Why the expected applies cannot repay the budget of level measure; "" = they can.
std::string why_not_repaid(const LevelProblem& problem, const DeviceSpeed& speed);

/// Whether so many products of plain CSR, which took `spent_ms` in all, are enough.
bool is_over(const Patience& patience, double spent_ms, std::int64_t products);

// What measuring is expected to take, in ms.

/// Making or finding a kernel: as compilations took so far in this process, else as the device's
/// profile has it.
double making_ms(const LevelProblem& problem, const DeviceSpeed& speed, const Signature& signature);
/// Storing the matrix for it anew.
double storing_ms(const LevelProblem& problem, const Signature& signature);

}  // namespace spmvgen
