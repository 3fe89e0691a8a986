#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

namespace spmvgen {

/// The JSON value of a text from a file that anybody may have written. Throws Error(invalid_input)
/// for text that is no JSON, or that nests deeper than any file of tuning_db: copying, comparing
/// or printing a value takes stack for each level.
nlohmann::ordered_json parse_json_text(std::string_view text);

}  // namespace spmvgen
