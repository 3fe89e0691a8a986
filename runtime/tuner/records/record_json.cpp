#include "tuner/records/record_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "kernel/refuse.hpp"
#include "spmvgen/error.hpp"
#include "store/key.hpp"
#include "tuner/files/json_text.hpp"
#include "tuner/records/record_features.hpp"
#include "tuner/records/signature_name.hpp"

namespace spmvgen {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* record_kind = "tuning-records";
constexpr int record_schema = 1;
constexpr double most_us = 1e12;
constexpr int most_rhs = 64, most_record_threads = 65536;

// ---- writing

/// Text that is not UTF-8, which a file's name may be, is replaced.
std::string line_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_of(const Question& q) {
    Json json{
        {"value", to_string(q.value)}, {"storage", to_string(q.storage)},  {"num_rhs", q.num_rhs},
        {"op", to_string(q.op)},       {"deterministic", q.deterministic}, {"threads", q.threads}};
    if (q.accumulator) json["accumulator"] = to_string(*q.accumulator);
    return json;
}

Json json_of(const RecordDevice& d) {
    return {{"name", d.name}, {"arch", d.arch}, {"vendor", d.vendor}};
}

Json json_of(const TimedKernel& k) {
    return {{"kernel", k.kernel}, {"us", k.us}, {"low_us", k.low_us}, {"high_us", k.high_us}};
}

std::string text_of(const TuningRecord& r) {
    const auto line = [](const char* name, const Json& value) {
        return fmt::format("   \"{}\": {},\n", name, line_of(value));
    };
    std::string text = "  {\n" + line("matrix", r.matrix) + line("group", r.group) +
                       line("device", json_of(r.device)) + line("question", json_of(r.question)) +
                       line("date", r.date) + line("method", r.method) +
                       line("generator", r.generator) + line("rule", r.rule) +
                       line("plain", r.plain);
    text += fmt::format("   \"features\": {},\n   \"kernels\": [", to_json(r.features));
    for (auto& kernel : r.kernels)
        text += fmt::format("{}\n    {}", &kernel == &r.kernels.front() ? "" : ",",
                            line_of(json_of(kernel)));
    return text + "\n   ]\n  }";
}

// ---- reading

std::string printable(std::string text) {
    std::ranges::replace_if(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
    return text;
}

const Json& member(const Json& json, const char* name) {
    const auto found = json.is_object() ? json.find(name) : json.end();
    if (found == json.end()) refuse_input(fmt::format("field '{}' is missing", name));
    return *found;
}

/// Control characters are replaced: names are shown on terminals.
std::string text_field(const Json& json, const char* name, bool may_be_empty = false) {
    const Json& value = member(json, name);
    if (!value.is_string()) refuse_input(fmt::format("field '{}' is no text", name));
    if (value.get_ref<const std::string&>().empty() && !may_be_empty)
        refuse_input(fmt::format("field '{}' is empty", name));
    return printable(value.get<std::string>());
}

double time_field(const Json& json, const char* name) {
    const Json& value = member(json, name);
    const double us = value.is_number() ? value.get<double>() : 0;
    if (!(us > 0) || !(us <= most_us))
        refuse_input(fmt::format("field '{}' is not a positive number up to {}", name, most_us));
    return us;
}

int integer_field(const Json& json, const char* name, int least, int most) {
    const auto value = integer_of(member(json, name), least, most);
    if (!value)
        refuse_input(fmt::format("field '{}' is not a whole number of {}…{}", name, least, most));
    return static_cast<int>(*value);
}

bool bool_field(const Json& json, const char* name) {
    const Json& value = member(json, name);
    if (!value.is_boolean())
        refuse_input(fmt::format("field '{}' is neither true nor false", name));
    return value.get<bool>();
}

/// A text that `parse` takes.
template <typename Parse>
auto word_field(const Json& json, const char* name, Parse parse) {
    const std::string text = text_field(json, name);
    try {
        return parse(text);
    } catch (const Error& error) {
        refuse_input(fmt::format("field '{}': {}", name, error.what()));
    }
}

std::string date_field(const Json& json) {
    std::string date = text_field(json, "date");
    bool right = date.size() == 10;
    for (std::size_t i = 0; right && i < date.size(); ++i)
        right = i == 4 || i == 7 ? date[i] == '-' : date[i] >= '0' && date[i] <= '9';
    if (!right) refuse_input("field 'date' is no date like 2026-11-21");
    return date;
}

TimedKernel parse_timed_kernel(const Json& json) {
    TimedKernel k{text_field(json, "kernel"), time_field(json, "us"), time_field(json, "low_us"),
                  time_field(json, "high_us")};
    if (k.low_us > k.us || k.us > k.high_us)
        refuse_input(fmt::format("the quartiles {} and {} do not enclose the median {}", k.low_us,
                                 k.high_us, k.us));
    return k;
}

std::vector<TimedKernel> parse_kernels(const Json& json) {
    if (!json.is_array() || json.empty()) refuse_input("field 'kernels' is no list, or empty");
    std::vector<TimedKernel> kernels;
    std::set<std::string> names;
    for (auto& kernel : json) {
        kernels.push_back(parse_timed_kernel(kernel));
        if (!names.insert(kernels.back().kernel).second)
            refuse_input(fmt::format("kernel {} is there twice", kernels.back().kernel));
    }
    std::ranges::stable_sort(kernels, {}, &TimedKernel::us);
    return kernels;
}

/// Values may be stored narrower than asked for, where that lost nothing.
bool answers(const Signature& s, const Question& q) {
    const bool storage = storage_type(s) == q.storage || is_narrower(storage_type(s), q.storage);
    return s.value == q.value && storage && s.num_rhs == q.num_rhs &&
           accumulator_type(s) == q.accumulator.value_or(q.value);
}

/// At least one kernel is made today, and all that are answer the record's question.
void check_kernels(const TuningRecord& r) {
    const Target target = parse_target(r.device.arch);
    if ((architecture(target).kind == TargetKind::host) != (r.question.threads > 0))
        refuse_input(fmt::format("field 'threads' is {} on {}: it is 0 for GPUs only",
                                 r.question.threads, r.device.arch));
    bool known = false;
    for (auto& kernel : r.kernels) {
        const auto signature = parse_kernel_name(kernel.kernel, target);
        if (signature && !answers(*signature, r.question))
            refuse_input(fmt::format("kernel {} does not answer the question: {}", kernel.kernel,
                                     to_string(r.question)));
        known = known || signature.has_value();
    }
    if (!known)
        refuse_input(
            fmt::format("none of its kernels is made by this version for {}; the fastest is {}",
                        r.device.arch, r.kernels.front().kernel));
}

TuningRecord parse_record(const Json& json) {
    if (!json.is_object()) refuse_input("it is no object");
    TuningRecord r;
    r.matrix = text_field(json, "matrix", true);
    r.group = text_field(json, "group", true);
    r.device = parse_record_device(member(json, "device"));
    r.question = parse_question(member(json, "question"));
    r.date = date_field(json);
    r.method = text_field(json, "method");
    r.generator = text_field(json, "generator");
    r.rule = text_field(json, "rule", true);
    r.plain = text_field(json, "plain", true);
    r.features = parse_features(member(json, "features"));
    r.kernels = parse_kernels(member(json, "kernels"));
    check_kernels(r);
    return r;
}

/// "record 3 (gallery:thermal2)", counted from 1.
std::string place_of(std::size_t number, const Json& json) {
    const auto name = json.is_object() ? json.find("matrix") : json.end();
    const bool named = json.is_object() && name != json.end() && name->is_string();
    return fmt::format("record {}{}", number,
                       named ? fmt::format(" ({})", printable(name->get<std::string>())) : "");
}

/// The list of records in the text of a file.
Json records_of(std::string_view text) {
    Json json = parse_json_text(text);
    if (!json.is_object() || !json.contains("kind") || json["kind"] != record_kind)
        refuse_input(fmt::format("it is no {}", record_kind));
    const auto version = json.contains("schema") ? integer_of(json["schema"], 0, INT32_MAX)
                                                 : std::optional<std::int64_t>();
    if (!version) refuse_input("field 'schema' is missing or no number");
    if (*version != record_schema)
        refuse_input(fmt::format("its schema is {}, but this version reads {}{}", *version,
                                 record_schema,
                                 *version > record_schema ? ": a newer spmvgen wrote it" : ""));
    if (!json.contains("records") || !json["records"].is_array())
        refuse_input("field 'records' is missing or no list");
    return std::move(json["records"]);
}

}  // namespace

Question parse_question(const Json& json) {
    Question q;
    q.value = word_field(json, "value", parse_value_type);
    q.storage = word_field(json, "storage", parse_value_type);
    if (json.contains("accumulator"))
        q.accumulator = word_field(json, "accumulator", parse_value_type);
    q.num_rhs = integer_field(json, "num_rhs", 1, most_rhs);
    q.op = word_field(json, "op", parse_op);
    q.deterministic = bool_field(json, "deterministic");
    q.threads = integer_field(json, "threads", 0, most_record_threads);
    return q;
}

RecordDevice parse_record_device(const Json& json) {
    RecordDevice device{text_field(json, "name"), text_field(json, "arch"),
                        text_field(json, "vendor")};
    word_field(json, "arch", parse_target);
    return device;
}

std::string to_json(const Question& question) {
    return line_of(json_of(question));
}

std::string to_json(const RecordDevice& device) {
    return line_of(json_of(device));
}

std::string to_json(std::span<const TuningRecord> records) {
    using Place = std::tuple<std::string, std::string, std::string, std::string, std::string>;
    std::vector<Place> texts;
    for (auto& r : records)
        texts.emplace_back(r.device.name + "\n" + r.device.arch, line_of(json_of(r.question)),
                           r.matrix, r.date, text_of(r));
    std::ranges::sort(texts);
    std::string all = fmt::format("{{\n \"kind\": \"{}\",\n \"schema\": {},\n \"records\": [",
                                  record_kind, record_schema);
    for (auto& place : texts) all += (&place == &texts.front() ? "\n" : ",\n") + std::get<4>(place);
    return all + "\n ]\n}\n";
}

ReadRecords parse_tuning_records(std::string_view text) {
    ReadRecords read;
    Json records;
    try {
        records = records_of(text);
    } catch (const Error& error) {
        read.rejected.push_back({"", error.what()});
    }
    for (std::size_t i = 0; i < records.size(); ++i) try {
            read.records.push_back(parse_record(records[i]));
        } catch (const Error& error) {
            read.rejected.push_back({place_of(i + 1, records[i]), error.what()});
        }
    return read;
}

std::string to_string(const Question& q) {
    const auto note = [](bool said, const std::string& text) { return said ? text : ""; };
    return fmt::format(
        "{}{}{}, {} right-hand side{}, op {}{}{}", to_string(q.value),
        note(q.storage != q.value, fmt::format(" stored as {}", to_string(q.storage))),
        note(q.accumulator.has_value(),
             fmt::format(" summed in {}", to_string(q.accumulator.value_or(q.value)))),
        q.num_rhs, q.num_rhs == 1 ? "" : "s", to_string(q.op),
        note(q.deterministic, ", deterministic"),
        note(q.threads > 0, fmt::format(", {} thread{}", q.threads, q.threads == 1 ? "" : "s")));
}

std::string digest(const TuningRecord& record) {
    return to_hex(sha256(to_json(std::span(&record, 1))));
}

}  // namespace spmvgen
