#pragma once
#include <omp.h>

#include <cstdint>

namespace spmvgen {

/// While it lives, parallel regions that this thread begins have `threads` threads unless they say
/// otherwise; 0 = what they would have. Other threads are not concerned.
class TeamSize {
  public:
    explicit TeamSize(int threads) : before_(omp_get_max_threads()) {
        if (threads > 0) omp_set_num_threads(threads);
    }
    ~TeamSize() { omp_set_num_threads(before_); }
    TeamSize(const TeamSize&) = delete;
    TeamSize& operator=(const TeamSize&) = delete;

  private:
    int before_;
};

/// Threads, for TeamSize, that convert a matrix of so many rows and entries. Of few a team takes
/// longer to begin than one thread to convert; where others use the cores, many times as long.
constexpr int converting_threads(std::int64_t rows_and_entries) {
    constexpr std::int64_t least_shared = 1 << 15;
    return rows_and_entries < least_shared ? 1 : 0;
}

}  // namespace spmvgen
