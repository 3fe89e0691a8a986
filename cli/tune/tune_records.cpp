#include "tune/tune_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <system_error>

#include "matrix/files/inflater.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "text/input.hpp"
#include "text/output.hpp"
#include "text/units.hpp"
#include "tuner/records/record_directory.hpp"
#include "tuner/records/record_json.hpp"
#include "tuner/records/tuning_db.hpp"

namespace spmvgen::cli {
namespace {

struct RecordsOptions {
    std::vector<std::string> files;
    std::string output, device;
    bool json = false;
};

/// What became of records.
struct Outcome {
    std::size_t accepted = 0, older = 0;
    std::vector<LeftOut> rejected;
    bool unreadable = false;  ///< a file of which nothing could be read
};

// ---- telling

/// "records-b.json: record 3 (thermal2)"
std::string place_of(const LeftOut& out) {
    return out.record.empty() ? out.file : out.file + ": " + out.record;
}

/// One line a reason, with its number where there are several; for one the record is named.
std::string reasons_of(const Outcome& outcome) {
    std::map<std::string, std::vector<const LeftOut*>> by_reason;
    for (auto& out : outcome.rejected) by_reason[out.reason].push_back(&out);
    std::string text;
    for (auto& [reason, places] : by_reason)
        text += fmt::format("  {} rejected: {} ({}{})\n", places.size(), reason,
                            place_of(*places.front()), places.size() > 1 ? ", …" : "");
    return text;
}

std::string told(const Outcome& outcome, const std::string& where) {
    std::string text = fmt::format("{} accepted, {} rejected{}\n",
                                   plural(static_cast<std::int64_t>(outcome.accepted), "record"),
                                   outcome.rejected.size(), where);
    if (outcome.older > 0)
        text += fmt::format(
            "  {} measured with another version's kernels: used where they are still made\n",
            outcome.older);
    return text + reasons_of(outcome);
}

Json json_of(const Outcome& outcome) {
    Json rejected = Json::array();
    for (auto& out : outcome.rejected)
        rejected.push_back({{"file", out.file}, {"record", out.record}, {"reason", out.reason}});
    return {{"accepted", outcome.accepted},
            {"of_another_version", outcome.older},
            {"rejected", rejected}};
}

void tell(const RecordsOptions& o, const Outcome& outcome, const std::string& where,
          std::ostream& stream) {
    if (o.json)
        print_json(stream, json_of(outcome));
    else
        stream << told(outcome, where);
}

void fail_if_unreadable(const Outcome& outcome) {
    if (outcome.unreadable)
        throw Error(ErrorCode::invalid_input,
                    "not every file could be read; what the others hold "
                    "was taken");
}

// ---- reading

/// The records of the files that were named.
std::vector<SourcedRecord> read_files(const std::vector<std::string>& files, Outcome& outcome) {
    std::vector<SourcedRecord> records;
    for (auto& path : files) try {
            ReadRecords read = parse_tuning_records(tuning_text(bytes_of_file(path)));
            for (auto& record : read.records) records.push_back({std::move(record), path});
            for (auto& [record, reason] : read.rejected) {
                outcome.rejected.push_back({path, record, reason});
                outcome.unreadable = outcome.unreadable || record.empty();
            }
        } catch (const Error& error) {
            outcome.rejected.push_back({path, "", error.what()});
            outcome.unreadable = true;
        }
    return records;
}

/// The user's own.
std::vector<SourcedRecord> own_records(std::ostream& err) {
    std::vector<std::string> warnings;
    auto records =
        read_record_files(read_own_files(locate_records(), "record-", warnings), warnings);
    for (auto& warning : warnings) err << "spmvgen: warning: " << warning << "\n";
    return records;
}

bool is_of(const RecordDevice& device, const std::string& asked) {
    return asked.empty() || device.name == asked || device.arch == asked ||
           device.arch.starts_with(asked + ":");
}

/// Leaves those of the device that was asked for. Throws UsageError when there are none.
void keep_device(std::vector<SourcedRecord>& records, const std::string& asked) {
    std::set<std::string> names;
    for (auto& source : records) names.insert(source.record.device.name);
    std::erase_if(records, [&](auto& source) { return !is_of(source.record.device, asked); });
    if (!records.empty() || asked.empty()) return;
    std::string all;
    for (auto& name : names) all += (all.empty() ? "" : ", ") + name;
    throw UsageError(fmt::format("--device: nothing is recorded on '{}'; there are {}", asked,
                                 all.empty() ? "no records" : "records on " + all));
}

// ---- writing

/// The file of all records that count; the numbers go to standard error.
void write_merged(const RecordsOptions& o, std::vector<SourcedRecord> records, Outcome outcome,
                  Streams& streams) {
    MergedRecords merged = merge_records(std::move(records));
    std::ranges::move(merged.left_out, std::back_inserter(outcome.rejected));
    std::vector<TuningRecord> kept;
    for (auto& source : merged.records) kept.push_back(std::move(source.record));
    outcome.accepted = kept.size();
    outcome.older = static_cast<std::size_t>(std::ranges::count_if(
        kept, [](auto& record) { return record.generator != generator_digest(); }));
    save_records(o.output, kept, streams.out);
    tell(o, outcome, o.output.empty() || o.output == "-" ? "" : ": " + o.output, streams.err);
    fail_if_unreadable(outcome);
}

void export_records(const RecordsOptions& o, Streams& streams) {
    auto records = own_records(streams.err);
    keep_device(records, o.device);
    write_merged(o, std::move(records), {}, streams);
}

void merge(const RecordsOptions& o, Streams& streams) {
    Outcome outcome;
    auto records = read_files(o.files, outcome);
    keep_device(records, o.device);
    write_merged(o, std::move(records), std::move(outcome), streams);
}

void import_records(const RecordsOptions& o, Streams& streams) {
    Outcome outcome;
    const Location place = locate_records();
    for (auto& [record, file] : read_files(o.files, outcome)) {
        std::error_code unknown;
        if (std::filesystem::exists(place.path + "/" + record_file_name(record), unknown)) {
            outcome.rejected.push_back({file, record.matrix, "it is known already"});
            continue;
        }
        keep_record(record, place);
        ++outcome.accepted;
        outcome.older += record.generator != generator_digest() ? 1 : 0;
    }
    tell(o, outcome, ": " + place.path, streams.out);
    fail_if_unreadable(outcome);
}

// ---- listing

Json json_of(const SourcedRecord& source) {
    const TuningRecord& r = source.record;
    const TimedKernel& best = r.kernels.front();
    return {{"matrix", r.matrix},
            {"device", r.device.name},
            {"question", to_string(r.question)},
            {"kernel", best.kernel},
            {"us", best.us},
            {"kernels", r.kernels.size()},
            {"method", r.method},
            {"date", r.date},
            {"of_this_version", r.generator == generator_digest()},
            {"file", source.file}};
}

void list(const RecordsOptions& o, Streams& streams) {
    std::vector<std::string> warnings;
    std::vector<SourcedRecord> records =
        merge_records(read_record_files(all_record_files(warnings), warnings)).records;
    for (auto& warning : warnings) streams.err << "spmvgen: warning: " << warning << "\n";
    keep_device(records, o.device);
    Json all = Json::array();
    for (auto& source : records) {
        const TuningRecord& r = source.record;
        if (o.json)
            all.push_back(json_of(source));
        else
            streams.out << fmt::format(
                "{}; {}; {}\n  {}, {:.2f} us, fastest of {}\n  {}, {}{}; {}\n",
                r.matrix.empty() ? "(no name)" : r.matrix, r.device.name, to_string(r.question),
                r.kernels.front().kernel, r.kernels.front().us, r.kernels.size(), r.method, r.date,
                r.generator == generator_digest() ? "" : ", another version's kernels",
                source.file);
    }
    if (o.json)
        print_json(streams.out, {{"directory", locate_records().path},
                                 {"shipped", shipped_tuning_folder()},
                                 {"records", all}});
    else
        streams.out << fmt::format("{}; your own are kept in {}; others: {}\n",
                                   plural(static_cast<std::int64_t>(records.size()), "record"),
                                   locate_records().path, describe_tuning_places());
}

// ---- options

/// What stands before the sub-verb would be ignored.
void check_nothing_before(const CLI::App& tune) {
    for (const CLI::Option* option : tune.get_options())
        if (option->count() > 0)
            throw UsageError(option->get_name() + ": is not for this command; drop it");
}

struct SubVerb {
    const char *name, *summary, *footer;
    void (*work)(const RecordsOptions&, Streams&);
    bool files, output;
};

void add(CLI::App& tune, Verbs& verbs, const SubVerb& v) {
    auto o = std::make_shared<RecordsOptions>();
    CLI::App* verb = tune.add_subcommand(v.name, v.summary);
    if (v.files)
        verb->add_option("files", o->files, "files of records")->type_name("F.json")->required();
    if (v.output)
        verb->add_option("-o,--output", o->output, "the file (default: standard output)")
            ->type_name("F.json");
    if (v.work != import_records)
        verb->add_option("--device", o->device,
                         "only records of that device: its name or architecture")
            ->type_name("NAME");
    verb->add_flag(
        "--json", o->json,
        v.output ? "print the counts as JSON to standard error" : "print one JSON object instead");
    verb->footer(v.footer);
    verbs.push_back({verb, [o, &tune, work = v.work](Streams& streams) {
                         check_nothing_before(tune);
                         work(*o, streams);
                     }});
}

}  // namespace

void save_records(const std::string& path, std::span<const TuningRecord> records,
                  std::ostream& out) {
    const std::string text = to_json(records);
    write_file(path, path.ends_with(".gz") ? deflate_all(text) : text, out);
}

void add_tune_records(CLI::App& tune, Verbs& verbs) {
    add(tune, verbs,
        {"list", "what is recorded here, and from where",
         "Examples:\n  spmvgen tune list\n  spmvgen tune list --json", list, false, false});
    add(tune, verbs,
        {"export", "your own records as one file",
         "Examples:\n  spmvgen tune export -o mine.json\n"
         "  spmvgen tune export --device x86-64-v4 -o records-x86-64-v4.json",
         export_records, false, true});
    add(tune, verbs,
        {"import", "take records of files for your own",
         "Examples:\n  spmvgen tune import a.json\n  spmvgen tune import a.json b.json --json",
         import_records, true, false});
    add(tune, verbs,
        {"merge", "one file of several; of equal questions the better record",
         "Examples:\n  spmvgen tune merge a.json b.json -o all.json\n"
         "  spmvgen tune merge a.json b.json --device x86-64-v4",
         merge, true, true});
}

}  // namespace spmvgen::cli
