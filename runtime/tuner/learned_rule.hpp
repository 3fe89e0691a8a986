#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/record.hpp"
#include "tuner/rules.hpp"
#include "tuner/tuning_files.hpp"

/// Level `rule`, learned: a small decision tree over the features of row lengths, trained from
/// tuning_db by `spmvbench train` (docs/tuning.md), as data that people can read.
namespace spmvgen {

/// A figure that trees ask for.
struct TreeFeature {
    std::string_view name;                             ///< in files: "mean_row"
    std::string_view words;                            ///< for people: "mean row"
    double (*of)(const RowFeatures&, const Request&);  ///< finite, whatever the features
};
std::span<const TreeFeature> tree_features();

/// As a leaf's kernel: what the hand-written rules choose.
inline constexpr std::string_view hand_written = "auto";

/// A question, or where questions end.
struct TreeNode {
    const TreeFeature* feature = nullptr;  ///< null: a leaf
    double below = 0;                      ///< limit: less goes on to `less`
    std::size_t less = 0, not_less = 0;    ///< indices of nodes, above this node's

    std::string kernel = {};  ///< of a leaf, or `hand_written`
    Params params = {};       ///< where they are not to be as the hand-written rules set them
    int matrices = 0;         ///< that it was chosen by
    double mean = 1;          ///< geometric mean of its time over the best kernel's on them
    double worst = 1;         ///< the largest of these
    bool operator==(const TreeNode&) const = default;
};

/// A file rule-*.json of tuning_db.
struct LearnedRule {
    RecordDevice device;                      ///< where it was trained
    std::vector<ValueType> values;            ///< and with what values
    int least_threads = 0, most_threads = 0;  ///< of a CPU; 0 = a GPU
    std::vector<TreeNode> nodes;              ///< the first is the root; never empty
    std::string file = {};                    ///< its name in tuning_db; no part of the text
    bool operator==(const LearnedRule&) const = default;
};

/// Throws Error(invalid_input) that says what is wrong with the text: no JSON, another kind or
/// schema, a field that is missing or of another type, a feature, kernel or parameter that this
/// version does not have, a tree that is too deep.
LearnedRule parse_learned_rule(std::string_view text);

/// The rules of the files, in order. What is broken or of another schema is left out, with a line
/// in `warnings` that says why.
std::vector<LearnedRule> read_learned_rules(std::span<const TuningFile> files,
                                            std::vector<std::string>& warnings);

/// Those of tuning_files("rule-"): read once in a process, warnings written to the log. Safe to
/// call from any thread.
std::span<const LearnedRule> learned_rules();

/// How near the device is that a rule was trained on.
enum class Nearness { device, architecture, vendor };

struct FoundRule {
    const LearnedRule* rule = nullptr;  ///< null: none decides
    Nearness nearness = Nearness::device;
};

/// The rule that decides a request, or none: it decides only what it was trained for, which is one
/// right-hand side, no op, nothing fixed, all of one type that it knows, and so many threads. The
/// nearest device's; of several the first.
FoundRule find_learned_rule(std::span<const LearnedRule> rules, const Request& request,
                            ValueType value);

/// Its kernel for a matrix with these features and why; the id is the rule's own text. An empty
/// pick: it leaves the choice to the hand-written rules.
Pick pick_learned(const FoundRule& found, const RowFeatures& features, const Request& request);

/// The leaves with a kernel of all rules that could decide such a request on some device of its
/// target, with any number of threads.
std::vector<const TreeNode*> possible_leaves(std::span<const LearnedRule> rules,
                                             const Request& request, ValueType value);

}  // namespace spmvgen
