#include "matrix/reorder/band_k.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "matrix/chunks.hpp"

namespace spmvgen::reordering {
namespace {

constexpr std::int64_t coarse_vertices_a_part =
    512;  ///< coarse vertices that a thread takes at a time

/// Replaces the vertices of a coarse graph, which are in order, by the vertices of a finer one.
class Expansion {
  public:
    /// `coarse_order[i]` = coarse vertex at place i.
    Expansion(const Graph& fine, const Coarsening& coarsening,
              std::span<const std::int32_t> coarse_order)
        : fine_(fine),
          group_of_(coarsening.group_of),
          coarse_order_(coarse_order),
          members_(bucket(group_of_, static_cast<std::int32_t>(coarse_order.size()))),
          group_place_(coarse_order.size()),
          begins_(coarse_order.size() + 1, 0),
          pull_(group_of_.size()),
          taken_(group_of_.size(), 0) {
        for (std::size_t i = 0; i < coarse_order.size(); ++i) {
            group_place_[at(coarse_order[i])] = static_cast<std::int32_t>(i);
            begins_[i + 1] =
                begins_[i] + static_cast<std::int32_t>(members_.of(coarse_order[i]).size());
        }
    }

    /// The order of the finer vertices. Groups are independent of each other.
    std::vector<std::int32_t> order(int threads) {
        std::vector<std::int32_t> result(group_of_.size());
        for_parts(static_cast<std::int64_t>(coarse_order_.size()), coarse_vertices_a_part, threads,
                  [&](std::int64_t begin, std::int64_t end, int) {
                      for (std::int64_t i = begin; i < end; ++i)
                          order_group(coarse_order_[at(i)],
                                      std::span(result).subspan(at(begins_[at(i)])));
                  });
        return result;
    }

    /// Where each group begins in the finer order.
    std::vector<std::int32_t> take_begins() { return std::move(begins_); }

  private:
    /// Breadth first from the vertex that is drawn most to what comes before the group; neighbours
    /// by the same measure.
    void order_group(std::int32_t group, std::span<std::int32_t> result) {
        const auto members = members_.of(group);
        for (const std::int32_t v : members) pull_[at(v)] = pull(v, group);
        const auto earlier = [&](std::int32_t v, std::int32_t w) {
            return std::tuple(pull_[at(v)], fine_.degree(v), v) <
                   std::tuple(pull_[at(w)], fine_.degree(w), w);
        };
        std::vector<std::int32_t> starts(members.begin(), members.end());
        std::ranges::sort(starts, earlier);
        std::size_t done = 0, found = 0;
        for (const std::int32_t start : starts) {
            if (taken_[at(start)] != 0) continue;
            taken_[at(start)] = 1;
            result[found++] = start;
            for (; done < found; ++done) {
                const std::size_t first = found;
                for (const std::int32_t w : fine_.neighbours(result[done])) {
                    if (group_of_[at(w)] != group || taken_[at(w)] != 0) continue;
                    taken_[at(w)] = 1;
                    result[found++] = w;
                }
                std::sort(result.data() + first, result.data() + found, earlier);
            }
        }
    }

    /// How far v's neighbours in other groups lie behind (positive) or before its own, summed.
    std::int64_t pull(std::int32_t v, std::int32_t group) const {
        std::int64_t sum = 0;
        for (std::int64_t e = fine_.first[at(v)]; e < fine_.first[at(v) + 1]; ++e) {
            const std::int32_t of_neighbour = group_of_[at(fine_.neighbour[at(e)])];
            sum += static_cast<std::int64_t>(fine_.edge_weight_at(e)) *
                   (group_place_[at(of_neighbour)] - group_place_[at(group)]);
        }
        return sum;
    }

    const Graph& fine_;
    std::span<const std::int32_t> group_of_, coarse_order_;
    Buckets members_;
    std::vector<std::int32_t> group_place_;
    std::vector<std::int32_t> begins_;  ///< by place
    std::vector<std::int64_t> pull_;
    std::vector<char> taken_;
};

}  // namespace

BandOrder band_k(const Graph& graph, const BandK& band, int threads) {
    std::vector<Coarsening> levels;
    levels.reserve(2);  // levels refer to the graphs of those before
    levels.push_back(coarsen(graph, band.super_row, threads));
    if (band.k == 3)
        levels.push_back(coarsen(levels.front().coarse, band.super_super_row, threads));

    BandOrder result;
    result.order = cuthill_mckee(levels.back().coarse);
    std::ranges::reverse(result.order);
    for (std::size_t i = levels.size(); i-- > 0;) {
        const Graph& fine = i > 0 ? levels[i - 1].coarse : graph;
        Expansion expansion(fine, levels[i], result.order);
        std::vector<std::int32_t> finer = expansion.order(threads);
        result.groups.insert(result.groups.begin(), expansion.take_begins());
        result.order = std::move(finer);
    }
    return result;
}

}  // namespace spmvgen::reordering
