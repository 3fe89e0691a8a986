// bench_counted_work: what the kernels of recorded times do for an apply, as the choice counts it,
// a line of JSON a kernel, for `spmvbench fit-costs` and, of GPUs and one right-hand side, for
// `fit-correction`. Records must be of GPUs or of CPUs, of generated matrices or of files NAME.mtx
// in a folder. A file NAME.jsonl or NAME.jsonl.gz has the lines of timed_lines.hpp in place of
// records; those of one file must be of one right-hand side or of several.
//     bench_counted_work [--choices] [--random-values] [--files FOLDER] RECORDS.json.gz… >
//     work.jsonl
// With --random-values choices are for values that no narrow encoding holds.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "matrix/read/reader.hpp"
#include "matrix/sampler/random_spec.hpp"
#include "matrix/suites/gallery.hpp"
#include "measure/timing.hpp"
#include "timed_lines.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/chooser/counted_choice.hpp"
#include "tuner/cost/predict.hpp"
#include "tuner/files/tuning_files.hpp"
#include "tuner/records/record_json.hpp"
#include "tuner/records/signature_name.hpp"
#include "tuner/rules/choose.hpp"

namespace {

using namespace spmvgen;
using Json = nlohmann::ordered_json;

/// The structure's family, for leaving out: of a draw of the sampler, else the name.
std::string family_of(std::string_view specification) {
    constexpr std::string_view drawn = "gallery:random:seed=";
    if (!specification.starts_with(drawn)) return std::string(specification);
    return random_spec(specification.substr(drawn.rfind(':') + 1)).family;
}

/// A record's matrix on the device that it is of.
struct Problem {
    const TuningRecord& record;
    CsrView matrix;
    RowFeatures features;
    Target target;
    const DeviceProfile& profile;

