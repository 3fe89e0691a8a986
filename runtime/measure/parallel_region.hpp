#pragma once

namespace spmvgen {

/// Microseconds that an OpenMP region of so many threads takes that does nothing: the median of a
/// few, right behind each other. Measured at the first call of a process for that number, which
/// takes up to a millisecond. Safe to call from any thread.
double parallel_region_us(int threads);

/// Whether OpenMP's runtime keeps the threads that a smaller team leaves out for the next larger
/// one. That of GCC (libgomp) ends them, and starts new ones, which takes longer than many
/// products.
bool keeps_idle_threads();

}  // namespace spmvgen
