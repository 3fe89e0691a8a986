#include "tuner/cost/figures/diagonals.hpp"

#include <algorithm>

namespace spmvgen {

double heads_of_diagonals(const CsrView& a, std::int64_t down, std::int64_t right) {
    std::int64_t heads = 0;
    dispatch(a.index_type, [&]<typename Index>(Index) {
        const Index* const col = a.col_idx_as<Index>();
        std::int64_t begin = a.row_begin(0);
        for (std::int64_t row = 0; row < a.rows; ++row) {
            const std::int64_t end = a.row_begin(row + 1);
            std::int64_t above = row < down ? begin : a.row_begin(row - down);
            const std::int64_t end_above = row < down ? begin : a.row_begin(row - down + 1);
            for (std::int64_t k = begin; k < end; ++k) {
                while (above < end_above && std::int64_t{col[above]} + right < col[k]) ++above;
                const bool goes_on =
                    above < end_above && std::int64_t{col[above]} + right == col[k];
                goes_on ? ++above : ++heads;
            }
            begin = end;
        }
    });
    return static_cast<double>(heads) / static_cast<double>(std::max<std::int64_t>(a.nnz, 1));
}

}  // namespace spmvgen
