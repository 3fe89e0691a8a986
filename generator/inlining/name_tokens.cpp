#include "inlining/name_tokens.hpp"

#include <algorithm>

namespace spmvgen::specializer {
namespace {

constexpr char open = '\x01';   // of a parameter: index, ',', binding, ',', converts
constexpr char local = '\x03';  // of a local: its name
constexpr char close = '\x02';

struct ParameterToken {
    unsigned index;
    Place place;
};

ParameterToken read_token(std::string_view inner) {
    const std::string text(inner);
    const auto first = text.find(','), second = text.find(',', first + 1);
    return {static_cast<unsigned>(std::stoul(text.substr(0, first))),
            {static_cast<Binding>(std::stoi(text.substr(first + 1, second - first - 1))),
             text[second + 1] == '1'}};
}

/// The text with what `replace(kind, inner)` makes of each token.
template <typename Replace>
std::string with_tokens(std::string_view text, Replace replace) {
    const char kinds[] = {open, local};
    std::string result;
    std::size_t position = 0;
    for (std::size_t at;
         (at = text.find_first_of(std::string_view(kinds, 2), position)) != text.npos;) {
        const auto end = text.find(close, at);
        result += text.substr(position, at - position);
        result += replace(text[at], text.substr(at + 1, end - at - 1));
        position = end + 1;
    }
    return result.append(text.substr(position));
}

std::string token(char kind, std::string_view inner) {
    return kind + std::string(inner) + close;
}

}  // namespace

std::string parameter_token(unsigned index, const Place& place) {
    return token(open, std::to_string(index) + "," +
                           std::to_string(static_cast<int>(place.binding)) + "," +
                           (place.converts ? "1" : "0"));
}

std::string local_token(std::string_view name) {
    return token(local, name);
}

bool is_parameter_token(std::string_view text) {
    return !text.empty() && text.front() == open && text.find(close) == text.size() - 1;
}

std::string with_place(std::string_view text, const Place& place) {
    const auto t = read_token(text.substr(1, text.size() - 2));
    return parameter_token(
        t.index, {std::max(t.place.binding, place.binding), t.place.converts && place.converts});
}

std::string with_arguments(std::string_view text, const ArgumentText& argument) {
    return with_tokens(text, [&](char kind, std::string_view inner) {
        if (kind != open) return token(kind, inner);
        const auto t = read_token(inner);
        return argument(t.index, t.place);
    });
}

std::string with_locals_renamed(std::string_view text,
                                const std::map<std::string, std::string>& names) {
    return with_tokens(text, [&](char kind, std::string_view inner) {
        const auto found = kind == local ? names.find(std::string(inner)) : names.end();
        return token(kind, found == names.end() ? inner : std::string_view(found->second));
    });
}

std::string with_plain_names(std::string_view text, const std::vector<std::string>& parameters) {
    return with_tokens(text, [&](char kind, std::string_view inner) {
        return kind == open ? parameters[read_token(inner).index] : std::string(inner);
    });
}

}  // namespace spmvgen::specializer