    bool is_host() const { return architecture(target).kind == TargetKind::host; }
    Request request() const {
        Request request{.target = target,
                        .num_rhs = record.question.num_rhs,
                        .units = profile.units,
                        .encode = true};
        request.device = is_host() ? "" : profile.device;
        request.threads = std::max(record.question.threads, 1);
        return request;
    }
};

/// What a handle would choose at level rule, in how many milliseconds, with the predicted choice
/// and by the rules alone.
void print_choice(const Problem& p) {
    Request request = p.request();
    const auto chosen = [&] {
        const double start = now_s();
        const Choice choice = choose_for(p.matrix, p.features, request);
        return Json{{"kernel", kernel_name(choice.signature)},
                    {"reason", choice.reason},
                    {"ms", 1e3 * (now_s() - start)}};
    };
    Json line{{"choice_for", p.record.matrix}, {"nnz", p.matrix.nnz}, {"rules", chosen()}};
    request.profile = &p.profile;
    line["predicted"] = chosen();
    std::cout << line.dump() << "\n";
}

void print_scheme(const CostScheme& scheme) {
    Json line{{"scheme", scheme.kind}, {"serial", scheme.serial}, {"costs", scheme.costs}};
    if (scheme.kind == gpu_scheme.kind) line["features"] = correction_features;
    std::cout << line.dump() << "\n";
}

/// Nothing where there is no such file.
std::optional<CsrMatrix> matrix_of(const std::string& name, const std::string& folder) {
    constexpr std::string_view prefix = "gallery:";
    if (name.starts_with(prefix)) return make_gallery_matrix(name.substr(prefix.size()));
    const std::string path = folder + "/" + name + ".mtx";
    if (folder.empty() || !std::filesystem::exists(path)) return std::nullopt;
    return read_matrix(path);
}

/// A kernel with the parameters that the matrix does not decide.
using Weighed = std::pair<std::string, Params>;

Weighed weighed(const Signature& s) {
    return {s.kernel, without_matrix_params(s, Request())};
}

/// All that a choice weighs, as far as its sample tells of it, and of kernels that it does not
/// weigh what the rules may choose.
std::map<Weighed, Signature> grid_of(const Problem& p, Chooser& chooser) {
    std::map<Weighed, Signature> grid;
    for (const KernelEntry* entry : candidates(p.request())) {
        Request request = p.request();
        request.kernel = entry->id;
        std::vector<Params> sets = chooser.grid_params(*entry, request);
        if (sets.empty()) sets.push_back({});
        for (auto& params : sets) {
            const auto choice = chooser.sampled_of_grid(*entry, params, request);
            if (!choice) continue;
            Choice settled = *choice;
            if (entry->format == Format::tiles) chooser.settle(settled, request);  // its hubs
            grid.try_emplace(weighed(settled.signature), choice->signature);
        }
    }
    return grid;
}

struct Asked {
    std::string folder;  ///< of matrices' files
    bool choices = false, random_values = false;
};

void make_random(CsrMatrix& matrix) {
    std::mt19937_64 generator(11);
    std::uniform_real_distribution<double> number(0.5, 1.5);
    std::vector<double> values(static_cast<std::size_t>(matrix.nnz));
    for (double& value : values) value = number(generator);
    CsrView view = matrix.view();
    view.value_type = ValueType::f64;
    view.values = values.data();
    matrix = convert_values(view, matrix.value_type);
}

void print(const TuningRecord& record, const Asked& asked) {
    const Target target = parse_target(record.device.arch);
    const DeviceProfile* profile = find_device_profile(record.device.name, target).profile;
    if (profile == nullptr) return;
    std::optional<CsrMatrix> found = matrix_of(record.matrix, asked.folder);
    if (!found) return;
    CsrMatrix matrix = std::move(*found);
    if (matrix.value_type != record.question.value)
        matrix = convert_values(matrix.view(), record.question.value);
    if (asked.random_values) make_random(matrix);
    const Problem problem{record, matrix.view(), analyse_row_lengths(matrix.view()), target,
                          *profile};
    const CostScheme& scheme = problem.is_host()              ? cpu_scheme
                               : record.question.num_rhs == 1 ? gpu_scheme
                                                              : gpu_several_scheme;
    print_scheme(scheme);
    if (asked.choices) print_choice(problem);
    // What a choice looks at, and no more than that.
    Chooser chooser(problem.matrix, problem.features);
    const std::string rules = kernel_name(chooser(problem.request()).signature);
    const CostConstants none(scheme);
    const bool corrected = scheme.kind == gpu_scheme.kind && gpu_constants() != nullptr;
    CountedChoice counted(problem.matrix, problem.features, *profile,
                          problem.is_host() ? problem.request().threads : 0, none, nullptr,
                          chooser);
    const std::map<Weighed, Signature> grid = grid_of(problem, chooser);
    for (auto& timed : record.kernels) {
        const auto signature = parse_kernel_name(timed.kernel, target);
        if (!signature) continue;
        const auto weighed_as = grid.find(weighed(*signature));
        const bool in_grid = weighed_as != grid.end();
        const auto costs = counted.costs(in_grid ? weighed_as->second : *signature);
        if (costs.empty()) continue;
        Json line{{"matrix", record.matrix},
                  {"family", family_of(record.matrix)},
                  {"threads", record.question.threads},
                  {"num_rhs", record.question.num_rhs},
                  {"value", to_string(record.question.value)},
                  {"device", record.device.name},
                  {"nnz", matrix.nnz},
                  {"kernel", signature->kernel},
                  {"name", timed.kernel},
                  {"us", timed.us},
                  {"is_rule", timed.kernel == rules},
                  {"in_grid", in_grid},
                  {"costs", costs}};
        if (corrected)
            if (const auto features = counted.correction_features(
                    in_grid ? weighed_as->second : *signature, *gpu_constants()))
                line["features"] = *features;
        std::cout << line.dump() << "\n";
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: bench_counted_work [--choices] [--random-values] [--files FOLDER] "
                     "RECORDS.json…\n";
        return 2;
    }
    Asked asked;
    for (int i = 1; i < argc; ++i) {
        if (argv[i] == std::string_view("--files") && i + 1 < argc) {
            asked.folder = argv[++i];
            continue;
        }
        if (argv[i] == std::string_view("--choices")) {
            asked.choices = true;
            continue;
        }
        if (argv[i] == std::string_view("--random-values")) {
            asked.random_values = true;
            continue;
        }
        const std::string name(argv[i]);
        std::ifstream file(name);
        if (!file) {
            std::cerr << name << ": cannot be read\n";
            return 1;
        }
        std::ostringstream text;
        text << file.rdbuf();
        if (name.ends_with(".jsonl") || name.ends_with(".jsonl.gz")) {
            std::istringstream lines(tuning_text(text.str()));
            try {
                for (auto& record : bench::records_of_lines(lines)) print(record, asked);
            } catch (const nlohmann::json::exception& error) {
                std::cerr << name << ": " << error.what() << "\n";
                return 1;
            }
            continue;
        }
        const ReadRecords read = parse_tuning_records(tuning_text(text.str()));
        for (auto& rejected : read.rejected)
            std::cerr << argv[i] << ": " << rejected.record << ": " << rejected.reason << "\n";
        for (auto& record : read.records) print(record, asked);
    }
}
