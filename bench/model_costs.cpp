// bench_model_costs: what the model says of every time that was recorded, a line of JSON each, for
// `spmvbench fit-model`.
//     bench_model_costs tuning_db/records-nvidia-h200.json.gz… > costs.jsonl
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "spmvgen/error.hpp"
#include "tuner/model.hpp"
#include "tuner/record_json.hpp"
#include "tuner/signature_name.hpp"

namespace {

using namespace spmvgen;
using Json = nlohmann::ordered_json;

Json line_of(const TuningRecord& r, const TimedKernel& timed, const Signature& s,
             const DeviceProfile& profile) {
    Json line{{"matrix", r.matrix},
              {"group", r.group},
              {"device", r.device.name},
              {"arch", r.device.arch},
              {"profile", profile.device},
              {"value", to_string(s.value)},
              {"threads", r.question.threads},
              {"kernel", s.kernel},
              {"name", timed.kernel},
              {"params", s.params},
              {"us", timed.us},
              {"low_us", timed.low_us},
              {"high_us", timed.high_us},
              {"is_rule", timed.kernel == r.rule},
              {"is_plain", timed.kernel == r.plain}};
    if (const auto costs = costs_of(r.features, s, profile, r.question.threads))
        line["costs"] = *costs;
    if (const auto now = predict(r.features, s, profile, r.question.threads)) {
        line["predicted_us"] = now->us;
        line["error"] = now->error;
    }
    return line;
}

void print(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    const ReadRecords read = parse_tuning_records(tuning_text(text.str()));
    for (auto& rejected : read.rejected)
        std::cerr << path << ": " << rejected.record << ": " << rejected.reason << "\n";
    for (auto& record : read.records) {
        const Target target = parse_target(record.device.arch);
        const FoundDeviceProfile found = find_device_profile(record.device.name, target);
        if (found.profile == nullptr) continue;
        for (auto& timed : record.kernels)
            if (const auto s = parse_kernel_name(timed.kernel, target))
                std::cout << line_of(record, timed, *s, *found.profile).dump() << "\n";
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: bench_model_costs RECORDS.json…\n";
        return 2;
    }
    std::cout << Json{{"costs", cost_names}}.dump() << "\n";
    for (int i = 1; i < argc; ++i) print(argv[i]);
}
