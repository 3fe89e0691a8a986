#include "tuner/chooser/chooser.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>

#include "formats/value_encoding.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "tuner/chooser/block_choice.hpp"
#include "tuner/chooser/counted_choice.hpp"
#include "tuner/chooser/exact_values.hpp"
#include "tuner/chooser/gathers.hpp"
#include "tuner/cost/figures/figures.hpp"
#include "tuner/cost/work/gpu_units.hpp"
#include "tuner/plan/kernel_plan.hpp"
#include "tuner/rules/choose.hpp"
#include "tuner/rules/matrix_rules.hpp"
#include "tuner/rules/paper_rules.hpp"

namespace spmvgen {
namespace {

int given(const Request& request, const char* name) {
    const auto found = request.params.find(name);
    const bool usable =
        found != request.params.end() && found->second >= 1 && found->second <= most_block;
    return usable ? static_cast<int>(found->second) : 0;
}

/// Entries, of a CPU entries and rows: with fewer all that rules choose takes little more than a
/// launch, and weighing others some thousand times as long.
constexpr std::int64_t least_weighed_gpu = 500, least_weighed_cpu = 2'000;
/// Entries: with fewer the L2 serves x well (an H200, docs/explanation/tiles.md).
constexpr std::int64_t least_hub_entries = 15'000'000;
/// Entries, from which on it pays to look what blocks of threads share of x.
constexpr std::int64_t least_gathered_entries = 4'000'000;
/// Entries that are looked at for the fill: one of so many of the sample's, of a CPU within limits.
constexpr std::int64_t filled_share = 2, least_filled_cpu = 2'000, most_filled_cpu = 6'000;
constexpr std::int64_t sampled_for_hubs = 1 << 17;           ///< entries
constexpr std::int64_t least_sampled_hub_entries = 500'000;  ///< with fewer all are counted
/// So many hubs seem to have, by the sample of rows, at least a third of what they have.
constexpr std::int64_t many_hubs = 16'384;
constexpr double least_share_of_sample = 1.0 / 3;
constexpr double least_hub_index_bytes = 3;  ///< of strips, a nonzero
constexpr double least_blocked_mean = 6;     ///< mean row, for blocks

/// The kernel of format strips among several that a request leaves free; null = there is none.
const KernelEntry* free_strips(const Request& request) {
    if (request.kernel != "auto") return nullptr;
    const auto among = candidates(request);
    const auto strips = std::ranges::find(among, Format::strips, &KernelEntry::format);
    return among.size() > 1 && strips != among.end() ? *strips : nullptr;
}

}  // namespace

Chooser::Chooser(const CsrView& matrix, const RowFeatures& features, int threads,
                 EntrySource* source, ChoiceMemory* memory)
    : matrix_(matrix), features_(features), threads_(threads), source_(source), memory_(memory) {}

Chooser::~Chooser() = default;

Choice Chooser::operator()(Request request) {
    const Request asked = request;
    believes_ = source_ == nullptr && is_host(request);
    Choice choice = sampled(request);
    believes_ = false;
    if (has_believed(choice)) {
        Request with_all = asked;
        const ExactValues believed = *exact_;
        look_at_values(with_all);
        if (*exact_ != believed) choice = sampled(request = asked);
    }
    if (has_shorter_diagonals(choice)) choice = weighed(request = asked);
    settle(choice, request);
    return choice;
}

Choice Chooser::weighed(Request& request) {
    Request asked = request;
    std::vector<CountedChoice::Candidate> others;
    Choice choice = sampled_of_team(request, others);
    while (has_emptier_blocks(choice, asked)) choice = sampled_of_team(request = asked, others);
    if (has_too_large_strips(choice, asked)) {
        asked.without = Format::strips;
        choice = sampled_of_team(request = asked, others);
    }
    if (!asked.smaller_teams.empty() && is_weighed(asked))
        take_smaller_team(choice, request, asked, others);
    if (key_) memory_->keep(*key_, {choice, predict(choice.signature, request)});
    return choice;
}

bool Chooser::is_weighed(const Request& request) const {
    const bool is_large = is_host(request) ? matrix_.nnz + matrix_.rows >= least_weighed_cpu
                                           : matrix_.nnz >= least_weighed_gpu;
    return request.rule.empty() && request.look && is_large;
}

Choice Chooser::sampled_of_team(Request& request, std::vector<CountedChoice::Candidate>& others) {
    Choice choice = by_rules(request);
    if (request.kernel == "auto" && is_weighed(request))
        unless_plain_is_cheaper(choice, request, others);
    return choice;
}

void Chooser::take_sample(const Request& request) {
    if (sample_) return;
    if (source_ != nullptr && wants_values(request))
        source_->expect_values(values_looked_at_first(matrix_.nnz));
    sample_ = SampledRows::of_choice(matrix_, is_host(request) ? host_sample : gpu_sample, source_);
    const std::int64_t wanted = sample_->wanted();
    most_filled_ = wanted / filled_share;
    if (is_host(request))
        most_filled_ = std::clamp(most_filled_, least_filled_cpu, most_filled_cpu);
    strips_.emplace(matrix_, features_, *sample_, threads_);
    sampled_tiles_.emplace([this]() -> const SampledHubs& { return hubs(); });
}

Choice Chooser::by_rules(Request& request) {
    take_sample(request);
    if (!request.rule.empty() && request.kernel == "auto")
        request = with_paper_rule(std::move(request), paper_rule(request.rule));
    look_at_values(request);
    if (wants_blocks(request) || may_have_blocks(request)) look_at_blocks(request);
    look_at_strips(request);
    look_at_hubs(request);
    look_at_gathers(request);
    Choice choice = choose(features_, request);
    fit(choice, request);
    return choice;
}

void Chooser::settle(Choice& choice, const Request& request) {
    if (matrix_.nnz == 0) return;
    const Format format = kernel_entry(choice.signature.kernel).format;
    std::string found;
    if (format == Format::strips)
        found = strips_->settle(choice.signature, request.params, all_of_matrix());
    if (format == Format::tiles) {
        const bool counts_all = matrix_.nnz < least_sampled_hub_entries;
        if (counts_all && !tiles_) tiles_.emplace(all_of_matrix(), threads_);
        found = (counts_all ? tiles_ : sampled_tiles_)->fit(choice.signature, request.params);
    }
    if (!found.empty()) choice.reason += "; " + found;
}

std::vector<Params> Chooser::grid_params(const KernelEntry& kernel, Request request) {
    if (matrix_.nnz == 0) return {{}};
    request.kernel = kernel.id;
    const bool blocked = kernel.format == Format::bcsr;
    if (blocked) look_at_blocks(request);
    const Situation situation{features_, request, {&kernel}};
    const BlockFill fills = blocked ? fill() : BlockFill();
    return grid_of(kernel, situation, fills);
}

std::vector<Params> Chooser::params_beside(const KernelEntry& kernel, const Params& best,
                                           Request request) const {
    request.kernel = kernel.id;
    return sets_beside(kernel, {features_, request, {&kernel}}, best);
}

std::optional<Choice> Chooser::sampled_of_grid(const KernelEntry& kernel, const Params& params,
                                               Request request) {
    request.kernel = kernel.id;
    request.params.insert(params.begin(), params.end());
    try {
        return by_rules(request);
    } catch (const Error&) {  // what the caller fixed does not go with it
        return std::nullopt;
    }
}

std::optional<Choice> Chooser::of_grid(const KernelEntry& kernel, const Params& params,
                                       Request request) {
    request.kernel = kernel.id;
    request.params.insert(params.begin(), params.end());
    try {
        return (*this)(std::move(request));
    } catch (const Error&) {  // what the caller fixed does not go with it
        return std::nullopt;
    }
}

std::vector<Choice> Chooser::grid(const KernelEntry& kernel, const Request& request) {
    std::vector<Choice> choices;
    for (auto& params : grid_params(kernel, request))
        if (auto choice = of_grid(kernel, params, request)) choices.push_back(std::move(*choice));
    return choices;
}

bool Chooser::may_have_blocks(const Request& request) {
    if (!request.look || request.kernel != "auto" || features_.mean_row < least_blocked_mean ||
        features_.mean_row > most_blocked_mean)
        return false;
    const bool host = is_host(request);
    if (!host && request.num_rhs == 1 && features_.rows >= most_blocked_rows) return false;
    const auto among = candidates(request);
    const KernelEntry* const blocked = find_kernel(among, host ? "bcsr" : "bcsr_fused");
    return among.size() > 1 && blocked != nullptr && (host || may_win(*blocked, request));
}

const SampledHubs& Chooser::hubs() {
    if (hubs_) return *hubs_;
    hubs_.emplace(*sample_);
    if (sample_->is_whole() || matrix_.nnz < least_sampled_hub_entries ||
        hubs_->share(many_hubs) < least_share_of_sample * few_hub_entries)
        return *hubs_;
    return hubs_.emplace(matrix_, source_);
}

const BlockFill& Chooser::fill() {
    if (fill_) return *fill_;
    fill_ = has_neighbours(sample_->view()) ? sampled_block_fill(sample_->view(), most_filled_, 1)
                                            : fill_of_single_entries();
    fill_->share *= static_cast<double>(sample_->view().rows) /
                    static_cast<double>(std::max<std::int64_t>(matrix_.rows, 1));
    return *fill_;
}

bool Chooser::wants_values(const Request& request) const {
    const std::int64_t least = is_host(request) ? least_encoded_cpu : least_encoded_gpu;
    return request.encode && request.look && !request.exact && matrix_.nnz >= least;
}

void Chooser::look_at_values(Request& request) {
    if (!wants_values(request)) return;
    // A CPU widens f16 in too many steps.
    if (!exact_ && believes_) {
        exact_ = likely_values(matrix_, false, threads_);
        is_believed_ = exact_->value_code == static_cast<std::int64_t>(ValueCode::dictionary);
    }
    if (!exact_ || (is_believed_ && !believes_)) {
        exact_ = exact_values(matrix_, !is_host(request), threads_, source_);
        is_believed_ = false;
    }
    request.exact = exact_;
}

bool Chooser::has_shorter_diagonals(const Choice& choice) {
    return predictions_ != nullptr && plan_of(choice.signature.kernel).needs_diagonals &&
           predictions_->has_more_heads();
}

bool Chooser::has_emptier_blocks(const Choice& choice, const Request& asked) {
    constexpr std::int64_t most_spread = 16'000, spread_share = 4, times_as_many = 3;  // entries
    constexpr double more = 1.15, far_more = 2, well_known = 0.5;  // the last: share of the rows
    const Signature& s = choice.signature;
    if (wants_blocks(asked) || kernel_entry(s.kernel).format != Format::bcsr || !fill_ ||
        fill_->share >= well_known || source_ != nullptr)
        return false;
    const auto rows = static_cast<int>(s.params.at("block_rows")),
               cols = static_cast<int>(s.params.at("block_cols"));
    if (rows * cols == 1) return false;
    const double times =
        spread_block_fill(matrix_, rows, cols, std::min(most_spread, matrix_.nnz / spread_share)) /
        std::max(fill_->at(rows, cols), 1.0);
    if (times <= more) return false;
    // Strips of long rows are few, and can mislead again.
    const bool hopeless = times > far_more || looked_again_at_fill_;
    looked_again_at_fill_ = true;
    fill_ = hopeless ? fill_of_single_entries()
                     : sampled_block_fill(matrix_, times_as_many * most_filled_, threads_);
    blocks_.clear();
    predictions_ = nullptr;
    strips_.emplace(matrix_, features_, *sample_, threads_);
    return true;
}

bool Chooser::has_too_large_strips(const Choice& choice, const Request& asked) {
    return kernel_entry(choice.signature.kernel).format == Format::strips && strips_ &&
           free_strips(asked) != nullptr && strips_->is_too_large(choice.signature);
}

bool Chooser::has_believed(const Choice& choice) const {
    const auto code = static_cast<std::int64_t>(ValueCode::dictionary);
    return is_believed_ && param(choice.signature, "value_code", 0) == code;
}

void Chooser::look_at_blocks(Request& request) {
    const BlockProblem problem{.rows = matrix_.rows,
                               .nnz = matrix_.nnz,
                               .value = vectors_type(request, features_.value_type),
                               .storage = stored_type(request, features_.value_type),
                               .index = features_.cols < std::numeric_limits<std::int32_t>::max()
                                            ? IndexType::i32
                                            : IndexType::i64,
                               .rows_given = given(request, "block_rows"),
                               .cols_given = given(request, "block_cols"),
                               .num_rhs = request.num_rhs};
    const bool shares_x = request.num_rhs > 1 && !is_host(request) && problem.rows_given == 0 &&
                          problem.cols_given == 0;
    const auto [found, is_new] = blocks_.try_emplace(
        {problem.value, problem.storage, problem.rows_given, problem.cols_given, problem.num_rhs});
    if (is_new && shares_x) {
        found->second = choose_rows_of_block(fill(), problem);
    } else if (is_new) {
        const std::string device =
            request.device.empty() ? to_string(request.target) : request.device;
        found->second = choose_block(
            fill(), problem, find_dense_profile(device, is_host(request) ? request.threads : 0));
    }
    request.blocks = found->second;
}

void Chooser::look_at_strips(Request& request) {
    if (request.strips || !request.look || !may_be_strips(features_, is_host(request))) return;
    const KernelEntry* const entry = free_strips(request);
    if (entry == nullptr || !may_win(*entry, request)) return;
    Request named = request;
    named.format = "auto";
    named.kernel = entry->id;
    Choice choice = choose(features_, named);
    fit(choice, named);
    request.strips = strips_->outlook(choice.signature);
}

bool Chooser::may_win(const KernelEntry& kernel, const Request& request) {
    if (request.kernel != "auto" || request.num_rhs > 1 || !is_weighed(request)) return true;
    const Signature plain = choose(features_, request).signature;
    const auto time = predict(plain, request);
    if (!time) return true;
    CountedChoice& counted = *predictions(request);
    if (is_host(request)) {
        const auto least = counted.bound(kernel, {}, request);
        return !least || least->us < time->us;
    }
    const bool needs_fill = kernel.format == Format::bcsr;  // for its grid, which this may spare
    const auto grid = needs_fill ? std::vector<Params>{{}} : grid_params(kernel, request);
    return std::ranges::any_of(grid, [&](const Params& params) {
        const auto least = counted.bound(kernel, params, request);
        return !least || least->us < time->us;
    });
}

void Chooser::look_at_hubs(Request& request) {
    if (request.hubs || !request.look || request.num_rhs > 1 || matrix_.nnz < least_hub_entries)
        return;
    // What is compressed well is none of a network.
    if (request.strips && request.strips->index_bytes < least_hub_index_bytes) return;
    const auto among = candidates(request);
    if (among.size() < 2 || find_kernel(among, "tiles_hubs") == nullptr) return;
    const std::int64_t hubs = hub_blocks(request, features_.value_type).hubs;
    if (matrix_.cols <= 2 * hubs) return;
    const auto columns_of_sector = static_cast<unsigned>(
        gpu::sector / static_cast<double>(size_of(vectors_type(request, features_.value_type))));
    if (!concentrations_.contains(hubs))
        concentrations_[hubs] = concentration(matrix_, hubs, std::countr_zero(columns_of_sector),
                                              sampled_for_hubs, source_);
    const auto& [in_hubs, in_sectors] = concentrations_.at(hubs);
    request.hubs = HubsOutlook{hubs, in_hubs, in_sectors};
}

void Chooser::look_at_gathers(Request& request) {
    if (request.saved_gathers || !request.look || is_host(request) || request.num_rhs > 1 ||
        matrix_.nnz < least_gathered_entries || !may_ask_for_gathers(features_))
        return;
    const auto among = candidates(request);
    if (among.size() < 2 || find_kernel(among, "sell_slices") == nullptr) return;
    const ValueType vectors = vectors_type(request, features_.value_type);
    if (!saved_gathers_.contains(vectors))
        saved_gathers_[vectors] = saved_by_large_blocks(matrix_, vectors, threads_, source_);
    request.saved_gathers = saved_gathers_.at(vectors);
}

void Chooser::fit(Choice& choice, const Request& request) {
    if (matrix_.nnz == 0) return;
    const Format format = kernel_entry(choice.signature.kernel).format;
    if (format == Format::strips)
        strips_->fit(choice.signature, request.params, [this] { return fill(); });
    if (format != Format::tiles) return;
    if (!request.params.contains("gaps"))
        choice.signature.params["gaps"] = features_.empty_rows > 0 ? 1 : 0;
    sampled_tiles_->fit(choice.signature, request.params);
}

}  // namespace spmvgen
