#pragma once
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "spmvgen/generator.hpp"

namespace spmvgen {

/// What devices of that kind load, the best first. NVIDIA's driver compiles PTX itself, where
/// nothing here makes code for the device.
std::vector<BinaryKind> loadable_kinds(TargetKind kind);

/// Emits the kernel and compiles it to the first of the kinds that a compiler here makes; its
/// source comes with it. Throws Error(compile) with the reasons of all kinds, and what emit()
/// throws.
KernelBinary compile_kernel(Generator& generator, const Signature& signature,
                            std::span<const BinaryKind> kinds,
                            Compiler compiler = Compiler::automatic);

/// The same of a text that is there.
KernelBinary compile_source(Generator& generator, const KernelSource& source,
                            std::span<const BinaryKind> kinds,
                            Compiler compiler = Compiler::automatic);

/// How long compilations took so far. Safe for any number of threads.
class CompileTimes {
  public:
    void add(double ms);
    /// The first, which also loaded the compiler. Nothing before it has ended.
    std::optional<double> first_ms() const;
    /// What another one takes alone: the least of all but the first, for those that run side by
    /// side wait for each other. Nothing before the second has ended.
    std::optional<double> usual_ms() const;

    /// What the last ones took on average over usual_ms(); 1 = there is none.
    double recent_slowness() const;

  private:
    static constexpr int most_recent = 8;
    mutable std::mutex mutex_;
    std::optional<double> first_ms_, least_ms_;
    double recent_ms_ = 0;  ///< of all but the first
    int others_ = 0;        ///< that were added to it
};

}  // namespace spmvgen
