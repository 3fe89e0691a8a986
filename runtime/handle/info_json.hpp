#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

/// Each field under its name, in the order of the struct.
nlohmann::ordered_json info_json(const Info& info);
/// One of these fields; nothing where none has that name.
std::optional<nlohmann::ordered_json> info_field_json(const Info& info, std::string_view name);
nlohmann::ordered_json counters_json(const KernelCounters& counters);
/// What level measure timed; an array.
nlohmann::ordered_json measured_json(const std::vector<MeasuredKernel>& measured);
/// What GPU code uses, by symbol; an object.
nlohmann::ordered_json facts_json(const std::map<std::string, KernelFacts>& facts);

}  // namespace spmvgen
