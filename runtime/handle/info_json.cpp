#include "handle/info_json.hpp"

#include <algorithm>

namespace spmvgen {

nlohmann::ordered_json facts_json(const std::map<std::string, KernelFacts>& facts) {
    using Json = nlohmann::ordered_json;
    Json json = Json::object();
    for (auto& [symbol, f] : facts)
        json[symbol] = {{"registers", f.registers},
                        {"scalar_registers", f.scalar_registers},
                        {"spilled_bytes", f.spilled_bytes ? Json(*f.spilled_bytes) : Json()},
                        {"shared_bytes", f.shared_bytes},
                        {"stack_bytes", f.stack_bytes},
                        {"wavefront", f.wavefront}};
    return json;
}

nlohmann::ordered_json measured_json(const std::vector<MeasuredKernel>& measured) {
    auto json = nlohmann::ordered_json::array();
    for (auto& kernel : measured)
        json.push_back({{"kernel", kernel.kernel},
                        {"us", kernel.us},
                        {"low_us", kernel.low_us},
                        {"high_us", kernel.high_us},
                        {"predicted_us", kernel.predicted_us}});
    return json;
}

namespace {

using Json = nlohmann::ordered_json;

template <auto field>
Json member(const Info& info) {
    return info.*field;
}

struct InfoField {
    const char* name;
    Json (*value)(const Info& info);
};

/// In the order of the struct.
constexpr InfoField info_fields[] = {
    {"device", member<&Info::device>},
    {"kernel", member<&Info::kernel>},
    {"format", member<&Info::format>},
    {"storage", member<&Info::storage>},
    {"vectors", member<&Info::vectors>},
    {"accumulator", member<&Info::accumulator>},
    {"target", member<&Info::target>},
    {"op", member<&Info::op>},
    {"deterministic", member<&Info::deterministic>},
    {"threads", member<&Info::threads>},
    {"launches", member<&Info::launches>},
    {"facts", [](const Info& info) { return facts_json(info.facts); }},
    {"reason", member<&Info::reason>},
    {"origin", member<&Info::origin>},
    {"source_path", member<&Info::source_path>},
    {"warning", member<&Info::warning>},
    {"prepare_ms", member<&Info::prepare_ms>},
    {"kernel_ms", member<&Info::kernel_ms>},
    {"analysis_ms", member<&Info::analysis_ms>},
    {"choice_ms", member<&Info::choice_ms>},
    {"convert_ms", member<&Info::convert_ms>},
    {"measure_ms", member<&Info::measure_ms>},
    {"rows", member<&Info::rows>},
    {"cols", member<&Info::cols>},
    {"nnz", member<&Info::nnz>},
    {"stored", member<&Info::stored>},
    {"matrix_bytes", member<&Info::matrix_bytes>},
    {"update_bytes", member<&Info::update_bytes>},
    {"bytes", member<&Info::bytes>},
    {"reorder", member<&Info::reorder>},
    {"permuted_vectors", member<&Info::permuted_vectors>},
    {"reorder_ms", member<&Info::reorder_ms>},
    {"bandwidth_before", member<&Info::bandwidth_before>},
    {"bandwidth", member<&Info::bandwidth>},
    {"permute_bytes", member<&Info::permute_bytes>},
    {"widened", member<&Info::widened>},
    {"predicted_us", member<&Info::predicted_us>},
    {"profile", member<&Info::profile>},
    {"measured_us", member<&Info::measured_us>},
    {"measured", [](const Info& info) { return measured_json(info.measured); }},
};

}  // namespace

nlohmann::ordered_json info_json(const Info& info) {
    Json json = Json::object();
    for (const InfoField& field : info_fields) json[field.name] = field.value(info);
    return json;
}

std::optional<nlohmann::ordered_json> info_field_json(const Info& info, std::string_view name) {
    const auto* const found = std::ranges::find(info_fields, name, &InfoField::name);
    if (found == std::end(info_fields)) return std::nullopt;
    return found->value(info);
}

nlohmann::ordered_json counters_json(const KernelCounters& c) {
    return {{"hits_memory", c.hits_memory},
            {"hits_store", c.hits_store},
            {"hits_imported", c.hits_imported},
            {"hits_set", c.hits_set},
            {"compiles_started", c.compiles_started},
            {"compiles_failed", c.compiles_failed},
            {"fallbacks", c.fallbacks},
            {"bytes_read", c.bytes_read},
            {"bytes_written", c.bytes_written},
            {"find_ms", c.find_ms},
            {"compile_ms", c.compile_ms},
            {"load_ms", c.load_ms}};
}

}  // namespace spmvgen
