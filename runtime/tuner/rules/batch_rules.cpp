#include "tuner/rules/batch_rules.hpp"

#include <fmt/format.h>

#include <span>

#include <algorithm>

#include "families/batch.hpp"
#include "formats/batch.hpp"
#include "spmvgen/error.hpp"
#include "tuner/rules/choose.hpp"

namespace spmvgen {
namespace {

constexpr double even_batch_padding =
    1.1;  ///< ELL's entries over nonzeros, up to which rows are even
constexpr double skewed_system_padding =
    4;  ///< from which single rows hold up the others of a system
constexpr double least_vector_batch_mean =
    4;  ///< mean row, from which entries of a row fill a vector

double padding(const BatchFeatures& f) {
    return f.nnz > 0 ? static_cast<double>(f.ell_entries) / static_cast<double>(f.nnz) : 1;
}

struct FormatPick {
    std::string_view format;
    std::string reason;
};

FormatPick pick_format(const BatchFeatures& f, bool gpu) {
    const std::string figures =
        fmt::format("mean row {:.1f}, padding {:.2f} in ELL", f.mean_row(), padding(f));
    if (gpu && padding(f) <= even_batch_padding) return {"ell", figures};
    if (gpu && padding(f) >= skewed_system_padding) return {"coo", figures};
    return {"csr", figures};
}

/// The kernel: the one asked for, the one of the format asked for, or the rule's.
const KernelEntry& pick(const BatchFeatures& f, const Request& request, std::string& reason) {
    const auto among = candidates(request);
    const bool gpu = architecture(request.target).kind != TargetKind::host;
    reason = "named by the caller";
    if (request.kernel != "auto") {
        if (!among.front()->batch)
            throw Error(ErrorCode::invalid_argument,
                        fmt::format("kernel {} is for single matrices: use a kernel of batches, "
                                    "such as {}",
                                    request.kernel, gpu ? "batch_csr" : "batch_csr_rows"));
        return *among.front();
    }
    if (among.size() == 1) {
        reason = fmt::format("the one kernel of batches of format {}{}",
                             to_string(among.front()->format),
                             request.params.empty() ? "" : " with these parameters");
        return *among.front();
    }
    const FormatPick chosen = pick_format(f, gpu);
    const auto found = std::ranges::find_if(
        among, [&](auto* entry) { return to_string(entry->format) == chosen.format; });
    const KernelEntry& entry = found != among.end() ? **found : *among.front();
    reason = fmt::format("{}: {}", chosen.reason, entry.id);
    return entry;
}

/// Powers of two from the least to the most.
struct Powers {
    std::int64_t least, most;
    std::vector<std::int64_t> all() const {
        std::vector<std::int64_t> list;
        for (std::int64_t power = least; power <= most; power *= 2) list.push_back(power);
        return list;
    }
};
constexpr Powers blocks{64, 256}, groups{1, 16};
Powers subwarps(const Target& target) {
    return {1, std::min(32, target.wavefront)};
}
/// Lanes for rows that fill a vector.
Powers long_row_lanes(const Target& target, ValueType value) {
    const auto vector = architecture(target).vector_bytes / static_cast<int>(size_of(value));
    return {2, std::max(2, vector)};
}

std::int64_t power_below(double limit, const Powers& powers) {
    std::int64_t power = powers.least;
    while (power < powers.most && static_cast<double>(2 * power) <= limit) power *= 2;
    return power;
}

/// The smallest value that holds the largest x that fits beside what else the kernel shares.
std::int64_t choose_shared_x(const KernelEntry& entry, const BatchFeatures& f, Signature s) {
    const auto p = std::ranges::find(entry.params, "shared_x", &Parameter::name);
    std::int64_t chosen = 0;
    if (f.max_shared_cols == 0) return chosen;
    for (const std::int64_t elements : p->allowed) {
        s.params["shared_x"] = elements;
        if (batch_shared_bytes(s) > most_batch_shared) break;
        chosen = elements;
        if (elements >= f.max_shared_cols) break;
    }
    return chosen;
}

/// What the request leaves open of a GPU's kernel.
void set_gpu_params(Signature& s, const KernelEntry& entry, const BatchFeatures& f) {
    const double count = static_cast<double>(std::max<std::int64_t>(f.systems, 1));
    const double mean_rows = static_cast<double>(f.rows) / count;
    const double mean_nnz = static_cast<double>(f.nnz) / count;
    if (entry.id == "batch_csr") {
        s.params.try_emplace("subwarp", power_below(f.mean_row() / 2, subwarps(s.target)));
        const auto lanes = static_cast<double>(s.params.at("subwarp"));
        s.params.try_emplace("block", power_below(mean_rows * lanes / 2, blocks));
    } else if (entry.id == "batch_coo") {
        s.params.try_emplace("block", power_below(mean_nnz / 16, blocks));
    } else {
        s.params.try_emplace("block", power_below(mean_rows, blocks));
        const auto block = static_cast<double>(s.params.at("block"));
        const double filling = std::min(block / std::max(mean_rows, 1.0), f.mean_row() / 4);
        s.params.try_emplace("groups", power_below(filling, groups));
    }
    const Signature with_presets = [&] {
        Signature all = s;
        for (auto& p : entry.params) all.params.try_emplace(p.name, p.preset);
        return all;
    }();
    s.params.try_emplace("shared_x", choose_shared_x(entry, f, with_presets));
}

/// The same of a CPU's.
void set_cpu_params(Signature& s, const KernelEntry& entry, const BatchFeatures& f) {
    if (entry.format == Format::ell) return;
    const bool long_rows = f.mean_row() >= least_vector_batch_mean;
    s.params.try_emplace(
        "lanes", long_rows
                     ? power_below(f.mean_row() / 2, long_row_lanes(s.target, accumulator_type(s)))
                     : 1);
}

/// Every way to set one parameter more.
void vary(std::vector<Params>& ways, const std::string& name,
          std::span<const std::int64_t> values) {
    std::vector<Params> more;
    for (auto& way : ways)
        for (const std::int64_t value : values) {
            more.push_back(way);
            more.back()[name] = value;
        }
    ways = std::move(more);
}

}  // namespace

bool may_pick_batch_kernel(const KernelEntry& kernel, const Request& request) {
    // On a CPU, pick_format() knows one format only.
    const bool gpu = architecture(request.target).kind != TargetKind::host;
    return gpu || kernel.format == Format::csr || request.format != "auto" ||
           request.kernel != "auto";
}

std::vector<Params> possible_batch_params(const KernelEntry& kernel, const Request& request,
                                          ValueType value) {
    std::vector<Params> ways{{}};
    if (!kernel.gpu) {
        if (kernel.format == Format::ell) return ways;
        std::vector<std::int64_t> lanes =
            long_row_lanes(request.target, sums_type(request, value)).all();
        lanes.insert(lanes.begin(), 1);
        vary(ways, "lanes", lanes);
        return ways;
    }
    if (kernel.id == "batch_csr") vary(ways, "subwarp", subwarps(request.target).all());
    if (kernel.id == "batch_ell") vary(ways, "groups", groups.all());
    vary(ways, "block", blocks.all());
    vary(ways, "shared_x", std::ranges::find(kernel.params, "shared_x", &Parameter::name)->allowed);
    std::erase_if(ways, [&](auto& params) {
        Signature s{.kernel = std::string(kernel.id), .value = value, .params = params};
        s.target = request.target;
        for (auto& p : kernel.params) s.params.try_emplace(p.name, p.preset);
        return batch_shared_bytes(s) > most_batch_shared;
    });
    return ways;
}

Choice choose_batch(const BatchFeatures& f, const Request& asked) {
    Request request = asked;
    request.batch = true;
    Choice choice;
    const KernelEntry& entry = pick(f, request, choice.reason);
    Signature& s = choice.signature;
    s.kernel = entry.id;
    s.value = vectors_type(request, f.value_type);
    s.storage = stored_type(request, f.value_type);
    s.accumulator = request.accumulator;
    s.epilogue = request.epilogue;
    s.params = request.params;
    s.target = request.target;
    const auto type_for = [](std::int64_t largest) {
        return largest < std::int64_t{1} << 31 ? IndexType::i32 : IndexType::i64;
    };
    s.index = type_for(std::max(f.max_rows, f.max_cols));
    s.offset = type_for(largest_offset(f));
    const bool gpu = architecture(s.target).kind != TargetKind::host;
    if (gpu && entry.gpu) set_gpu_params(s, entry, f);
    if (!gpu && !entry.gpu) set_cpu_params(s, entry, f);
    s = complete(s);
    return choice;
}

}  // namespace spmvgen
