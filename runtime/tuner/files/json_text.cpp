#include "tuner/files/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "kernel/refuse.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

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

}  // namespace

nlohmann::ordered_json parse_json_text(std::string_view text) {
    if (nesting(text) > most_nesting)
        throw Error(ErrorCode::invalid_input, "it nests too deeply for a file of tuning_db");
    auto json = nlohmann::ordered_json::parse(text, nullptr, false);
    if (json.is_discarded()) throw Error(ErrorCode::invalid_input, "it is not JSON");
    return json;
}

nlohmann::ordered_json parse_tuning_json(std::string_view text, std::string_view kind, int schema) {
    auto json = parse_json_text(text);
    if (!json.is_object() || json.value("kind", nlohmann::ordered_json()) != std::string(kind))
        refuse_input(fmt::format("it is no {}", kind));
    if (json.value("schema", nlohmann::ordered_json()) != schema)
        refuse_input(fmt::format("its schema is not {}, which this version reads", schema));
    return json;
}

std::optional<std::int64_t> integer_of(const nlohmann::ordered_json& value, std::int64_t least,
                                       std::int64_t most) {
    if (!value.is_number_integer()) return {};
    if (value.is_number_unsigned() &&
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
        return {};
    const auto number = value.get<std::int64_t>();
    if (number < least || number > most) return {};
    return number;
}

}  // namespace spmvgen
