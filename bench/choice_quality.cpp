// How near the tuner's choices come to the best kernel, from records of tuning_db (docs/tuning.md):
// time of the choice over the least time that was measured, at each level, by today's code and the
// rules that it reads. Nothing is timed here: a choice that was not timed has no ratio and is
// counted.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "matrix/gallery/suites.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "tuner/candidates.hpp"
#include "tuner/learned_rule.hpp"
#include "tuner/measure.hpp"
#include "tuner/ranking.hpp"
#include "tuner/record_json.hpp"
#include "tuner/signature_name.hpp"

namespace {

using namespace spmvgen;
using Json = nlohmann::ordered_json;

struct Arguments {
    std::vector<std::string> records, rules;
    std::string json, classes;
    int units = 132;
    bool for_training = false, keep_disturbed = false;
};

Arguments parse(int argc, char** argv) {
    Arguments a;
    CLI::App app("Time of the tuner's choice over the best time, from records of tuning_db");
    app.add_option("RECORDS", a.records, "records-*.json")->required()->check(CLI::ExistingFile);
    app.add_option("--rules", a.rules, "learned rules in place of tuning_db's")
        ->check(CLI::ExistingFile);
    app.add_option("--json", a.json, "write all ratios to that file");
    app.add_option("--classes", a.classes, "JSON: class of structure by matrix, of files")
        ->check(CLI::ExistingFile);
    app.add_option("--units", a.units, "multiprocessors of the records' GPU")
        ->capture_default_str();
    app.add_flag("--keep-disturbed", a.keep_disturbed,
                 "with records in which threads waited for a processor");
    app.add_flag("--for-training", a.for_training,
                 "with features, and the parameters that rules give each kernel");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error));
    }
    return a;
}

std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return tuning_text(text.str());
}

Request request_of(const TuningRecord& r, int units) {
    Request request{.target = parse_target(r.device.arch)};
    const Question& q = r.question;
    if (architecture(request.target).kind != TargetKind::host) request.units = units;
    request.device = r.device.name;
    request.num_rhs = q.num_rhs;
    request.threads = std::max(q.threads, 1);
    request.deterministic = q.deterministic;
    request.op = q.op;
    request.vectors = q.value;
    request.storage = q.storage;
    request.accumulator = q.accumulator;
    return request;
}

/// The kernel's name as it is for any matrix: what choose() gives from features alone. Another
/// matrix's parameters and storage type are its own.
std::string general_name(const std::string& kernel, const TuningRecord& r) {
    const auto s = parse_kernel_name(kernel, parse_target(r.device.arch));
    return s ? kernel_name(for_any_matrix(*s, {}, r.question.storage)) : kernel;
}

/// Gives all kernels their names for any matrix; of those that are then one the fastest stays.
void generalise(TuningRecord& r) {
    std::vector<TimedKernel> kernels;
    std::set<std::string> seen;
    for (auto& timed : r.kernels) {
        timed.kernel = general_name(timed.kernel, r);
        if (seen.insert(timed.kernel).second) kernels.push_back(timed);
    }
    r.kernels = std::move(kernels);
    if (!r.rule.empty()) r.rule = general_name(r.rule, r);
    if (!r.plain.empty()) r.plain = general_name(r.plain, r);
}

/// Whether the rule that chose then looked at the matrix itself, as choose() cannot.
bool chosen_by_matrix(const TuningRecord& r) {
    const auto s = parse_kernel_name(r.rule, parse_target(r.device.arch));
    return s && std::ranges::any_of(kernel_entry(s->kernel).params, &Parameter::of_matrix);
}

/// A level's choice for a record.
struct Answer {
    std::string kernel, reason;
    std::optional<double> us;  ///< nothing: was not timed
};

std::optional<double> time_of(const TuningRecord& r, const std::string& kernel) {
    const auto found = std::ranges::find(r.kernels, kernel, &TimedKernel::kernel);
    return found != r.kernels.end() ? std::optional(found->us) : std::nullopt;
}

Answer answer(const TuningRecord& r, const Choice& choice) {
    const std::string name = kernel_name(choice.signature);
    return {name, choice.reason, time_of(r, name)};
}

using Answers = std::map<std::string, Answer>;

