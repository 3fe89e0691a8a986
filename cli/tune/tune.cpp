#include "tune/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "options/operands.hpp"
#include "options/options.hpp"
#include "text/output.hpp"
#include "tune/tune_records.hpp"

namespace spmvgen::cli {
namespace {

/// Throws UsageError for an option that was given and means nothing to what is measured.
void check_options(const CLI::App& verb, const Tuning& tuning) {
    constexpr std::array<std::string_view, 3> always{"--device", "--threads", "--output"};
    for (const CLI::Option* option : verb.get_options()) {
        const std::string name = option->get_single_name();
        const std::string given = option->get_positional() ? name : "--" + name;
        const bool is_own = tuning.option != nullptr && given == tuning.option;
        if (option->count() == 0 || is_own || std::ranges::find(always, given) != always.end() ||
            std::ranges::find(tuning.takes, given) != tuning.takes.end())
            continue;
        throw UsageError(
            fmt::format("{}: means nothing to {}; drop it", given,
                        tuning.option != nullptr ? tuning.option : "the tuning of matrices"));
    }
}

void tune(const CLI::App& verb, const std::vector<Tuning>& tunings, const std::string& output,
          Streams& streams) {
    std::string options;
    std::vector<const Tuning*> named, unnamed;
    for (auto& tuning : tunings) {
        if (tuning.option != nullptr)
            options += (options.empty() ? "" : ", ") + std::string(tuning.option);
        if (tuning.asked()) (tuning.option != nullptr ? named : unnamed).push_back(&tuning);
    }
    if (named.size() > 1) throw UsageError("use only one of " + options);
    const auto& chosen = named.empty() ? unnamed : named;
    if (chosen.empty())
        throw UsageError("nothing to measure is named: name matrices, or use " + options);
    check_options(verb, *chosen.front());
    if (!named.empty()) check_not_gzipped(output);  // files of records may be
    chosen.front()->work(streams);
}

void add_common_options(CLI::App& verb, TuneOptions& o) {
    verb.add_option("--device", o.device,
                    "host (the default), cuda:0, hip:0, or simt:ARCH, whose times mean nothing")
        ->type_name("DEVICE");
    verb.add_option("--threads", o.threads, "threads of this CPU; 0 = what OpenMP would use")
        ->check(whole_between(0, 4096));
    verb.add_option("--rounds", o.rounds, "go through all sizes so often (default 3)")
        ->check(whole_between(1, 1000));
    verb.add_option("--time", o.time_ms, "milliseconds to time each for (default 20)")
        ->check(number_between(0.01, 1e6, "time: use milliseconds from 0.01 to 1000000"));
    verb.add_option("--note", o.note, "profiles: a remark that is kept in the file")
        ->type_name("TEXT");
    verb.add_option("-o,--output", o.output, "the JSON file (default: standard output)")
        ->type_name("F.json");
    verb.add_flag("!--no-keep", o.keep,
                  "matrices, --calibrate: do not keep what is measured for this user");
    verb.add_option("--value", o.values,
                    "types of the values (default: the matrices', else f32,f64)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("TYPE,…");
    verb.add_option("matrices", o.matrices, matrix_help)->type_name("A.mtx");
}

}  // namespace

void add_tune(CLI::App* verb, Verbs& verbs) {
    auto common = std::make_shared<TuneOptions>();
    add_common_options(*verb, *common);
    const std::vector<Tuning> tunings{add_tune_calibrate(*verb, common),
                                      add_tune_dense(*verb, common), add_tune_csr_k(*verb, common),
                                      add_tune_matrices(*verb, common)};
    add_tune_records(*verb, verbs);
    verb->footer(
        "Examples:\n"
        "  spmvgen tune --budget 200ms -o mine.json gallery:stencil5:nx=20\n"
        "  spmvgen tune --calibrate --rounds 1 --time 1 -o device-mine.json\n"
        "  spmvgen tune --dense-profile --value f64 --entries 9000 --rounds 1 -o dense-mine.json\n"
        "  spmvgen tune --fit csr-k --sizes 8,96 --rounds 1 A.mtx gallery:stencil5:nx=20\n"
        "In $SPMVGEN_TUNING_DB, files named device-….json, dense-….json and csr-k-….json are "
        "used.");
    verbs.push_back({verb, [verb, tunings, common](Streams& streams) {
                         tune(*verb, tunings, common->output, streams);
                     }});
}

}  // namespace spmvgen::cli
