#include "store/entry.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "spmvgen/error.hpp"
#include "store/key.hpp"

namespace spmvgen {
namespace {

using nlohmann::json;

constexpr std::string_view magic = "SPMVGEN\n";

std::string little_endian(std::uint64_t number, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xff);
    return text;
}

std::uint64_t number_at(std::string_view bytes, std::size_t at, int count) {
    std::uint64_t number = 0;
    for (int i = 0; i < count; ++i)
        number |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    return number;
}

StepRule parse_rule(const std::string& text) {
    for (StepRule rule : {StepRule::per_thread, StepRule::once, StepRule::grid})
        if (text == to_string(rule)) return rule;
    throw BadEntry("unknown step rule '" + text + "'");
}

// json::get converts between numbers, booleans and strings where it can; an entry has the exact
// type or is damaged.
const std::string& text(const json& object, const char* name) {
    return object.at(name).get_ref<const std::string&>();
}

std::int64_t integer(const json& object, const char* name) {
    const json& value = object.at(name);
    if (!value.is_number_integer()) throw BadEntry(fmt::format("{} is not an integer", name));
    return value.get<std::int64_t>();
}

int narrow(const json& object, const char* name) {
    const std::int64_t value = integer(object, name);
    if (value < 0 || value > INT32_MAX) throw BadEntry(fmt::format("{} is out of range", name));
    return static_cast<int>(value);
}

bool boolean(const json& object, const char* name) {
    const json& value = object.at(name);
    if (!value.is_boolean()) throw BadEntry(fmt::format("{} is not true or false", name));
    return value.get<bool>();
}

const json& array(const json& object, const char* name) {
    const json& value = object.at(name);
    if (!value.is_array()) throw BadEntry(fmt::format("{} is not an array", name));
    return value;
}

json to_json(const Key& key) {
    json object = json::object();
    for (auto& [name, value] : key.fields)
        std::visit([&, &field = name](auto& v) { object[field] = v; }, value);
    return object;
}

Key key_from(const json& object) {
    if (!object.is_object()) throw BadEntry("key is not an object");
    Key key;
    for (auto& [name, value] : object.items()) {
        if (value.is_string())
            key.fields[name] = value.get<std::string>();
        else
            key.fields[name] = integer(object, name.c_str());
    }
    return key;
}

json to_json(const std::map<std::string, KernelFacts>& facts) {
    json object = json::object();
    for (auto& [symbol, f] : facts)
        object[symbol] = {{"registers", f.registers},
                          {"scalar_registers", f.scalar_registers},
                          {"spilled_bytes", f.spilled_bytes ? json(*f.spilled_bytes) : json()},
                          {"shared_bytes", f.shared_bytes},
                          {"wavefront", f.wavefront},
                          {"stack_bytes", f.stack_bytes}};
    return object;
}

std::map<std::string, KernelFacts> facts_from(const json& object) {
    if (!object.is_object()) throw BadEntry("facts is not an object");
    std::map<std::string, KernelFacts> facts;
    for (auto& [symbol, j] : object.items()) {
        KernelFacts f{.registers = narrow(j, "registers"),
                      .scalar_registers = narrow(j, "scalar_registers"),
                      .spilled_bytes = std::nullopt,
                      .shared_bytes = narrow(j, "shared_bytes"),
                      .wavefront = narrow(j, "wavefront"),
                      .stack_bytes = narrow(j, "stack_bytes")};
        if (!j.at("spilled_bytes").is_null()) f.spilled_bytes = narrow(j, "spilled_bytes");
        facts.emplace(symbol, f);
    }
    return facts;
}

json to_json(const LaunchDescription& launch) {
    json steps = json::array(), workspace = json::array();
    for (auto& step : launch.steps) {
        json arguments = json::array();
        for (auto& a : step.arguments) arguments.push_back({{"name", a.name}, {"type", a.type}});
        steps.push_back({{"symbol", step.symbol},
                         {"rule", to_string(step.rule)},
                         {"arguments", arguments},
                         {"grid",
                          {{"items", step.grid.items},
                           {"items_per_block", step.grid.items_per_block},
                           {"blocks_per_unit", step.grid.blocks_per_unit},
                           {"groups", step.grid.groups}}},
                         {"block", step.block},
                         {"shared_bytes", step.shared_bytes}});
        if (step.overlaps) steps.back()["overlaps"] = true;
        if (step.joins.step >= 0)
            steps.back()["joins"] = {{"step", step.joins.step},
                                     {"beyond_blocks", step.joins.beyond_blocks},
                                     {"blocks", step.joins.blocks}};
    }
    for (auto& w : launch.workspace)
        workspace.push_back({{"name", w.name},
                             {"bytes_per_thread", w.bytes_per_thread},
                             {"bytes_per_block", w.bytes_per_block},
                             {"of_step", w.of_step},
                             {"bytes", w.bytes},
                             {"zeroed", w.zeroed}});
    return {{"steps", steps}, {"workspace", workspace}};
}

LaunchDescription launch_from(const json& object) {
    LaunchDescription launch;
    for (auto& j : array(object, "steps")) {
        Step step{
            .symbol = text(j, "symbol"), .rule = parse_rule(text(j, "rule")), .arguments = {}};
        for (auto& a : array(j, "arguments"))
            step.arguments.push_back({text(a, "name"), text(a, "type")});
        const json& grid = j.at("grid");
        step.grid = {text(grid, "items"), integer(grid, "items_per_block"),
                     integer(grid, "blocks_per_unit"), narrow(grid, "groups")};
        step.block = narrow(j, "block");
        step.shared_bytes = integer(j, "shared_bytes");
        step.overlaps = j.contains("overlaps") && boolean(j, "overlaps");
        if (j.contains("joins"))
            step.joins = {narrow(j.at("joins"), "step"), integer(j.at("joins"), "beyond_blocks"),
                          narrow(j.at("joins"), "blocks")};
        launch.steps.push_back(std::move(step));
    }
    for (auto& j : array(object, "workspace"))
        launch.workspace.push_back({text(j, "name"), integer(j, "bytes_per_thread"),
                                    integer(j, "bytes_per_block"), narrow(j, "of_step"),
                                    integer(j, "bytes"), boolean(j, "zeroed")});
    return launch;
}

json parse_header(std::string_view header) {
    json parsed = json::parse(header, nullptr, false);
    if (!parsed.is_object()) throw BadEntry("the header is not a JSON object");
    return parsed;
}

/// Runs a reader of a parsed header; what JSON objects to is a BadEntry.
template <typename Reader>
auto reading(Reader&& reader) {
    try {
        return reader();
    } catch (const json::exception& e) {
        throw BadEntry(fmt::format("bad header: {}", e.what()));
    }
}

std::string header_text(const Key& key, const KernelBinary& binary, const Provenance& made) {
    const json header{{"key", to_json(key)},
                      {"name", kernel_name(binary.signature)},
                      {"target", to_string(binary.signature.target)},
                      {"launch", to_json(binary.launch)},
                      {"facts", to_json(binary.facts)},
                      {"compiler", binary.compiler},
                      {"flags", binary.flags},
                      {"source_digest", binary.source_digest},
                      {"compiled_digest", compiled_digest(binary)},
                      {"version", made.version},
                      {"created", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(made.created))}};
    return header.dump() + "\n";
}

}  // namespace

