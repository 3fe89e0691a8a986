#pragma once
// Stands in for OpenMP in the fuzzing build: one thread, the same run for the same input, and no
// library that the sanitizers do not know.
inline int omp_get_max_threads() {
    return 1;
}
inline int omp_get_thread_num() {
    return 0;
}
inline int omp_get_num_threads() {
    return 1;
}
