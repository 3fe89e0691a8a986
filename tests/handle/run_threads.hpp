#pragma once
#include <omp.h>

#include <barrier>
#include <functional>
#include <thread>
#include <vector>

namespace spmvgen {

constexpr int thread_count = 16;

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
