#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace spmvgen {

/// The JSON value of a text from a file that anybody may have written. Throws Error(invalid_input)
/// for text that is no JSON, or that nests deeper than any file of tuning_db: copying, comparing
/// or printing a value takes stack for each level.
nlohmann::ordered_json parse_json_text(std::string_view text);

/// The same of a file whose fields "kind" and "schema" say what it is. Throws likewise where they
/// are others.
nlohmann::ordered_json parse_tuning_json(std::string_view text, std::string_view kind, int schema);

/// The integer that a value of such a text holds, when it is one and within least … most. json::get
/// would round fractions, wrap what is too large, and convert numbers that no integer can hold.
std::optional<std::int64_t> integer_of(const nlohmann::ordered_json& value, std::int64_t least,
                                       std::int64_t most);

}  // namespace spmvgen
