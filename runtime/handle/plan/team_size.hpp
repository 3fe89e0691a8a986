#pragma once
#include <omp.h>

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

}  // namespace spmvgen
