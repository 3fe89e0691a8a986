#pragma once
#include <mutex>
#include <optional>

namespace spmvgen {

/// How long compilations took so far. Safe for any number of threads.
class CompileTimes {
  public:
    void add(double ms);
    /// The mean. The first also loads the compiler: it counts as long as there is no other. Nothing
    /// before that.
    std::optional<double> mean_ms() const;

  private:
    mutable std::mutex mutex_;
    int others_ = 0;
    double others_ms_ = 0;
    std::optional<double> first_ms_;
};

}  // namespace spmvgen
