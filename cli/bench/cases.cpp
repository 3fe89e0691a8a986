#include "bench/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "formats/stored_matrix.hpp"
#include "handle/options_by_name.hpp"
#include "handle/plan/levels.hpp"
#include "options/options.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::cli {
namespace {

bool suits(const peers::PeerEntry& entry, const std::string& device) {
    return device.starts_with(entry.device);
}

/// "cusparse, plain": those that multiply on the device, or "none".
std::string peers_on(const std::string& device) {
    std::string names;
    for (auto& entry : peers::known_peers())
        if (suits(entry, device)) names += (names.empty() ? "" : ", ") + std::string(entry.name);
    return names.empty() ? "none" : names;
}

void check_peer_names(const BenchOptions& o) {
    for (auto& name : o.against) {
        if (name == "all" || name == "none") {
            if (o.against.size() > 1)
                throw UsageError("--against: " + name + " stands alone; drop the rest");
            continue;
        }
        const auto entry = std::ranges::find(peers::known_peers(), name, &peers::PeerEntry::name);
        if (entry == peers::known_peers().end())
            throw UsageError("--against: unknown library '" + name + "': on " + o.device +
                             " there are all, none, " + peers_on(o.device));
        if (!suits(*entry, o.device))
            throw UsageError("--against: " + name + " does not multiply on " + o.device +
                             "; there are " + peers_on(o.device));
    }
    if (o.cusparse.empty()) return;
    if (!o.device.starts_with("cuda"))
        throw UsageError("--cusparse: is for --device cuda:N, not " + o.device);
    if (o.against != std::vector<std::string>{"all"} &&
        std::ranges::find(o.against, "cusparse") == o.against.end())
        throw UsageError("--cusparse: --against leaves cusparse out");
}

const KernelEntry& entry_of(const std::string& kernel, bool gpu) {
    resolve("--kernels", [&] { return kernel_entry(kernel).format; });
    const KernelEntry& entry = kernel_entry(kernel);
    if (entry.gpu != gpu)
        throw UsageError("--kernels: " + kernel + " is for " +
                         (entry.gpu ? "GPUs; name one with --device" : "CPUs; drop --device"));
    if (!is_single_product(entry))
        throw UsageError("--kernels: " + kernel + " does not multiply one matrix, y = Ax");
    return entry;
}

bool wanted_format(const BenchOptions& o, Format format) {
    return o.formats.empty() || std::ranges::find(o.formats, to_string(format)) != o.formats.end();
}

void add_case(std::vector<BenchCase>& cases, BenchCase one) {
    if (std::ranges::find(cases, one.name, &BenchCase::name) == cases.end())
        cases.push_back(std::move(one));
}

/// One "NAME=VALUE" of a case, as set_option() takes it.
std::pair<std::string, std::string> setting_of(const std::string& text, const BenchCase& one) {
    const auto equals = text.find('=');
    if (equals == 0 || equals == std::string::npos)
        throw UsageError("--kernels: " + one.name + ": '" + text +
                         "' is not NAME=VALUE, such as sigma=1");
    const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
    const bool any =
        name == "encodings" || name == "reorder" || name == "rule" || name == "all_threads";
    std::pair<std::string, std::string> setting{any ? name : "param." + name, value};
    if (!any) {
        if (one.kernel == "auto")
            throw UsageError("--kernels: " + one.name + ": " + name +
                             " is of a kernel; of auto there are encodings, reorder, rule and "
                             "all_threads");
        const auto& params = kernel_entry(one.kernel).params;
        if (std::ranges::find(params, name, &Parameter::name) == params.end())
            throw UsageError("--kernels: " + one.name + ": " + one.kernel + " has no parameter " +
                             name + "; see spmvgen emit --list");
    }
    Options options;
    resolve("--kernels: " + one.name, [&] { set_option(options, setting.first, value); });
    return setting;
}

std::string level_of(const std::string& name) {
    constexpr std::string_view prefix = "auto/";
    const std::string level = name == "auto" ? "rule" : name.substr(prefix.size());
    if (!is_level(level))
        throw UsageError("--kernels: unknown level '" + level + "' in " + name + ": use " +
                         std::string(level_names));
    return level;
}

/// "auto", "auto/LEVEL" or a kernel, each also with what is fixed: "strips:codes=8:sigma=1".
BenchCase case_of(const std::string& spelled, bool gpu) {
    std::istringstream parts(spelled);
    std::string name, setting;
    std::getline(parts, name, ':');
    BenchCase one{.name = spelled, .library = "spmvgen"};
    if (name == "auto" || name.starts_with("auto/"))
        one.level = level_of(name);
    else
        one.kernel = entry_of(name, gpu).id;
    while (std::getline(parts, setting, ':')) one.settings.push_back(setting_of(setting, one));
    return one;
}

/// What a format may take: cuSPARSE's are limited likewise. Small matrices may be padded freely.
std::int64_t memory_limit(const CsrMatrix& matrix) {
    constexpr std::int64_t most_padding = 10, always = 64 << 20;
    return std::max(most_padding * static_cast<std::int64_t>(matrix.bytes()), always);
}

/// A compiler's log has hundreds.
std::string first_line(const std::string& text) {
    return text.substr(0, std::min<std::size_t>(text.find('\n'), 300));
}

Json to_json(const ClockedTime& time, std::int64_t bytes) {
    const Timing& t = time.apply;
    Json json{{"us", 1e6 * t.median_s},  {"low_us", 1e6 * t.low_s},    {"high_us", 1e6 * t.high_s},
              {"min_us", 1e6 * t.min_s}, {"max_us", 1e6 * t.max_s},    {"spread", t.spread},
              {"samples", t.samples},    {"calls", t.calls_per_sample}};
    if (bytes > 0) json["gb_s"] = 1e-9 * static_cast<double>(bytes) / t.median_s;
    if (time.update_s > 0) json["update_us"] = 1e6 * time.update_s;
    return json;
}

}  // namespace

