#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "matrix/features/features.hpp"
#include "spmvgen/kernel.hpp"
#include "spmvgen/target.hpp"

/// What was measured of kernels on matrices, as tuning_db keeps it (docs/reference/files.md).
namespace spmvgen {

/// A kernel that was timed. Quartiles are of the samples' medians as the method says.
struct TimedKernel {
    std::string kernel;              ///< its name for α = 1, β = 0, as kernel_name() gives it
    double us = 0;                   ///< median microseconds of an apply
    double low_us = 0, high_us = 0;  ///< quartiles
    bool operator==(const TimedKernel&) const = default;
};

/// What was asked for besides the matrix: records of different questions do not answer each other.
struct Question {
    ValueType value = ValueType::f64;    ///< of x, y, α and β
    ValueType storage = ValueType::f64;  ///< of the stored values
    std::optional<ValueType> accumulator = {};
    int num_rhs = 1;
    Op op = Op::none;
    bool deterministic = false;
    int threads = 0;  ///< of a CPU; 0 = a GPU
    bool operator==(const Question&) const = default;
};

/// Where the kernels ran.
struct RecordDevice {
    std::string name;    ///< a GPU's name ("NVIDIA H200"), or of a CPU its architecture
    std::string arch;    ///< as in Target: "sm_90", "gfx90a:sramecc+:xnack-", "x86-64-v4"
    std::string vendor;  ///< "nvidia", "amd", of a CPU its family: "x86-64", "aarch64", or
                         ///< simulated_vendor
    bool operator==(const RecordDevice&) const = default;
};

/// Of the SIMT executor, whose times answer for nothing but itself.
inline constexpr const char* simulated_vendor = "simt";

/// Of a GPU by its name, or of this CPU with name "".
RecordDevice record_device(const Target& target, const std::string& gpu_name);

/// One matrix on one device.
struct TuningRecord {
    std::string matrix;  ///< its name for people: "gallery:thermal2"; "" = not told
    std::string group;   ///< kind of structure, for leaving out: "mesh", "stencil"; "" = not told
    Features features;
    Question question;
    RecordDevice device;
    std::string generator;             ///< generator_digest() of the kernels
    std::string method;                ///< "exhaustive", "measure, budget 1000 ms"
    std::string date;                  ///< "2026-11-21"
    std::string rule;                  ///< the kernel that level rule chose then, by name
    std::string plain;                 ///< plain CSR's, by name; "" = not timed
    std::vector<TimedKernel> kernels;  ///< the fastest first; never empty
    bool operator==(const TuningRecord&) const = default;
};

}  // namespace spmvgen
