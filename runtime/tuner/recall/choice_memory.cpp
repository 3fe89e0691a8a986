#include "tuner/recall/choice_memory.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "registry.hpp"
#include "tuner/recall/digest.hpp"
#include "tuner/records/signature_name.hpp"

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

void ChoiceMemory::note_order(const ChoiceKey& key, const KnownOrder& order) {
    const std::scoped_lock lock(mutex_);
    const auto found = known_.find(key);
    if (found == known_.end() || found->second.order == order) return;
    found->second.order = order;
    write(key, found->second);
}

std::size_t ChoiceMemory::size() const {
    const std::scoped_lock lock(mutex_);
    return known_.size();
}

namespace {

constexpr std::size_t digits = 16;  ///< of 64 bits
constexpr std::size_t fields = 9;   ///< behind the checksum and the key

/// As a line has it.
enum class OrderField { unknown, rows_stay, in_clusters };

std::uint64_t checksum(std::string_view text) {
    Digest digest;
    digest.add(text);
    return digest.bits()[0];
}

template <typename Number>
bool read(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

bool read_hex(std::string_view text, std::uint64_t& bits) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
    return text.size() == digits && error == std::errc() && end == text.data() + text.size();
}

/// Where the fields begin: behind the checksum, the key's two halves, and three tabs.
constexpr std::size_t behind_key = 3 * (digits + 1);

bool is_one_field(std::string_view text) {
    return text.find_first_of("\t\n") == std::string_view::npos;
}

OrderField field_of(const std::optional<KnownOrder>& order) {
    if (!order) return OrderField::unknown;
    return order->in_clusters ? OrderField::in_clusters : OrderField::rows_stay;
}

}  // namespace

std::string line_of(const ChoiceKey& key, const KnownChoice& known) {
    const Choice& choice = known.choice;
    const std::string name = kernel_name(choice.signature);
    const KnownOrder order = known.order.value_or(KnownOrder{});
    if (!is_one_field(choice.reason) || !is_one_field(order.reason) || !choice.warning.empty() ||
        parse_kernel_name(name, choice.signature.target) != choice.signature)
        return "";
    const Prediction prediction = known.prediction.value_or(Prediction{});
    const std::string text = fmt::format(
        "{:016x}\t{:016x}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", key.bits[0], key.bits[1], name,
        choice.threads, prediction.us, prediction.error, static_cast<int>(field_of(known.order)),
        order.us, order.plain_us, order.reason, choice.reason);
    return fmt::format("{:016x}\t{}", checksum(text), text);
}

std::optional<ChoiceKey> key_of_line(std::string_view line) {
    ChoiceKey key;
    std::uint64_t sum = 0;
    if (line.size() < behind_key || line[digits] != '\t' ||
        !read_hex(line.substr(0, digits), sum) ||
        !read_hex(line.substr(digits + 1, digits), key.bits[0]) ||
        !read_hex(line.substr(2 * (digits + 1), digits), key.bits[1]) ||
        sum != checksum(line.substr(digits + 1)))
        return std::nullopt;
    return key;
}

std::optional<KnownChoice> parse_choice_line(std::string_view line, const Target& target) {
    if (line.size() < behind_key) return std::nullopt;
    std::string_view rest = line.substr(behind_key);
    std::array<std::string_view, fields> parts;
    for (std::size_t i = 0; i + 1 < fields; ++i) {
        const std::size_t end = rest.find('\t');
        if (end == std::string_view::npos) return std::nullopt;
        parts[i] = rest.substr(0, end);
        rest.remove_prefix(end + 1);
    }
    KnownChoice known;
    Prediction prediction;
    KnownOrder order;
    int rows = 0;
    const auto signature = parse_kernel_name(parts[0], target);
    if (!signature || !read(parts[1], known.choice.threads) || !read(parts[2], prediction.us) ||
        !read(parts[3], prediction.error) || !read(parts[4], rows) || !read(parts[5], order.us) ||
        !read(parts[6], order.plain_us))
        return std::nullopt;
    known.choice.signature = *signature;
    known.choice.reason = rest;
    if (prediction.us > 0) known.prediction = prediction;
    order.in_clusters = rows == static_cast<int>(OrderField::in_clusters);
    order.reason = parts[7];
    if (rows != static_cast<int>(OrderField::unknown)) known.order = order;
    return known;
}

}  // namespace spmvgen
