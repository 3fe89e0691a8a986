#pragma once
#include <omp.h>

#include <atomic>
#include <cstdint>
#include <exception>

namespace spmvgen {

/// `threads`, or what OpenMP would use when it is 0.
inline int thread_count(int threads) {
    return threads > 0 ? threads : omp_get_max_threads();
}

/// thread_count(threads), or one where a team does not repay itself: to begin one takes about as
/// long as `a_thread` elements in each of its threads. Not fewer threads, for a team of another
/// size is made anew.
inline int team_for(std::int64_t size, std::int64_t a_thread, int threads) {
    const int team = thread_count(threads);
    return size >= a_thread * team ? team : 1;
}

/// for_chunks() of a body whose type is gone: one loop for all bodies.
inline void for_chunks_of(std::int64_t count, int threads,
                          void (*call)(void* body, std::int64_t chunk, int thread), void* body) {
    const int team = count > 1 ? thread_count(threads) : 1;
    if (team == 1) {  // without a region, which calls the system even for a team of one
        for (std::int64_t chunk = 0; chunk < count; ++chunk) call(body, chunk, 0);
        return;
    }
    std::exception_ptr failure;
    std::atomic<bool> failed{false};
#pragma omp parallel for schedule(dynamic) num_threads(team)
    for (std::int64_t chunk = 0; chunk < count; ++chunk) {
        if (failed.load(std::memory_order_relaxed)) continue;
        try {
            call(body, chunk, omp_get_thread_num());
        } catch (...) {
            if (!failed.exchange(true)) failure = std::current_exception();
        }
    }
    if (failure) std::rethrow_exception(failure);
}

/// Calls body(chunk, thread) once for each chunk 0 … count-1, spread dynamically over `threads`
/// threads (0 = what OpenMP would use). The first exception that a body throws is thrown again
/// here; chunks not yet begun are then left out.
template <typename Body>
void for_chunks(std::int64_t count, int threads, Body body) {
    for_chunks_of(
        count, threads,
        [](void* of, std::int64_t chunk, int thread) { (*static_cast<Body*>(of))(chunk, thread); },
        &body);
}

/// Calls body(begin, end, thread) for parts of at most `length` of 0 … size-1. The parts do not
/// depend on the number of threads.
template <typename Body>
void for_parts(std::int64_t size, std::int64_t length, int threads, Body body) {
    for_chunks((size + length - 1) / length, threads, [&](std::int64_t chunk, int thread) {
        const std::int64_t begin = chunk * length;
        body(begin, begin + length < size ? begin + length : size, thread);
    });
}

/// Where the share of thread `thread` begins when units 0 … count-1 are shared out as the CPU
/// kernels do it (first_row of templates/dialect/cpu.hpp): about equally many units plus entries a
/// thread. before(i) entries lie in units below i; before(count) in all.
template <typename Before>
std::int64_t first_of_share(std::int64_t count, const Before& before, std::int64_t thread,
                            std::int64_t threads) {
    const std::int64_t total = count + before(count);
    const std::int64_t work = total / threads * thread + total % threads * thread / threads;
    std::int64_t low = 0, high = count;
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (middle + before(middle) < work)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/// Calls body(begin, end) in each thread of a team with its share of 0 … count-1, as above: arrays
/// that are first written here lie in the memory next to the core that will read them. An exception
/// that a body throws is thrown again here.
template <typename Before, typename Body>
void for_shares(std::int64_t count, const Before& before, Body&& body) {
    std::exception_ptr failure;
#pragma omp parallel
    try {
        const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        body(first_of_share(count, before, thread, threads),
             first_of_share(count, before, thread + 1, threads));
    } catch (...) {
#pragma omp critical(spmvgen_shares)
        failure = std::current_exception();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace spmvgen
