#pragma once
#include <optional>
#include <string>

#include "handle/plan/device_speed.hpp"
#include "handle/plan/levels.hpp"
#include "tuner/chooser/break_even.hpp"

/// What planning costs, weighed against what it saves.
namespace spmvgen {

/// Whether the host's plain CSR loop is the answer at once, for one apply, without an analysis. The
/// text says why; nothing = no.
std::optional<std::string> why_plain_at_once(const Options& options);

/// `choice`, or plain CSR when few applies are expected that cannot repay what the choice costs:
/// its kernel, and the conversion. The reason then has the figures.
LevelChoice unless_plain_is_cheaper(const LevelProblem& problem, const Choice& choice,
                                    const DeviceSpeed& speed);

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
