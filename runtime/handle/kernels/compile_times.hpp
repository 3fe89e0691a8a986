#pragma once
#include <mutex>
#include <optional>

namespace spmvgen {

/// How long compilations took so far. Safe for any number of threads.
class CompileTimes {
  public:
    void add(double ms);
    /// Whether one has ended, which also loaded the compiler.
    bool any() const;
    /// What another one takes alone: the least of all but the first, for those that run side by
    /// side wait for each other. Nothing before the second has ended.
    std::optional<double> usual_ms() const;

  private:
    mutable std::mutex mutex_;
    bool any_ = false;
    std::optional<double> least_ms_;
};

}  // namespace spmvgen
