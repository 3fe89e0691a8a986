#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "store/shared_lines.hpp"
#include "tuner/cost/prediction.hpp"
#include "tuner/recall/choice_key.hpp"
#include "tuner/request.hpp"

namespace spmvgen {

/// Whether another order of the rows pays, as was found out.
struct KnownOrder {
    bool in_clusters = false;  ///< false = the rows stay as they come
    double us = 0;             ///< of an apply with the rows in clusters, as predicted
    double plain_us = 0;       ///< with the rows as they come
    std::string reason = {};   ///< for clusters: one line for people

    bool operator==(const KnownOrder&) const = default;
};

/// A choice that was made by a sample, and what is predicted of it.
struct KnownChoice {
    Choice choice;
    std::optional<Prediction> prediction = {};
    std::optional<KnownOrder> order = {};  ///< nothing = nobody has asked yet
};

/// Choices that were made before, by what they depend on, so that none is made again for a matrix
/// of the same structure. The last ones of this process are kept, and with a file those of all
/// processes that use it. Safe for any number of threads.
class ChoiceMemory {
  public:
    static constexpr std::size_t usual_most = 1024;

    /// At most so many choices of this process. The file is read when a choice is looked for.
    explicit ChoiceMemory(SharedLines file = {}, std::size_t most = usual_most)
        : most_(most), file_(std::move(file)) {}

    /// What is known for the key of a request for that target.
    std::optional<KnownChoice> find(const ChoiceKey& key, const Target& target);
    /// In place of what was known of it.
    void keep(const ChoiceKey& key, const KnownChoice& choice);
    /// Of a choice that is kept: whether another order pays.
    void note_order(const ChoiceKey& key, const KnownOrder& order);
    /// Choices that are kept of this process, or were found in the file.
    std::size_t size() const;

  private:
    void read_file();
    void put(const ChoiceKey& key, KnownChoice choice);
    void write(const ChoiceKey& key, const KnownChoice& choice);

    const std::size_t most_;
    mutable std::mutex mutex_;  ///< guards what follows
    std::map<ChoiceKey, KnownChoice> known_;
    std::deque<ChoiceKey> order_;  ///< in which they came, the oldest first
    SharedLines file_;
    std::optional<std::map<ChoiceKey, std::string>> lines_;  ///< of the file, once it was read
};

/// A line of the file: a checksum, the key, the kernel's name and what else is known, with tabs
/// between. "" for a kernel whose name does not say all of it, and for texts that have tabs or
/// ends of lines.
std::string line_of(const ChoiceKey& key, const KnownChoice& choice);
/// The key of a line, without its end; nothing where the checksum is that of another line.
std::optional<ChoiceKey> key_of_line(std::string_view line);
/// What is known by a line, for the target that its request was for; nothing where today's registry
/// has no such kernel. Never throws.
std::optional<KnownChoice> parse_choice_line(std::string_view line, const Target& target);

}  // namespace spmvgen
