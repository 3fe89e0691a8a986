#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/records/record.hpp"

/// The text of tuning_db's records (docs/reference/files.md): kind "tuning-records", schema 1.
namespace spmvgen {

/// A record, or a whole file, that cannot be used.
struct RejectedRecord {
    std::string record;  ///< "record 3 (gallery:thermal2)"; "" = the whole file
    std::string reason;  ///< "field 'us' is not a positive number up to 1e+12"
    bool operator==(const RejectedRecord&) const = default;
};

struct ReadRecords {
    std::vector<TuningRecord> records;
    std::vector<RejectedRecord> rejected;
};

/// One text of all records: features and each timed kernel on a line of their own, the records in
/// an order that depends on nothing but what they hold (device, question, matrix, date).
std::string to_json(std::span<const TuningRecord> records);

/// Any bytes. A record that is broken costs no other record; text that is no JSON, of another kind,
/// or of another schema gives one reason for the whole file. In a record that is accepted the
/// kernels are in the order of their times, numbers are finite and within range, and at least one
/// kernel is made for that device by this version; others may be of an older or newer version.
/// Throws nothing but std::bad_alloc. Constant in everything but the text.
ReadRecords parse_tuning_records(std::string_view text);

/// One line of JSON, as it stands in a record, and back; the latter throws Error(invalid_input).
std::string to_json(const Question& question);
std::string to_json(const RecordDevice& device);
Question parse_question(const nlohmann::ordered_json& json);
RecordDevice parse_record_device(const nlohmann::ordered_json& json);

/// "f64, 1 right-hand side, op N, 2 threads": the question in words.
std::string to_string(const Question& question);

/// Hex SHA-256 of all that the record holds: the same text, the same digest, on every machine.
std::string digest(const TuningRecord& record);

}  // namespace spmvgen
