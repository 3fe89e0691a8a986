#include "handle/conversion/order_on_device.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "devices/gpu/kernel_steps.hpp"
#include "handle/conversion/conversion_steps.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

constexpr std::size_t count_furthest = 1;  ///< as templates/gpu/convert/cluster_rows.hpp has it

Signature of_pattern(const char* kernel, const CsrView& matrix, const Target& target,
                     Params params = {}) {
    Signature s;
    s.kernel = kernel;
    s.params = std::move(params);
    s.index = matrix.index_type;
    s.offset = matrix.offset_type;
    s.target = target;
    return complete(s);
}

std::int64_t largest_region(const std::vector<std::int32_t>& first) {
    std::int64_t largest = 0;
    for (std::size_t region = 0; region + 1 < first.size(); ++region)
        largest = std::max<std::int64_t>(largest, first[region + 1] - first[region]);
    return largest;
}

/// A copy of an array on the device. Enqueued.
template <typename Array>
std::unique_ptr<DeviceMemory> sent(Device& device, const Array& array) {
    const std::size_t bytes = std::size(array) * sizeof array[0];
    auto memory = device.allocate_scratch(bytes);
    device.enqueue_to_device(memory->data(), std::data(array), bytes);
    return memory;
}

}  // namespace

Signature reaching(const CsrView& matrix, const Target& target) {
    return of_pattern("reach_rows", matrix, target);
}

Signature clustering(const CsrView& matrix, const Target& target) {
    constexpr int block = 512;  // regions are fewer than a device can run blocks at a time
    return of_pattern("cluster_rows", matrix, target, {{"block", block}});
}

bool search(Device& device, const DeviceKernel& kernel, const CsrView& matrix,
            reordering::RegionSearch& search, std::uint64_t most_rounds) {
    constexpr std::size_t rounds_at_once = 16;  // before what they have found is looked at
    std::vector<std::uint32_t> went_on(search.round + most_rounds + 1);
    const std::uint64_t last = search.round + most_rounds;
    const auto reached = sent(device, search.marks());
    const auto flags = sent(device, went_on);
    StepValues values{.arrays = {{"row_ptr", matrix.row_ptr},
                                 {"csr_col_idx", matrix.col_idx},
                                 {"reached", reached->data()},
                                 {"went_on", flags->data()}},
                      .scalars = {{"num_rows", matrix.rows}}};
    bool goes_on = true;
    while (goes_on && search.round < last) {
        for (std::size_t i = 0; i < rounds_at_once; ++i) {
            values.scalars["round"] = static_cast<std::int64_t>(++search.round);
            launch_step(device, kernel, "search_round", values);
        }
        device.copy_to_host(went_on.data(), flags->data(), (search.round + 1) * sizeof went_on[0]);
        goes_on = went_on[search.round] != 0;
    }
    const bool outside = went_on[0] != 0;
    device.copy_to_host(search.reached.data(), reached->data(), search.reached.bytes());
    return !goes_on && !outside;
}

bool cluster(Device& device, const DeviceKernel& kernel, const CsrView& matrix,
             reordering::RegionsToCluster& regions) {
    if (matrix.nnz > std::numeric_limits<std::int32_t>::max() ||
        largest_region(regions.first) > most_clustered_rows)
        return false;
    ConversionCounts counts{};
    const auto labels = sent(device, regions.region_of_row);
    const auto region_ptr = sent(device, regions.first);
    const auto rows = sent(device, regions.rows);
    const auto counted = sent(device, counts);
    const std::size_t bytes = regions.rows.size() * sizeof regions.rows[0];
    const auto first_entry = device.allocate_scratch(bytes);
    const auto touched = device.allocate_scratch(bytes);
    const auto clustered = device.allocate_scratch(bytes);
    launch_step(device, kernel, "clusters_of_regions",
                {.arrays = {{"row_ptr", matrix.row_ptr},
                            {"csr_col_idx", matrix.col_idx},
                            {"region_ptr", region_ptr->data()},
                            {"region_rows", rows->data()},
                            {"labels", labels->data()},
                            {"first_entry", first_entry->data()},
                            {"touched_rows", touched->data()},
                            {"clustered", clustered->data()},
                            {"counts", counted->data()}},
                 .scalars = {{"num_rows", matrix.rows},
                             {"num_regions", std::ssize(regions.first) - 1},
                             {"cluster_size", regions.size}}});
    device.copy_to_host(counts.data(), counted->data(), sizeof counts);
    const auto furthest = static_cast<std::int64_t>(counts[count_furthest]);
    if (furthest >= matrix.rows) return false;
    device.copy_to_host(regions.rows.data(), clustered->data(), bytes);
    regions.bandwidth = furthest;
    return true;
}

}  // namespace spmvgen
