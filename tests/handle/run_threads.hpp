#pragma once
#include <omp.h>

#include <barrier>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace spmvgen {

constexpr int thread_count = 16;

/// What tests of label threads run with. ThreadSanitizer does not know how libgomp's teams wait for
/// each other, and does not follow the executor's fibers.
#if defined(__SANITIZE_THREAD__)
constexpr int team_threads = 1;
constexpr bool follows_fibers = false;
const std::vector<std::string> devices_of_threads{"host"};
#else
constexpr int team_threads = 2;
constexpr bool follows_fibers = true;
const std::vector<std::string> devices_of_threads{"host", "simt:sm_90"};
#endif

/// body(t) in sixteen threads at once, each with teams of one thread.
inline void run_threads(const std::function<void(int)>& body) {
    std::barrier start(thread_count);
    std::vector<std::jthread> threads;
    for (int t = 0; t < thread_count; ++t)
        threads.emplace_back([&, t] {
            omp_set_num_threads(1);
            start.arrive_and_wait();
            body(t);
        });
}

}  // namespace spmvgen