std::string encode_entry(const Key& key, const KernelBinary& binary, const Provenance& made) {
    if (!binary.source.empty() && to_hex(sha256(binary.source)) != binary.source_digest)
        throw Error(ErrorCode::internal, "the source digest is not the digest of the source");
    std::string header;
    try {
        header = header_text(key, binary, made);
    } catch (const json::exception& e) {
        throw Error(ErrorCode::internal, fmt::format("no header for this entry: {}", e.what()));
    }
    const auto size =
        preamble_bytes + header.size() + binary.source.size() + binary.bytes.size() + sha256_bytes;
    if (header.size() > max_header_bytes || size > max_entry_bytes)
        throw Error(ErrorCode::internal, fmt::format("an entry of {} bytes is too large", size));
    std::string entry;
    entry.reserve(size);
    entry += magic;
    entry += little_endian(store_format, 4);
    entry += little_endian(header.size(), 4);
    entry += little_endian(binary.source.size(), 8);
    entry += little_endian(binary.bytes.size(), 8);
    entry += header;
    entry += binary.source;
    entry += binary.bytes;
    entry += sha256(entry);
    return entry;
}

Preamble read_preamble(std::string_view first, std::uint64_t file_bytes) {
    if (first.size() < preamble_bytes || file_bytes < preamble_bytes + sha256_bytes)
        throw BadEntry(fmt::format("{} bytes are too few for an entry", file_bytes));
    if (!first.starts_with(magic)) throw BadEntry("it does not begin as an entry does");
    const auto version = number_at(first, 8, 4);
    if (version > store_format)
        throw BadEntry(
            fmt::format("its format version is {}, this spmvgen reads {}", version, store_format),
            true);
    if (version != store_format) throw BadEntry(fmt::format("no format version {}", version));
    const Preamble p{number_at(first, 12, 4), number_at(first, 16, 8), number_at(first, 24, 8)};
    // Each term is bounded before the sum is taken: it cannot wrap.
    if (p.header_bytes > max_header_bytes || p.source_bytes > max_entry_bytes ||
        p.payload_bytes > max_entry_bytes ||
        preamble_bytes + p.header_bytes + p.source_bytes + p.payload_bytes + sha256_bytes !=
            file_bytes)
        throw BadEntry(fmt::format("{} bytes are not what its lengths add up to", file_bytes));
    if (file_bytes > max_entry_bytes) throw BadEntry("it is too large for an entry");
    return p;
}

Summary read_summary(std::string_view header) {
    return reading([&] {
        const json h = parse_header(header);
        return Summary{key_from(h.at("key")), text(h, "name"),    text(h, "target"),
                       text(h, "compiler"),   text(h, "version"), text(h, "created")};
    });
}

KernelBinary decode_entry(std::string_view bytes, const Key& key) {
    const Preamble p = read_preamble(bytes.substr(0, preamble_bytes), bytes.size());
    const auto body = bytes.substr(0, bytes.size() - sha256_bytes);
    if (sha256(body) != bytes.substr(body.size())) throw BadEntry("its checksum does not match");
    return reading([&] {
        const json h = parse_header(body.substr(preamble_bytes, p.header_bytes));
        if (key_from(h.at("key")) != key) throw BadEntry("it is the entry of another kernel");
        KernelBinary binary;
        binary.launch = launch_from(h.at("launch"));
        binary.facts = facts_from(h.at("facts"));
        binary.compiler = text(h, "compiler");
        binary.flags = text(h, "flags");
        binary.source_digest = text(h, "source_digest");
        binary.source = body.substr(preamble_bytes + p.header_bytes, p.source_bytes);
        binary.bytes = body.substr(body.size() - p.payload_bytes);
        if (!binary.source.empty() && to_hex(sha256(binary.source)) != binary.source_digest)
            throw BadEntry("its source is not the one that was compiled");
        if (text(h, "compiled_digest") != compiled_digest(binary))
            throw BadEntry("its source, flags and compiler do not belong together");
        return binary;
    });
}

}  // namespace spmvgen
