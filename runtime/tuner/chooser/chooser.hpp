#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/plans/tiles_plan.hpp"
#include "matrix/entry_source.hpp"
#include "matrix/features/block_fill.hpp"
#include "registry.hpp"
#include "spmvgen/matrix.hpp"
#include "tuner/chooser/counted_choice.hpp"
#include "tuner/chooser/strips_choice.hpp"
#include "tuner/chooser/tiles_choice.hpp"
#include "tuner/cost/prediction.hpp"
#include "tuner/recall/choice_memory.hpp"
#include "tuner/rules/choose.hpp"
#include "tuner/rules/rules.hpp"

namespace spmvgen {

/// Entries of a CPU's and of a GPU's matrix from which on it pays to look whether values can be
/// stored in fewer bytes: with fewer, caches or a launch decide.
inline constexpr std::int64_t least_encoded_cpu = 100'000, least_encoded_gpu = 250'000;

/// Whether it asks for a kernel of a CPU.
inline bool is_host(const Request& request) {
    return architecture(request.target).kind == TargetKind::host;
}

/// A kernel and what is predicted of it.
struct Ranked {
    Choice choice;
    Prediction prediction;
};

/// choose() for one matrix with these features, with what the matrix itself says of it. A sample of
/// its rows decides; each thing is looked at once, when a request needs it:
/// - for blocked CSR, and with Request::look where it is one of several kernels, the fill of
///   blocks, and the device's profile among tuning_files("dense-");
/// - with Request::encode and ::look what values can be stored as without loss: of all of them,
///   where a few say that they can be;
/// - for strips how the columns compress, for their parameters of the matrix and, with
///   Request::look, for the rules when row lengths leave strips in the running; in all of the
///   matrix once strips are chosen;
/// - for tiles with hubs how many entries how many columns have;
/// - with Request::profile predicted times of all kernels;
/// - with Request::look how much of x larger blocks of a GPU's threads would share.
/// With a memory, a choice that predicted times decided is taken as it was made before, where the
/// sample, the row lengths and the request are the same.
/// The matrix, what has its entries, and the memory must outlive it. For one thread at a time.
class Chooser {
  public:
    /// threads = 0: what OpenMP would use. `source` has columns and values where the matrix has
    /// only row offsets: what is looked at is fetched from there; null = the matrix has them.
    /// `memory`: null = each choice is made anew.
    Chooser(const CsrView& matrix, const RowFeatures& features, int threads = 0,
            EntrySource* source = nullptr, ChoiceMemory* memory = nullptr);
    Chooser(const CsrView&, RowFeatures&&, int = 0, EntrySource* = nullptr,
            ChoiceMemory* = nullptr) = delete;  // the features are kept
    ~Chooser();
    Chooser(const Chooser&) = delete;
    Chooser& operator=(const Chooser&) = delete;
    /// Throws Error(invalid_argument) as choose().
    Choice operator()(Request request);
    /// The same as far as a sample of the matrix tells: what settle() sets may yet be another.
    Choice sampled(Request& request);
    /// Looks at all of the matrix for what the chosen kernel must know of it.
    void settle(Choice& choice, const Request& request);
    /// The parameter sets that are compared of one of the kernels that a request leaves free
    /// (KernelPlan::grid).
    std::vector<Params> grid_params(const KernelEntry& kernel, Request request);
    /// More of these (sets_beside()), when `best` was the best of them.
    std::vector<Params> params_beside(const KernelEntry& kernel, const Params& best,
                                      Request request) const;
    /// The kernel with these and with what the matrix decides; what the request gives wins. Nothing
    /// when the request refuses it.
    std::optional<Choice> of_grid(const KernelEntry& kernel, const Params& params, Request request);
    /// The same as far as the sample tells.
    std::optional<Choice> sampled_of_grid(const KernelEntry& kernel, const Params& params,
                                          Request request);
    /// All of the grid of a kernel.
    std::vector<Choice> grid(const KernelEntry& kernel, const Request& request);
    /// Of the kernels that the request leaves free those with the least predicted times, at most so
    /// many of them, the least first, as far as the sample tells; none without Request::profile.
    std::vector<Ranked> ranked(const Request& request, std::size_t most);
    /// Whether a choice was held against predicted times: then predict() takes next to nothing.
    bool has_predicted() const { return predictions_ != nullptr || recalled_; }
    /// Of a choice that was recalled: whether another order of the rows pays; null = not known.
    const KnownOrder* known_order() const;
    /// Notes whether one does, for those that recall the choice.
    void note_order(const KnownOrder& order);
    /// The time of an apply on the device of Request::profile; of a choice that was recalled, as it
    /// was predicted then.
    std::optional<Prediction> predict(const Signature& signature, const Request& request);
    /// Sectors of x an entry that 512 neighbouring rows ask for, at most, by the sample that a
    /// choice looks at; nothing where nothing is predicted.
    std::optional<double> most_sectors_of_blocks(const Request& request);
    /// How a signature of format strips lies, where that was looked at for the last choice; null
    /// otherwise. For convert(), and given once.
    std::unique_ptr<StripsLayout> take_layout(const Signature& signature) {
        return strips_ ? strips_->take_layout(signature) : nullptr;
    }

