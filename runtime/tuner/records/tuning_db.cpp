#include "tuner/records/tuning_db.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "process/log.hpp"
#include "tuner/records/matrix_print.hpp"
#include "tuner/records/record_directory.hpp"
#include "tuner/records/record_json.hpp"

namespace spmvgen {
namespace {

/// "gfx90a" of "gfx90a:sramecc+:xnack-".
std::string_view architecture_of(const RecordDevice& d) {
    return std::string_view(d.arch).substr(0, d.arch.find(':'));
}

std::optional<DeviceMatch> match(const RecordDevice& recorded, const RecordDevice& here) {
    const bool same_code = architecture_of(recorded) == architecture_of(here);
    if (recorded.name == here.name && same_code) return DeviceMatch::same;
    if (recorded.vendor == simulated_vendor) return {};  // its times say nothing about a GPU
    if (same_code) return DeviceMatch::architecture;
    if (recorded.vendor == here.vendor) return DeviceMatch::vendor;
    return {};
}

/// Row lengths tell nothing of blocks.
bool alike_blocks(const Features&, const RowFeatures&) {
    return false;
}

bool before(const FoundRecord& a, const FoundRecord& b) {
    const auto order = [](const FoundRecord& f) {
        return std::tuple(f.device, f.matrix, f.distance);
    };
    if (order(a) != order(b)) return order(a) < order(b);
    return is_better(a.source->record, b.source->record);
}

/// One line for a file, whatever there is wrong with its records.
std::string warning_of(const std::string& file, const ReadRecords& read) {
    const RejectedRecord& first = read.rejected.front();
    if (first.record.empty())
        return fmt::format("tuning file {} is left out: {}", file, first.reason);
    return fmt::format("tuning file {}: {} of {} records left out: {}: {}{}", file,
                       read.rejected.size(), read.rejected.size() + read.records.size(),
                       first.record, first.reason, read.rejected.size() > 1 ? "; …" : "");
}

}  // namespace

TuningDb::TuningDb(std::vector<SourcedRecord> records)
    : records_(merge_records(std::move(records)).records) {
    for (auto& [record, file] : records_) {
        by_question_[to_string(record.question)].push_back(row_prints_.size());
        row_prints_.push_back(row_print(record.features));
        matrix_prints_.push_back(matrix_print(record.features));
    }
}

template <typename F>
std::vector<FoundRecord> TuningDb::find(const F& matrix, const Question& question,
                                        const RecordDevice& device) const {
    constexpr bool whole = std::is_same_v<F, Features>;
    constexpr auto equal = whole ? MatrixMatch::same : MatrixMatch::same_rows;
    std::vector<FoundRecord> found;
    const auto asked = by_question_.find(to_string(question));
    if (asked == by_question_.end()) return found;
    std::string print;
    if constexpr (whole)
        print = matrix_print(matrix);
    else
        print = row_print(matrix);
    const auto& prints = whole ? matrix_prints_ : row_prints_;
    for (const std::size_t i : asked->second) {
        const TuningRecord& record = records_[i].record;
        const auto near = match(record.device, device);
        if (!near) continue;
        if (prints[i] == print) {
            found.push_back({&records_[i], *near, equal, 0, whole});
            continue;
        }
        const double apart = distance(static_cast<const F&>(record.features), matrix);
        if (apart <= most_distance)
            found.push_back({&records_[i], *near, MatrixMatch::alike, apart,
                             alike_blocks(record.features, matrix)});
    }
    std::ranges::sort(found, before);
    return found;
}

std::vector<FoundRecord> TuningDb::look_up(const RowFeatures& matrix, const Question& question,
                                           const RecordDevice& device) const {
    return find(matrix, question, device);
}

std::vector<FoundRecord> TuningDb::look_up(const Features& matrix, const Question& question,
                                           const RecordDevice& device) const {
    return find(matrix, question, device);
}

std::vector<FoundRecord> look_up(const TuningDb& db, const CsrView& matrix, const RowFeatures& rows,
                                 const Question& question, const RecordDevice& device,
                                 int threads) {
    if (db.look_up(rows, question, device).empty()) return {};
    return db.look_up(analyse(matrix, threads), question, device);
}

std::vector<SourcedRecord> read_record_files(std::span<const TuningFile> files,
                                             std::vector<std::string>& warnings) {
    std::vector<SourcedRecord> records;
    for (auto& [name, text, place, problem] : files) {
        ReadRecords read;
        if (problem.empty())
            read = parse_tuning_records(text);
        else
            read.rejected.push_back({"", problem});
        if (!read.rejected.empty()) warnings.push_back(warning_of(name, read));
        for (auto& record : read.records) records.push_back({std::move(record), name});
    }
    return records;
}

std::vector<TuningFile> all_record_files(std::vector<std::string>& warnings) {
    std::vector<TuningFile> files = tuning_files("records-");
    std::ranges::move(read_own_files(locate_records(), "record-", warnings),
                      std::back_inserter(files));
    return files;
}

const TuningDb& tuning_db() {
    static const TuningDb db = [] {
        std::vector<std::string> warnings;
        TuningDb read(read_record_files(all_record_files(warnings), warnings));
        Log log;
        for (auto& warning : warnings) log.warn(warning);
        return read;
    }();
    return db;
}

std::string to_string(const FoundRecord& f) {
    const TuningRecord& r = f.source->record;
    const std::string name = r.matrix.empty() ? "" : r.matrix + "; ";
    const std::string where =
        f.device == DeviceMatch::same ? "this device"
        : f.device == DeviceMatch::architecture
            ? fmt::format("the same architecture ({})", architecture_of(r.device))
            : fmt::format("the same vendor ({})", r.device.vendor);
    const std::string what = f.matrix == MatrixMatch::same ? "this matrix"
                             : f.matrix == MatrixMatch::same_rows
                                 ? "a matrix of the same row lengths"
                                 : fmt::format("a matrix like it, at distance {:.2f}", f.distance);
    return fmt::format("recorded on {}, {}, for {} ({}{}, {})", r.device.name, where, what, name,
                       r.method, r.date);
}

std::string why_not_recorded(const TuningDb& db, std::span<const FoundRecord> found,
                             const Question& question, const RecordDevice& device) {
    if (!found.empty())
        return to_string(found.front()) + ", but with no kernel that can be used here";
    if (db.records().empty())
        return shipped_tuning_folder().empty()
                   ? "nothing is recorded, and no tuning files are installed beside libspmvgen"
                   : "nothing is recorded";
    const auto answers = std::ranges::count_if(db.records(), [&](const SourcedRecord& s) {
        return s.record.question == question && match(s.record.device, device).has_value();
    });
    if (answers == 0)
        return fmt::format("none of {} records is of {} on {} or a device of its vendor",
                           db.records().size(), to_string(question), device.name);
    return fmt::format("none of {} records of {} on {} or its like is of a matrix like this one",
                       answers, to_string(question), device.name);
}

}  // namespace spmvgen
