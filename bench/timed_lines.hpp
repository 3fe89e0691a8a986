#pragma once
#include <istream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "tuner/records/record.hpp"

namespace spmvgen::bench {

/// Records of lines of JSON, one for each matrix, type, number of right-hand sides and GPU:
///     {"gpu":NAME, "arch":"sm_90", "matrix":…, "value":"f64", "k":8, "kernel":NAME, "us":…}
/// Throws nlohmann::json's exceptions for other lines.
inline std::vector<TuningRecord> records_of_lines(std::istream& lines) {
    std::map<std::tuple<std::string, std::string, int, std::string>, TuningRecord> records;
    for (std::string text; std::getline(lines, text);) {
        const auto line = nlohmann::json::parse(text);
        const std::string matrix = line.at("matrix"), value = line.at("value"),
                          gpu = line.at("gpu");
        const int k = line.at("k");
        TuningRecord& record = records[{matrix, value, k, gpu}];
        record.matrix = matrix;
        record.device = {gpu, line.at("arch"), "nvidia"};
        record.question.value = record.question.storage = parse_value_type(value);
        record.question.num_rhs = k;
        record.kernels.push_back({line.at("kernel"), line.at("us"), line.at("us"), line.at("us")});
    }
    std::vector<TuningRecord> all;
    for (auto& [key, record] : records) all.push_back(std::move(record));
    return all;
}

}  // namespace spmvgen::bench