std::vector<FoundPeer> find_peers(const BenchOptions& o, const peers::Place& place) {
    check_peer_names(o);
    const bool all = o.against == std::vector<std::string>{"all"};
    std::vector<FoundPeer> found;
    for (auto& entry : peers::known_peers()) {
        const bool named = std::ranges::find(o.against, entry.name) != o.against.end();
        if (!named && !(all && suits(entry, o.device))) continue;
        FoundPeer one{.name = std::string(entry.name), .peer = nullptr, .absent = {}};
        try {
            one.peer = entry.open(place);
            one.label = one.name + (entry.by_version ? " " + one.peer->version() : "");
        } catch (const Error& error) {
            if (entry.name == "cusparse" && !o.cusparse.empty())
                throw Error(error.code(), std::string("--cusparse: ") + error.what());
            if (named) throw Error(error.code(), "--against " + one.name + ": " + error.what());
            one.absent = error.what();
        }
        found.push_back(std::move(one));
    }
    return found;
}

std::vector<BenchCase> bench_cases(const BenchOptions& o, const std::vector<FoundPeer>& peers,
                                   bool gpu) {
    for (auto& format : o.formats) resolve("--formats", [&] { return parse_format(format); });
    std::vector<BenchCase> cases;
    for (auto& name : o.kernels) {
        if (name == "none") {
            if (o.kernels.size() > 1)
                throw UsageError("--kernels: none stands alone; drop the rest");
        } else if (name == "levels") {
            for (const char* level : {"auto", "auto/recorded", "auto/measure"})
                add_case(cases, case_of(level, gpu));
        } else if (name == "all") {
            for (auto& entry : kernel_registry())
                if (entry.gpu == gpu && is_plain_product(entry) && wanted_format(o, entry.format))
                    add_case(cases, {.name = std::string(entry.id),
                                     .library = "spmvgen",
                                     .kernel = std::string(entry.id)});
        } else {
            BenchCase one = case_of(name, gpu);
            if (one.kernel != "auto" && !wanted_format(o, kernel_entry(one.kernel).format))
                throw UsageError("--kernels: " + name + " is of format " +
                                 to_string(kernel_entry(one.kernel).format) +
                                 ", which --formats leaves out");
            add_case(cases, std::move(one));
        }
    }
    for (auto& found : peers)
        if (found.peer)
            for (auto& way : found.peer->ways(o.num_rhs))
                cases.push_back({.name = found.label + "/" + way,
                                 .library = found.name,
                                 .peer = found.peer.get(),
                                 .way = way});
    if (cases.empty())
        throw UsageError("nothing is left to measure: no kernel and no other library");
    return cases;
}

CaseRunner::CaseRunner(const CsrMatrix& matrix, Place& place, const BenchOptions& options,
                       const CaseMethod& method)
    : matrix_(matrix),
      place_(place),
      options_(options),
      method_(method),
      bench_(matrix, place, options.num_rhs, options.layout == "column") {}

