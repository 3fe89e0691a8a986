#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "matrix/reorder/regions.hpp"
#include "spmvgen/matrix.hpp"

/// Clusters of rows that need the same elements of x, of a valid square matrix: a row's neighbours
/// are the rows that its columns name.
namespace spmvgen::reordering {

/// Rows in regions, which are put into clusters region by region.
struct RegionsToCluster {
    std::span<const std::int32_t> region_of_row;
    const std::vector<std::int32_t>& first;  ///< places before each region, then all
    std::vector<std::int32_t>& rows;         ///< of the regions, ascending in each; clusters then
    int size = 0;                            ///< rows of a cluster, of which places are multiples
    std::optional<std::int64_t> bandwidth;   ///< of the matrix, where it was found out, too
};

/// What may be done elsewhere, with the same result; where it is not, it is done here.
struct ClusteringElsewhere {
    GoOnSearching search = {};  ///< for regions
    /// Puts all of the regions into clusters; whether it did.
    std::function<bool(RegionsToCluster&)> cluster = {};
    /// Columns that the matrix lacks, for what is not done elsewhere.
    MatrixHere here = {};
};

struct RowClusters {
    std::vector<std::int32_t> order;        ///< the row at each place
    std::optional<std::int64_t> bandwidth;  ///< of the matrix, where it was found out, too
};

/// All rows in clusters of `size`, one after another. First the rows are put into regions by
/// breadth from many of them at once, then each region into clusters, grown by breadth one after
/// another. Parallel, with the same result for any number of threads (0 = what OpenMP would use).
/// A matrix may lack its columns: there are no clusters then where not all is done elsewhere, and
/// ClusteringElsewhere::here gives none.
std::optional<RowClusters> row_clusters(const CsrView& matrix, int size, int threads = 0,
                                        const ClusteringElsewhere& elsewhere = {});

}  // namespace spmvgen::reordering
