#include "bench/about.hpp"

#include <new>

#include "matrix/features/density.hpp"
#include "matrix/features/features.hpp"

namespace spmvgen::cli {

Json about_json(const CsrMatrix& matrix, int threads) {
    constexpr int cells = 48;
    try {
        const DensityGrid grid = density_grid(matrix.view(), cells, cells);
        return {{"features", Json::parse(to_json(analyse(matrix.view(), threads)))},
                {"density",
                 {{"columns", grid.columns}, {"lines", grid.lines}, {"counts", grid.counts}}}};
    } catch (const std::bad_alloc&) {
        return {{"none", "not enough memory"}};
    }
}

}  // namespace spmvgen::cli