/// What level measure would choose with a budget of a second, if each kernel took what was
/// recorded; those that were not timed are left out. A kernel costs 15 ms and 20 applies.
void add_replay(Answers& all, const TuningRecord& r, const MeasureProblem& model,
                const Choice& rule) {
    constexpr double budget_ms = 1000, trial_ms = 15, conversion_applies = 20;
    double now = 0;
    MeasureProblem problem = model;
    problem.budget_ms = budget_ms;
    problem.now_ms = [&] { return now; };
    const Measured measured = measure(problem, rule, [&](const Signature& s, double) {
        const auto us = time_of(r, kernel_name(s));
        if (!us) return Trial{.trouble = "not timed", .defect = false};
        now += trial_ms + conversion_applies * *us / 1e3;
        return Trial{*us, *us, *us};
    });
    if (measured.us > 0) all["measure (replayed)"] = answer(r, measured.choice);
}

/// Level model as the library has it; and its best of the kernels that were timed, which level
/// model itself may do better or worse than: where it chose one that was not timed.
void add_model(Answers& all, const TuningRecord& r, const Request& request,
               std::span<const LearnedRule> learned) {
    const bool gpu = architecture(request.target).kind != TargetKind::host;
    const DeviceProfile* profile =
        find_device_profile(gpu ? r.device.name : request.target.arch, request.target).profile;
    if (profile == nullptr) return;
    const auto time = [&](const Signature& s) {
        return predict(r.features, s, *profile, r.question.threads);
    };
    const Choice rule = choose(r.features, request, learned);
    if (!time(rule.signature)) return;  // there is no model of the device
    const MeasureProblem problem{
        .features = r.features,
        .request = request,
        .choose = [&](const Request& wanted) { return choose(r.features, wanted, learned); },
        .now_ms = [] { return 0.0; },
        .predict = time};
    all["model"] = answer(r, choose_by_model(problem, rule));
    add_replay(all, r, problem, rule);
    const TimedKernel* best = nullptr;
    double least = 0;
    for (auto& kernel : r.kernels) {
        const auto s = parse_kernel_name(kernel.kernel, request.target);
        const auto predicted = s ? time(*s) : std::nullopt;
        if (!predicted || (best != nullptr && predicted->us >= least)) continue;
        best = &kernel;
        least = predicted->us;
    }
    if (best != nullptr) all["model (timed)"] = {best->kernel, "", best->us};
}

/// What level measure chose: the fastest that it timed, unless the rule's is within the margin.
std::string measured_choice(const TuningRecord& r) {
    const auto rule = time_of(r, r.rule);
    const TimedKernel& fastest = r.kernels.front();
    return rule && fastest.us >= (1 - measure_margin) * *rule ? r.rule : fastest.kernel;
}

/// What a kernel takes by the exhaustive record; one that this has not timed, by the other run's
/// time, corrected by how much the kernels that both runs have differ in the mean.
std::optional<double> time_in_either(const TuningRecord& r, const TuningRecord& other,
                                     const std::string& kernel) {
    if (const auto us = time_of(r, kernel)) return us;
    double logarithms = 0;
    int common = 0;
    for (auto& timed : other.kernels)
        if (const auto us = time_of(r, timed.kernel)) {
            logarithms += std::log(*us / timed.us);
            ++common;
        }
    const auto us = time_of(other, kernel);
    if (!us || common == 0) return std::nullopt;
    return *us * std::exp(logarithms / common);
}

Answers answers_of(const TuningRecord& r, const Request& request,
                   std::span<const LearnedRule> learned,
                   const std::vector<TuningRecord>& measured) {
    Answers all;
    const bool by_matrix = chosen_by_matrix(r);
    const Answer then{r.rule, "by the matrix, recorded", time_of(r, r.rule)};
    all["rule"] = by_matrix ? then : answer(r, choose(r.features, request, learned));
    all["hand-written"] = by_matrix ? then : answer(r, choose(r.features, request, {}));
    if (!r.rule.empty()) all["rule then"] = {r.rule, "recorded", time_of(r, r.rule)};
    if (!r.plain.empty()) all["plain CSR"] = {r.plain, "plain CSR", time_of(r, r.plain)};
    add_model(all, r, request, learned);
    for (auto& m : measured)
        if (m.matrix == r.matrix && m.question == r.question && m.device == r.device &&
            static_cast<const RowFeatures&>(m.features) == r.features) {
            const std::string kernel = measured_choice(m);
            all["measure"] = {kernel, m.method, time_in_either(r, m, kernel)};
        }
    return all;
}

double over_best(const TuningRecord& r, double us) {
    return us / r.kernels.front().us;
}

