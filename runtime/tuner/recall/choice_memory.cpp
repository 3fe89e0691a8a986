#include "tuner/recall/choice_memory.hpp"

#include <utility>

namespace spmvgen {

std::optional<KnownChoice> ChoiceMemory::find(const ChoiceKey& key, const Target& target) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    if (!lines_) read_file();
    const auto line = lines_->find(key);
    if (line == lines_->end()) return std::nullopt;
    auto known = parse_choice_line(line->second, target);
    if (known) put(key, *known);
    lines_->erase(line);
    return known;
}

void ChoiceMemory::read_file() {
    lines_.emplace();
    const std::string text = file_.read();
    std::string_view rest = text;
    for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end + 1);
        if (const auto key = key_of_line(line)) lines_->insert_or_assign(*key, line);
    }
}

void ChoiceMemory::put(const ChoiceKey& key, KnownChoice choice) {
    if (known_.insert_or_assign(key, std::move(choice)).second) order_.push_back(key);
    if (order_.size() <= most_) return;
    known_.erase(order_.front());
    order_.pop_front();
}

void ChoiceMemory::write(const ChoiceKey& key, const KnownChoice& choice) {
    if (const std::string line = line_of(key, choice); !line.empty()) file_.append(line + '\n');
}

void ChoiceMemory::keep(const ChoiceKey& key, const KnownChoice& choice) {
    const std::scoped_lock lock(mutex_);
    put(key, choice);
    write(key, choice);
}

void ChoiceMemory::let_rows_stay(const ChoiceKey& key) {
    const std::scoped_lock lock(mutex_);
    const auto found = known_.find(key);
    if (found == known_.end() || found->second.rows_stay) return;
    found->second.rows_stay = true;
    write(key, found->second);
}

std::size_t ChoiceMemory::size() const {
    const std::scoped_lock lock(mutex_);
    return known_.size();
}

}  // namespace spmvgen