CaseRunner::Ready CaseRunner::make_ours(const BenchCase& one, Json& row) {
    Options options;
    options.device = options_.device;
    options.threads = place_.device() == nullptr ? place_.threads() : 0;
    if (place_.device() == nullptr) options.target = options_.arch;
    options.kernel = one.kernel;
    options.level = one.level;
    options.encodings = options_.encodings;
    options.num_rhs = options_.num_rhs;
    // What a level chooses pads little. A limit would keep it from converting on the device.
    if (one.kernel != "auto") options.memory_limit = memory_limit(matrix_);
    options.copy = false;
    options.updatable = false;
    options.strict = true;
    options.choose_anew = true;  // what it takes does not depend on earlier runs
    for (auto& [name, text] : one.settings) set_option(options, name, text);
    const auto handle = std::make_shared<const Handle>(matrix_.view(), options);
    const Info& info = handle->info();
    row["kernel"] = info.kernel;
    row["format"] = info.format;
    row["reason"] = info.reason;
    row["threads"] = info.threads;
    row["launches"] = info.launches;
    row["deterministic"] = info.deterministic;
    row["stored"] = info.stored;
    row["convert_ms"] = info.convert_ms;
    row["plan_ms"] = info.prepare_ms - info.convert_ms;
    row["kernel_ms"] = info.kernel_ms;  // of plan_ms, as the next
    row["analysis_ms"] = info.analysis_ms;
    row["choice_ms"] = info.choice_ms;
    row["storage"] = info.storage;
    row["matrix_bytes"] = info.matrix_bytes;
    if (info.predicted_us > 0) {
        row["predicted_us"] = info.predicted_us;
        row["profile"] = info.profile;
    }
    for (auto& kernel : info.measured)
        row["measured"].push_back({{"kernel", kernel.kernel}, {"us", kernel.us}});
    const std::function<void()> apply =
        dispatch(matrix_.value_type, [&](auto tag) -> std::function<void()> {
            using Value = decltype(tag);
            return [handle, x = static_cast<const Value*>(bench_.x()),
                    y = static_cast<Value*>(bench_.y()), stream = Stream{place_.stream().native},
                    k = options_.layout == "column" ? options_.num_rhs : 0, rows = matrix_.rows,
                    cols = matrix_.cols] {
                constexpr auto column = VectorLayout::column;
                if (k > 0)
                    handle->apply_many(k, Value(1), x, cols, column, Value(0), y, rows, column,
                                       stream);
                else
                    handle->apply(Value(1), x, Value(0), y, stream);
            };
        });
    return {apply, info.bytes};
}

CaseRunner::Ready CaseRunner::make_peer(const BenchCase& one, Json& row) {
    const bool by_columns = options_.layout == "column";
    if (by_columns && !one.peer->takes_columns())
        throw Error(ErrorCode::unsupported, one.library + " is compared for vectors by rows alone");
    const peers::Product product = one.peer->make(one.way, {.matrix = matrix_,
                                                            .x = bench_.x(),
                                                            .y = bench_.y(),
                                                            .num_rhs = options_.num_rhs,
                                                            .by_columns = by_columns});
    row["convert_ms"] = product.convert_ms;
    row["plan_ms"] = product.plan_ms;
    if (!product.note.empty()) row["note"] = product.note;
    return {product.apply, product.bytes};
}

void CaseRunner::measure(const Ready& ready, Json& row) {
    row["bytes"] = ready.bytes;
    const CheckResult before = bench_.check_fresh(ready.apply);
    row["worst_ratio"] = before.worst_ratio;
    if (!before.passed) {
        row["wrong"] = before.message;
        return;
    }
    const double share =
        method_.seconds / method_.rounds / static_cast<double>(method_.clocks.size());
    Timed timed{.apply = ready.apply, .update = {}};
    if (method_.has(Clock::solver)) timed.update = bench_.update();
    Json times = Json::object(), untimed = Json::object();
    for (const Clock clock : method_.clocks) {
        const char* const name = clock_name(clock);
        bench_.spoil();
        try {
            times[name] = to_json(place_.time(clock, timed, share), ready.bytes);
        } catch (const Error& error) {
            untimed[name] = first_line(error.what());
            continue;
        }
        if (const CheckResult after = bench_.check_last(); !after.passed) {
            row["wrong"] = std::string("after it was timed by ") + name + ": " + after.message;
            return;
        }
    }
    if (times.empty()) {
        row["none"] = untimed.begin().value();
        return;
    }
    row.update(times);
    if (!untimed.empty()) row["untimed"] = std::move(untimed);
}

Json CaseRunner::run(const BenchCase& one) {
    Json row{{"case", one.name}, {"library", one.library}};
    try {
        measure(one.peer == nullptr ? make_ours(one, row) : make_peer(one, row), row);
    } catch (const TooLarge& error) {  // its advice is for who chooses the limit
        row["none"] = error.why();
    } catch (const Error& error) {
        row["none"] = first_line(error.what());
        if (one.peer == nullptr &&
            (error.code() == ErrorCode::compile || error.code() == ErrorCode::internal))
            row["failed"] = true;
    } catch (const std::bad_alloc&) {
        row["none"] = "not enough memory";
    }
    return row;
}

}  // namespace spmvgen::cli
