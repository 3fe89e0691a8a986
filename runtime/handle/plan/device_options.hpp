#pragma once
#include "devices/device.hpp"
#include "spmvgen/spmvgen.hpp"

/// What handles of one kind of device, of one matrix or of a batch, check alike. All throw
/// Error(invalid_argument).
namespace spmvgen {

/// Below this many rows and entries a team of CPU threads costs more than it saves.
inline constexpr std::int64_t serial_work = 4096;

/// options.num_rhs and options.threads, which have the same limits everywhere.
void check_counts(const Options& options);
/// Options that a CPU does not take.
void check_host_options(const Options& options);
/// options.target of a CPU; Error(unsupported) when it cannot run here.
Target checked_target(const std::string& text);
/// With a CPU a stream must be null.
void check_stream(Stream stream, const char* call = "apply");

/// Options that this GPU does not take.
void check_gpu_options(const Options& options, const DeviceFacts& facts);
/// The device's target as options.target asks for it; refuses another one.
Target checked_target(const Options& options, const DeviceFacts& facts);

}  // namespace spmvgen