  private:
    friend class CountedChoice;  ///< asks for what is not settled yet
    /// Takes the sample when the first request comes.
    void take_sample(const Request& request);
    /// Whether predicted times decide.
    bool is_weighed(const Request& request) const;
    /// By what the choice is recalled and kept; nothing = it is made anew. Takes the sample, and
    /// looks at values.
    std::optional<ChoiceKey> key_of(Request& request);
    Choice recalled(KnownChoice known, Request& request);
    /// Whether it is of the kernel that was recalled, with the same of all that is a choice.
    bool is_recalled(const Signature& signature) const;
    /// sampled(), made anew, and kept for what `key_` stands for.
    Choice weighed(Request& request);
    /// The choice for Request::threads; `others` are the kernels that were weighed for it.
    Choice sampled_of_team(Request& request, std::vector<CountedChoice::Candidate>& others);
    /// In its place the one of `asked`.smaller_teams that is predicted to be faster; then `request`
    /// is of that team.
    void take_smaller_team(Choice& choice, Request& request, const Request& asked,
                           std::span<const CountedChoice::Candidate> others);
    /// For the team of `request`: the same kernel, which takes `same` there, or one of `others`
    /// that saves the constants' margin of that.
    std::optional<Choice> of_smaller_team(const Choice& choice, const Prediction& same,
                                          const Request& request,
                                          std::span<const CountedChoice::Candidate> others);
    /// The rules' choice, as far as the sample tells.
    Choice by_rules(Request& request);
    bool may_have_blocks(const Request& request);
    bool wants_values(const Request& request) const;
    void look_at_values(Request& request);
    /// Whether the choice has a dictionary that not all values were looked at for.
    bool has_believed(const Choice& choice) const;
    /// Whether a kernel with KernelPlan::needs_diagonals was chosen by a sample that has longer
    /// ones than the matrix.
    bool has_shorter_diagonals(const Choice& choice);
    /// Whether blocks that nobody asked for were chosen by a sample that has fuller ones than the
    /// matrix. Then more of it is looked at, or where that is hopeless, it is taken to have none.
    bool has_emptier_blocks(const Choice& choice, const Request& asked);
    /// Whether strips that nobody asked for were chosen by a sample that has less padding than the
    /// matrix, for which they would be too large.
    bool has_too_large_strips(const Choice& choice, const Request& asked);
    void look_at_blocks(Request& request);
    void look_at_strips(Request& request);
    /// Whether a GPU's kernel could be faster than what rules choose without a look at its layout.
    bool may_win(const KernelEntry& kernel, const Request& request);
    void look_at_hubs(Request& request);
    void look_at_gathers(Request& request);
    /// Sets the parameters that the matrix decides and the request leaves open.
    void fit(Choice& choice, const Request& request);
    const BlockFill& fill();
    const SampledHubs& hubs();
    /// The matrix with its columns and values.
    const CsrView& all_of_matrix() { return source_ != nullptr ? source_->all() : matrix_; }
    /// What its predicted time is the least of, in place of the rules' choice where that is
    /// predicted to take longer by more than the constants' margin.
    void unless_plain_is_cheaper(Choice& choice, const Request& request,
                                 std::vector<CountedChoice::Candidate>& others);
    /// Null where nothing can be predicted.
    CountedChoice* predictions(const Request& request);

    const CsrView matrix_;
    const RowFeatures& features_;
    const int threads_;
    EntrySource* const source_;
    std::optional<BlockFill> fill_;
    std::optional<SampledHubs> hubs_;
    std::optional<ExactValues> exact_;
    bool believes_ = false;     ///< whether exact_ may have a dictionary that a few values suggest
    bool is_believed_ = false;  ///< whether it has such a one
    /// By types of vectors and values, the sizes that are given, and right-hand sides.
    std::map<std::tuple<ValueType, ValueType, int, int, int>, BlockChoice> blocks_;
    std::map<ValueType, double> saved_gathers_;
    std::map<std::int64_t, Concentration> concentrations_;  ///< by number of hubs
    std::optional<SampledRows> sample_;
    std::int64_t most_filled_ = 0;  ///< entries that fill() looks at
    bool looked_again_at_fill_ = false;
    std::optional<StripsChooser> strips_;
    std::optional<TilesChooser> sampled_tiles_;
    std::optional<TilesChooser> tiles_;  ///< of all of the matrix
    std::unique_ptr<CountedChoice> predictions_;
    ChoiceMemory* const memory_;
    std::optional<ChoiceKey> key_;         ///< of the last choice by the sample
    std::optional<KnownChoice> recalled_;  ///< that, where it was recalled
};

/// The same for one request.
inline Choice choose_for(const CsrView& matrix, const RowFeatures& features, Request request,
                         int threads = 0) {
    return Chooser(matrix, features, threads)(std::move(request));
}

}  // namespace spmvgen
