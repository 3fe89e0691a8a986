#include "matrix/gallery/lengths.hpp"

#include <algorithm>
#include <atomic>

#include "matrix/chunks.hpp"

namespace spmvgen::generators {

std::int64_t power_law(const Random& random, std::int64_t i, const PowerLaw& law) {
    std::int64_t low = law.shortest;
    for (std::int64_t k = 1; low < law.longest && random.unit(i, k) < law.tail; ++k) low *= 2;
    return std::min(low + random.below(low, i, 0), law.longest);
}

std::int64_t sum_of(std::int64_t n, const std::function<std::int64_t(std::int64_t)>& length) {
    std::atomic<std::int64_t> total{0};
    for_parts(n, 65536, 0, [&](std::int64_t begin, std::int64_t end, int) {
        std::int64_t sum = 0;
        for (std::int64_t i = begin; i < end; ++i) sum += length(i);
        total += sum;
    });
    return total;
}

}  // namespace spmvgen::generators