/// The ratios of one level.
class Quality {
  public:
    void add(const TuningRecord& r, const Answer& answer, const std::optional<double>& plain) {
        if (!answer.us) {
            ++missing_;
            return;
        }
        const double ratio = over_best(r, *answer.us);
        ratios_.push_back(ratio);
        if (ratio > worst_) {
            worst_ = ratio;
            worst_matrix_ = r.matrix;
        }
        const double plain_us = plain.value_or(0);
        if (plain_us == 0) return;
        gains_.push_back(plain_us / *answer.us);
        constexpr double noise = 1.03;
        if (*answer.us > noise * plain_us) ++slower_;
    }
    Json json() const {
        Json within = Json::object();
        for (const double limit : limits) within[fmt::format("{}", limit)] = share(limit);
        return {{"matrices", ratios_.size()},      {"not_timed", missing_},
                {"geometric_mean", mean(ratios_)}, {"worst", worst_},
                {"worst_matrix", worst_matrix_},   {"share_within", within},
                {"over_plain_csr", mean(gains_)},  {"slower_than_plain_csr", slower_}};
    }
    std::string line(const std::string& name) const {
        std::string shares;
        for (const double limit : limits) shares += fmt::format(" {:>5.0f}", 100 * share(limit));
        return fmt::format("{:<26} {:>4} {:>4} {:>7.3f} {:>7.2f}  {:<24}{} {:>8.2f} {:>5}", name,
                           ratios_.size(), missing_, mean(ratios_), worst_, worst_matrix_, shares,
                           mean(gains_), slower_);
    }
    static std::string head() {
        std::string shares;
        for (const double limit : limits) shares += fmt::format(" ≤{:<4}", limit);
        return fmt::format("{:<26} {:>4} {:>4} {:>7} {:>7}  {:<24}{} {:>8} {:>5}", "", "n", "miss",
                           "mean", "worst", "", shares, "× plain", "slower");
    }

  private:
    static constexpr double limits[] = {1.05, 1.1, 1.25, 1.5, 2};
    static double mean(const std::vector<double>& values) {
        double sum = 0;
        for (const double value : values) sum += std::log(value);
        return values.empty() ? 1 : std::exp(sum / static_cast<double>(values.size()));
    }
    double share(double limit) const {
        const auto within = std::ranges::count_if(ratios_, [&](double r) { return r <= limit; });
        return ratios_.empty() ? 0
                               : static_cast<double>(within) / static_cast<double>(ratios_.size());
    }

    std::vector<double> ratios_, gains_;
    double worst_ = 1;
    std::string worst_matrix_;
    int missing_ = 0, slower_ = 0;
};

/// What `spmvbench train` learns from: figures of trees, and kernels by id and parameters.
Json training_json(const TuningRecord& r, const Request& request) {
    Json features, base = Json::object(), timed = Json::array();
    for (auto& feature : tree_features())
        features[std::string(feature.name)] = feature.of(r.features, request);
    for (auto* entry : candidates(request)) {
        if (entry->format == Format::csr_k || entry->format == Format::bcsr) continue;
        Request named = request;
        named.kernel = entry->id;
        base[std::string(entry->id)] = choose(r.features, named, {}).signature.params;
    }
    for (auto& kernel : r.kernels)
        if (const auto s = parse_kernel_name(kernel.kernel, request.target))
            timed.push_back({s->kernel, s->params, kernel.us});
    return {{"features", features},
            {"base", base},
            {"timed", timed},
            {"by_matrix", chosen_by_matrix(r)}};
}

Json record_json(const TuningRecord& r, const Answers& answers) {
    Json choices;
    for (auto& [level, a] : answers) {
        choices[level] = {{"kernel", a.kernel}, {"reason", a.reason}};
        if (a.us) choices[level]["us"] = *a.us, choices[level]["ratio"] = over_best(r, *a.us);
    }
    return {{"matrix", r.matrix},
            {"group", r.group},
            {"value", to_string(r.question.value)},
            {"threads", r.question.threads},
            {"rows", r.features.rows},
            {"nnz", r.features.nnz},
            {"timed", r.kernels.size()},
            {"best", {{"kernel", r.kernels.front().kernel}, {"us", r.kernels.front().us}}},
            {"choices", choices}};
}

/// The class of structure: the record's, a twin's, or what --classes says.
std::string class_of(const TuningRecord& r, const Json& classes) {
    if (!r.group.empty() && r.group != "other") return r.group;
    std::string name = r.matrix;
    if (name.starts_with("gallery:")) name = name.substr(8, name.find(':', 8) - 8);
    if (const Twin* twin = find_twin(name)) return std::string(twin->structure);
    return classes.value(name, "other");
}

