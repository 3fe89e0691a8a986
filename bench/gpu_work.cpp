// bench_gpu_work: what the kernels of recorded times do for an apply, as the choice counts it, a
// line of JSON a kernel, for `spmvbench fit-gpu`. Records must be of generated matrices, or of
// files NAME.mtx in a folder.
//     bench_gpu_work [--files FOLDER] RECORDS.json.gz… > work.jsonl
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "matrix/gallery.hpp"
#include "matrix/reader.hpp"
#include "matrix/sampler/random_spec.hpp"
#include "measure/timing.hpp"
#include "tuner/candidates.hpp"
#include "tuner/chooser.hpp"
#include "tuner/cost/gpu_time.hpp"
#include "tuner/record_json.hpp"
#include "tuner/signature_name.hpp"
#include "tuner/tuning_files.hpp"

namespace {

using namespace spmvgen;
using Json = nlohmann::ordered_json;

/// The structure's family, for leaving out: of a draw of the sampler, else the name.
std::string family_of(std::string_view specification) {
    constexpr std::string_view drawn = "gallery:random:seed=";
    if (!specification.starts_with(drawn)) return std::string(specification);
    return random_spec(specification.substr(drawn.rfind(':') + 1)).family;
}

/// What a handle looks at for a matrix on the record's device.
struct Asked {
    CsrView matrix;
    RowFeatures features;
    const DeviceProfile& profile;
    Request request;
};

Asked asked_for(const CsrView& matrix, const Target& target, const DeviceProfile& profile) {
    Request request{.target = target, .units = profile.units, .encode = true};
    request.device = profile.device;
    return {matrix, analyse_row_lengths(matrix), profile, request};
}

/// What a handle would choose at level rule, in how many milliseconds, with the predicted choice
/// and by the rules alone; returns the rules' kernel.
std::string print_choice(const TuningRecord& record, const Asked& asked) {
    Request request = asked.request;
    const auto chosen = [&] {
        const double start = now_s();
        const Choice choice = choose_for(asked.matrix, asked.features, request);
        return Json{{"kernel", kernel_name(choice.signature)},
                    {"reason", choice.reason},
                    {"ms", 1e3 * (now_s() - start)}};
    };
    Json line{{"choice_for", record.matrix}, {"nnz", asked.matrix.nnz}, {"rules", chosen()}};
    request.profile = &asked.profile;
    line["predicted"] = chosen();
    std::cout << line.dump() << "\n";
    return line["rules"]["kernel"];
}

/// All that a choice weighs, by name.
std::set<std::string> weighed(const Asked& asked) {
    Chooser chooser(asked.matrix, asked.features, 0);
    Request request = asked.request;
    request.profile = &asked.profile;
    std::set<std::string> names;
    for (const KernelEntry* entry : candidates(request))
        for (auto& choice : chooser.grid(*entry, request))
            names.insert(kernel_name(choice.signature));
    return names;
}

/// Nothing where there is no such file.
std::optional<CsrMatrix> matrix_of(const std::string& name, const std::string& folder) {
    constexpr std::string_view prefix = "gallery:";
    if (name.starts_with(prefix)) return make_gallery_matrix(name.substr(prefix.size()));
    const std::string path = folder + "/" + name + ".mtx";
    if (folder.empty() || !std::filesystem::exists(path)) return std::nullopt;
    return read_matrix(path);
}

void print(const TuningRecord& record, const std::string& folder) {
    const Target target = parse_target(record.device.arch);
    const DeviceProfile* profile = find_device_profile(record.device.name, target).profile;
    if (profile == nullptr) return;
    std::optional<CsrMatrix> found = matrix_of(record.matrix, folder);
    if (!found) return;
    CsrMatrix matrix = std::move(*found);
    if (matrix.value_type != record.question.value)
        matrix = convert_values(matrix.view(), record.question.value);
    const Asked asked = asked_for(matrix.view(), target, *profile);
    MatrixFigures figures(matrix.view(), asked.features);
    const std::string rules = print_choice(record, asked);
    const std::set<std::string> choices = weighed(asked);
    for (auto& timed : record.kernels) {
        const auto signature = parse_kernel_name(timed.kernel, target);
        const auto work =
            signature ? gpu_work(figures, *signature, units_of(*profile)) : std::nullopt;
        if (!work) continue;
        std::cout << Json{{"matrix", record.matrix},
                          {"family", family_of(record.matrix)},
                          {"kernel", signature->kernel},
                          {"name", timed.kernel},
                          {"us", timed.us},
                          {"is_rule", timed.kernel == rules},
                          {"weighed", choices.contains(timed.kernel)},
                          {"costs", gpu_costs(*work, figures.features(), *signature, *profile)}}
                         .dump()
                  << "\n";
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: bench_gpu_work [--files FOLDER] RECORDS.json…\n";
        return 2;
    }
    std::cout << Json{{"costs", gpu_cost_names}}.dump() << "\n";
    std::string folder;
    for (int i = 1; i < argc; ++i) {
        if (argv[i] == std::string_view("--files") && i + 1 < argc) {
            folder = argv[++i];
            continue;
        }
        std::ifstream file(argv[i]);
        std::ostringstream text;
        text << file.rdbuf();
        const ReadRecords read = parse_tuning_records(tuning_text(text.str()));
        for (auto& rejected : read.rejected)
            std::cerr << argv[i] << ": " << rejected.record << ": " << rejected.reason << "\n";
        for (auto& record : read.records) print(record, folder);
    }
}
