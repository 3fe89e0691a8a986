#include "handle/info_json.hpp"

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

nlohmann::ordered_json info_json(const Info& i) {
    return {{"device", i.device},
            {"kernel", i.kernel},
            {"format", i.format},
            {"storage", i.storage},
            {"vectors", i.vectors},
            {"accumulator", i.accumulator},
            {"target", i.target},
            {"op", i.op},
            {"deterministic", i.deterministic},
            {"threads", i.threads},
            {"launches", i.launches},
            {"facts", facts_json(i.facts)},
            {"reason", i.reason},
            {"origin", i.origin},
            {"source_path", i.source_path},
            {"warning", i.warning},
            {"prepare_ms", i.prepare_ms},
            {"kernel_ms", i.kernel_ms},
            {"analysis_ms", i.analysis_ms},
            {"choice_ms", i.choice_ms},
            {"convert_ms", i.convert_ms},
            {"measure_ms", i.measure_ms},
            {"rows", i.rows},
            {"cols", i.cols},
            {"nnz", i.nnz},
            {"stored", i.stored},
            {"matrix_bytes", i.matrix_bytes},
            {"update_bytes", i.update_bytes},
            {"bytes", i.bytes},
            {"reorder", i.reorder},
            {"permuted_vectors", i.permuted_vectors},
            {"reorder_ms", i.reorder_ms},
            {"bandwidth_before", i.bandwidth_before},
            {"bandwidth", i.bandwidth},
            {"permute_bytes", i.permute_bytes},
            {"widened", i.widened},
            {"predicted_us", i.predicted_us},
            {"profile", i.profile},
            {"measured_us", i.measured_us},
            {"measured", measured_json(i.measured)}};
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
