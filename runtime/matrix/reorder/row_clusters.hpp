#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "matrix/reorder/regions.hpp"
#include "spmvgen/matrix.hpp"

/// Clusters of rows that need the same elements of x, of a valid square matrix: a row's neighbours
/// are the rows that its columns name.
namespace spmvgen::reordering {

/// Rows in regions, which are put into clusters region by region.
struct RegionsToCluster {
    const std::vector<std::int32_t>& region_of_row;
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
};

struct RowClusters {
    std::vector<std::int32_t> order;        ///< the row at each place
    std::optional<std::int64_t> bandwidth;  ///< of the matrix, where it was found out, too
};

/// All rows in clusters of `size`, one after another. First the rows are put into regions by
/// breadth from many of them at once, then each region into clusters, grown by breadth one after
/// another. Parallel, with the same result for any number of threads (0 = what OpenMP would use).
/// A matrix may lack its columns: there are no clusters then where not all is done elsewhere.
std::optional<RowClusters> row_clusters(const CsrView& matrix, int size, int threads = 0,
                                        const ClusteringElsewhere& elsewhere = {});

/// As it would come out in `count` places that are spread evenly over the rows: `of_each` clusters
/// of `size` rows that follow one another, for each. Reads these rows only, and a byte for each row
/// of the matrix. Serial.
std::vector<std::int64_t> sampled_row_clusters(const CsrView& matrix, int size, int of_each,
                                               int count);

}  // namespace spmvgen::reordering
