#include "tuner/records/record_merge.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "registry.hpp"
#include "tuner/records/matrix_print.hpp"
#include "tuner/records/record_json.hpp"

namespace spmvgen {
namespace {

LeftOut left_out(const SourcedRecord& out, const SourcedRecord& kept) {
    return {out.file, out.record.matrix,
            out.record == kept.record
                ? fmt::format("the same record is in {}", kept.file)
                : fmt::format("a better one of that matrix is in {} ({}, {})", kept.file,
                              kept.record.method, kept.record.date)};
}

}  // namespace

bool is_better(const TuningRecord& a, const TuningRecord& b) {
    const auto merit = [](const TuningRecord& r) {
        return std::tuple(r.generator == generator_digest(), r.method.starts_with("exhaustive"),
                          r.date, r.kernels.size());
    };
    if (merit(a) != merit(b)) return merit(a) > merit(b);
    return digest(a) > digest(b);
}

MergedRecords merge_records(std::vector<SourcedRecord> records) {
    std::map<std::string, SourcedRecord> best;
    std::vector<SourcedRecord> others;
    for (auto& source : records) {
        const auto [it, is_new] = best.try_emplace(record_key(source.record), source);
        if (is_new) continue;
        if (is_better(source.record, it->second.record)) std::swap(source, it->second);
        others.push_back(std::move(source));
    }
    MergedRecords merged;
    for (auto& out : others)
        merged.left_out.push_back(left_out(out, best.at(record_key(out.record))));
    for (auto& [key, source] : best) merged.records.push_back(std::move(source));
    return merged;
}

}  // namespace spmvgen
