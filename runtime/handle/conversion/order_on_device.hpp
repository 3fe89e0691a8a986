#pragma once
#include <cstdint>

#include "devices/device.hpp"
#include "matrix/reorder/row_clusters.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"

/// Steps of an order of rows, on the device that has the matrix: the same to the last bit as on a
/// host. Matrices have device pointers, are square, and their row offsets are right.
namespace spmvgen {

/// The kernel that goes on with a search for regions, and the one that makes clusters of them.
Signature reaching(const CsrView& matrix, const Target& target);
Signature clustering(const CsrView& matrix, const Target& target);

/// Rounds of a search, each of which a device makes in some microseconds however few rows it
/// reaches: of those that take many a host makes the rest.
inline constexpr std::uint64_t most_search_rounds = 1024;

/// Goes on with a search for regions, for so many rounds at most, a multiple of 16. Whether it has
/// ended; not where a column is no row. `kernel` is reaching()'s, loaded.
bool search(Device& device, const DeviceKernel& kernel, const CsrView& matrix,
            reordering::RegionSearch& search, std::uint64_t most_rounds = most_search_rounds);

/// Rows of a region, of which one block of threads makes clusters one after another, at most.
inline constexpr std::int64_t most_clustered_rows = 16'384;

/// Puts regions into clusters. Whether it has; not where a column is no row, where a region has
/// more rows than that, as around a hub, or from 2^31 entries on. `kernel` is clustering()'s,
/// loaded.
bool cluster(Device& device, const DeviceKernel& kernel, const CsrView& matrix,
             reordering::RegionsToCluster& regions);

}  // namespace spmvgen