/// Whether threads that wait for one another lost a processor to other programs meanwhile: then
/// some kernels take a time slice or more, on a matrix that others multiply in less than that.
bool is_disturbed(const TuningRecord& r) {
    constexpr double time_slice_us = 8000, share = 2;
    const double best = r.kernels.front().us;
    return r.question.threads > 1 && best < time_slice_us &&
           std::ranges::any_of(
               r.kernels,
               [&](const TimedKernel& k) { return k.us > time_slice_us && k.us > share * best; });
}

/// By method.
struct Records {
    std::vector<TuningRecord> exhaustive, measured;
    int disturbed = 0;
};

Records read_records(const Arguments& a, const Json& classes) {
    Records records;
    for (auto& path : a.records) {
        ReadRecords read = parse_tuning_records(text_of(path));
        for (auto& rejected : read.rejected)
            fmt::print(stderr, "{}: {}: {}\n", path, rejected.record, rejected.reason);
        for (auto& record : read.records) {
            record.group = class_of(record, classes);
            if (!a.keep_disturbed && is_disturbed(record)) {
                ++records.disturbed;
                continue;
            }
            generalise(record);
            if (record.method.starts_with("exhaustive"))
                records.exhaustive.push_back(std::move(record));
            else if (record.method.starts_with("measure"))
                records.measured.push_back(std::move(record));
        }
    }
    if (records.exhaustive.empty())
        throw Error(ErrorCode::invalid_input, "there are no exhaustive records");
    return records;
}

using Table = std::map<std::string, Quality>;

Json print(const char* title, const Table& table) {
    fmt::print("{}\n{}\n", title, Quality::head());
    Json json;
    for (auto& [name, quality] : table) {
        fmt::print("{}\n", quality.line(name));
        json[name] = quality.json();
    }
    return json;
}

std::vector<LearnedRule> read_rules(const std::vector<std::string>& paths) {
    std::vector<TuningFile> files;
    for (auto& path : paths) files.push_back({path, text_of(path)});
    std::vector<std::string> warnings;
    std::vector<LearnedRule> rules = read_learned_rules(files, warnings);
    for (auto& warning : warnings) fmt::print(stderr, "{}\n", warning);
    return rules;
}

/// Median microseconds of level rule, features given.
double choosing_us(const std::vector<TuningRecord>& records, int units,
                   std::span<const LearnedRule> learned) {
    using Clock = std::chrono::steady_clock;
    std::vector<double> times;
    for (auto& r : records) {
        const Request request = request_of(r, units);
        const auto start = Clock::now();
        constexpr int repeats = 20;
        for (int i = 0; i < repeats; ++i) choose(r.features, request, learned);
        times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count() /
                        repeats);
    }
    std::ranges::nth_element(times, times.begin() + std::ssize(times) / 2);
    return times[times.size() / 2];
}

int evaluate(const Arguments& a) {
    const std::vector<LearnedRule> given = read_rules(a.rules);
    const std::span<const LearnedRule> learned = a.rules.empty() ? learned_rules() : given;
    const Json classes = a.classes.empty() ? Json::object() : Json::parse(text_of(a.classes));
    const Records read = read_records(a, classes);
    const auto& records = read.exhaustive;
    Table levels, groups;
    Json rows = Json::array();
    for (auto& r : records) {
        const Request request = request_of(r, a.units);
        const Answers answers = answers_of(r, request, learned, read.measured);
        const auto plain =
            answers.contains("plain CSR") ? answers.at("plain CSR").us : std::nullopt;
        for (auto& [level, answer] : answers) levels[level].add(r, answer, plain);
        groups[r.group].add(r, answers.at("rule"), plain);
        rows.push_back(record_json(r, answers));
        if (a.for_training) rows.back().update(training_json(r, request));
    }
    const RecordDevice& device = records.front().device;
    Json json{{"device", {{"name", device.name}, {"arch", device.arch}, {"vendor", device.vendor}}},
              {"generator", records.front().generator}};
    json["choosing_us"] = choosing_us(records, a.units, learned);
    fmt::print("Level rule takes {:.1f} µs beyond the features (median).\n\n",
               json["choosing_us"].get<double>());
    json["disturbed"] = read.disturbed;
    fmt::print("Left out because threads waited for a processor: {} records.\n", read.disturbed);
    json["levels"] = print("Time of the choice over the best time, by level", levels);
    json["groups"] = print("\nLevel rule, by class", groups);
    json["records"] = std::move(rows);
    if (!a.json.empty()) std::ofstream(a.json) << json.dump(1) << "\n";
    return 0;
}

}  // namespace

int main(int argc, char** argv) try {
    return evaluate(parse(argc, argv));
} catch (const std::exception& error) {
    fmt::print(stderr, "bench_choice_quality: {}\n", error.what());
    return 1;
}
