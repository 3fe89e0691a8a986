#include "tuner/files/json_text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using Json = nlohmann::ordered_json;

constexpr int most_nesting = 64;

/// How deep brackets nest, of a text that may be no JSON.
int nesting(std::string_view text) {
    int depth = 0, deepest = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') ++i;
            if (c == '"') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            deepest = std::max(deepest, ++depth);
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return deepest;
}

/// Reads JSON as files of tuning_db are mostly written, in a tenth of the time that nlohmann's
/// parser takes. It gives up on all else, right or wrong: strings that are not of ASCII alone or
/// have a backslash, names that come twice, words, and numbers that are not told exactly by one
/// type.
class UsualJson {
  public:
    explicit UsualJson(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

    std::optional<Json> read() {
        Json json;
        if (!value(json, 0)) return std::nullopt;
        skip_blanks();
        if (at_ != end_) return std::nullopt;
        return json;
    }

  private:
    void skip_blanks() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
    }
    /// Whether that comes next; then it is behind.
    bool takes(char c) {
        skip_blanks();
        if (at_ == end_ || *at_ != c) return false;
        ++at_;
        return true;
    }
    bool value(Json& to, int depth) {
        if (depth < most_nesting && takes('{')) return object(to, depth);
        if (depth < most_nesting && takes('[')) return array(to, depth);
        if (!takes('"')) return number(to);
        std::string text;
        if (!string(text)) return false;
        to = std::move(text);
        return true;
    }
    /// Behind its first quotation mark.
    bool string(std::string& to) {
        const char* const begin = at_;
        while (at_ != end_ && *at_ >= ' ' && *at_ < 0x7f && *at_ != '"' && *at_ != '\\') ++at_;
        if (at_ == end_ || *at_ != '"') return false;
        to.assign(begin, at_++);
        return true;
    }
    bool object(Json& to, int depth) {
        Json::object_t members;
        std::string name;
        for (bool more = !takes('}'); more; more = !takes('}')) {
            if (!members.empty() && !takes(',')) return false;
            if (!takes('"') || !string(name) || members.find(name) != members.end() || !takes(':'))
                return false;
            Json member;
            if (!value(member, depth + 1)) return false;
            members.emplace_back(std::move(name), std::move(member));
        }
        to = std::move(members);
        return true;
    }
    bool array(Json& to, int depth) {
        Json::array_t elements;
        for (bool more = !takes(']'); more; more = !takes(']'))
            if ((!elements.empty() && !takes(',')) || !value(elements.emplace_back(), depth + 1))
                return false;
        to = std::move(elements);
        return true;
    }
    bool number(Json& to) {
        const auto is_digit = [this](const char* c) { return c < end_ && *c >= '0' && *c <= '9'; };
        const char* const begin = at_;
        const char* const first = begin + (at_ != end_ && *at_ == '-' ? 1 : 0);
        if (!is_digit(first) || (*first == '0' && is_digit(first + 1))) return false;
        const char* last = first;
        while (is_digit(last)) ++last;
        const bool is_integer = last == end_ || (*last != '.' && *last != 'e' && *last != 'E');
        if (is_integer) {
            std::uint64_t whole = 0;
            if (first != begin || std::from_chars(first, last, whole).ec != std::errc())
                return false;
            to = whole;
            at_ = last;
            return true;
        }
        if (*last == '.' && !is_digit(last + 1)) return false;
        double real = 0;
        const auto [behind, problem] = std::from_chars(begin, end_, real);
        if (problem != std::errc() || !is_digit(behind - 1)) return false;
        to = real;
        at_ = behind;
        return true;
    }

    const char *at_, *end_;
};

}  // namespace

nlohmann::ordered_json parse_json_text(std::string_view text) {
    if (auto json = UsualJson(text).read()) return std::move(*json);
    if (nesting(text) > most_nesting)
        throw Error(ErrorCode::invalid_input, "it nests too deeply for a file of tuning_db");
    auto json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) throw Error(ErrorCode::invalid_input, "it is not JSON");
    return json;
}

}  // namespace spmvgen
