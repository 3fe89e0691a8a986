#include "run/run_report.hpp"

#include <fmt/format.h>

#include "handle/info_json.hpp"
#include "text/units.hpp"

namespace spmvgen::cli {
namespace {

std::string row(const char* what, const std::string& text) {
    return fmt::format("{:<9}{}\n", what, text);
}

bool on_gpu(const RunReport& r) {
    return !r.info.device.empty() && r.info.device != "host";
}

bool stored_narrow(const RunReport& r) {
    return !r.info.storage.empty() && r.info.storage != to_string(r.value);
}

/// Whether vectors or sums are of another type than the matrix.
bool mixes_types(const RunReport& r) {
    return !r.info.vectors.empty() &&
           (r.info.vectors != to_string(r.value) || r.info.accumulator != r.info.vectors);
}

std::string check_text(const RunReport& r) {
    const CheckResult& check = *r.check;
    if (!check.passed) return "FAILED: " + check.message;
    std::string text = "passed against the compensated reference";
    if (r.rounded && stored_narrow(r)) text += " with values rounded to " + r.info.storage;
    if (check.worst_row >= 0)
        text += fmt::format(": worst error {} of its rounding bound, in row {}",
                            in_digits(check.worst_ratio), check.worst_row);
    if (check.undecided > 0)
        text += fmt::format("; {} of y undecided (their sums overflow)",
                            plural(check.undecided, "element"));
    return text;
}

std::string timing_text(const Timing& t) {
    return fmt::format("{} an apply: median of {}, spread {}, {} … {}", in_seconds(t.median_s),
                       plural(t.samples, "sample"), in_percent(t.spread), in_seconds(t.min_s),
                       in_seconds(t.max_s));
}

std::string speed_text(const RunReport& r) {
    const std::string traffic = in_digits(r.bytes_per_s() / 1e9) + " GB/s (" +
                                in_bytes(static_cast<double>(r.bytes)) +
                                " an apply, each array counted once)";
    return r.flops > 0 ? in_digits(r.flops_per_s() / 1e9) + " GFLOP/s, " + traffic : traffic;
}

std::string bandwidth_text(const RunReport& r, const Bandwidth& b) {
    return fmt::format("{} of the {} GB/s measured now with {} over {} (read {}, triad {})",
                       in_percent(r.share_of(b)), in_digits(b.best() / 1e9),
                       plural(b.threads, "thread"), in_bytes(static_cast<double>(b.bytes)),
                       in_digits(b.read / 1e9), in_digits(b.triad / 1e9));
}

std::string memory_rows(const RunReport& r) {
    std::string text = row("memory", bandwidth_text(r, *r.bandwidth));
    const std::string cache = in_bytes(static_cast<double>(r.cache_bytes));
    if (r.bandwidth->cached)
        text += row(
            "", "that is no larger than the last-level cache (" + cache + "): memory is slower");
    if (r.in_cache) {
        text += row("cache", bandwidth_text(r, *r.in_cache));
        text += row("", "A, x and y fit in the last-level cache (" + cache +
                            "), so the share of memory says little");
    }
    if (r.cache_bytes == 0)
        text += row("",
                    "this machine does not report how large its caches are: small matrices may fit "
                    "in them");
    return text;
}

std::string prepare_text(const RunReport& r) {
    const Info& i = r.info;
    const std::string choosing = i.choice_ms > 0 ? ", choice " + in_seconds(i.choice_ms / 1e3) : "";
    const std::string measuring =
        i.measure_ms > 0 ? ", measuring " + in_seconds(i.measure_ms / 1e3) : "";
    return fmt::format(
        "{}: kernel {}{}, analysis and conversion {}{}; reading took {}, first apply {}",
        in_seconds(i.prepare_ms / 1e3), in_seconds(i.kernel_ms / 1e3), choosing,
        in_seconds((i.prepare_ms - i.kernel_ms - i.choice_ms - i.measure_ms) / 1e3), measuring,
        in_seconds(r.read_s), in_seconds(r.first_apply_s));
}

std::string order_rows(const RunReport& r) {
    const Info& i = r.info;
    std::string text =
        row("order",
            fmt::format("{} in {}, bandwidth {} instead of {}; x and y in "
                        "the {}",
                        i.reorder, in_seconds(i.reorder_ms / 1e3), i.bandwidth, i.bandwidth_before,
                        i.permuted_vectors ? "matrix's order" : "caller's order"));
    if (!r.other_timing) return text;
    return text + row("", fmt::format("an apply takes {} with x and y in the caller's order, {} in "
                                      "the matrix's",
                                      in_seconds(r.gathering().median_s),
                                      in_seconds(r.permuted().median_s)));
}

std::string gpu_rows(const Info& i) {
    std::string text = row("launches", fmt::format("{} an apply, sums in {} order", i.launches,
                                                   i.deterministic ? "a fixed" : "any"));
    for (auto& [symbol, facts] : i.facts) text += row("code", symbol + ": " + to_string(facts));
    return text;
}

Json timing_json(const Timing& t) {
    return {{"median_s", t.median_s}, {"min_s", t.min_s},
            {"max_s", t.max_s},       {"spread", t.spread},
            {"samples", t.samples},   {"calls_per_sample", t.calls_per_sample}};
}

Json order_json(const RunReport& r) {
    const Info& i = r.info;
    if (i.reorder == "none") return {};
    return {{"method", i.reorder},
            {"permuted_vectors", i.permuted_vectors},
            {"reorder_ms", i.reorder_ms},
            {"bandwidth_before", i.bandwidth_before},
            {"bandwidth", i.bandwidth},
            {"permute_bytes", i.permute_bytes},
            {"time_callers_order", r.other_timing ? timing_json(r.gathering()) : Json()},
            {"time_permuted_vectors", r.other_timing ? timing_json(r.permuted()) : Json()}};
}

Json bandwidth_json(const Bandwidth& b) {
    return {{"read_bytes_per_s", b.read}, {"triad_bytes_per_s", b.triad},
            {"bytes", b.bytes},           {"threads", b.threads},
            {"passes", b.passes},         {"measured_in_cache", b.cached}};
}

// Info has those of what is multiplied with.
std::int64_t rows_of_a(const Info& i) {
    return is_transposed(parse_op(i.op)) ? i.cols : i.rows;
}
std::int64_t cols_of_a(const Info& i) {
    return is_transposed(parse_op(i.op)) ? i.rows : i.cols;
}

std::string measured_rows(const Info& i) {
    std::string text;
    for (auto& kernel : i.measured)
        text += row(text.empty() ? "measured" : "",
                    fmt::format("{} {}", in_seconds(kernel.us / 1e6), kernel.kernel));
    return text;
}

std::string predicted_row(const Info& i) {
    if (i.predicted_us == 0) return "";
    return row("predict", fmt::format("{} an apply with α = 1, β = 0, by {}",
                                      in_seconds(i.predicted_us / 1e6), i.profile));
}

Json check_json(const CheckResult& c) {
    return {{"passed", c.passed}, {"worst_ratio", c.worst_ratio}, {"worst_row", c.worst_row},
            {"wrong", c.wrong},   {"undecided", c.undecided},     {"message", c.message}};
}

}  // namespace

std::string to_string(const RunReport& r) {
    const Info& i = r.info;
    std::string text =
        row("matrix", fmt::format("{}: {} x {}, {}, {}", r.matrix, rows_of_a(i), cols_of_a(i),
                                  plural(i.nnz, "nonzero"), to_string(r.value)));
    if (r.systems > 0) text += row("batch", plural(r.systems, "system") + ", " + r.batch);
    const std::string rhs = r.num_rhs > 1 ? ", " + plural(r.num_rhs, "right-hand side") : "";
    text += row("product",
                fmt::format("y = {} A{} x + {} y{}, {}", r.alpha, i.op == "N" ? "" : "^" + i.op,
                            r.beta, rhs, on_gpu(r) ? i.device : plural(r.threads, "thread")));
    if (mixes_types(r))
        text += row("types", fmt::format("x and y {}, sums {}", i.vectors, i.accumulator));
    text += row("kernel", r.kernel + " @ " + i.target);
    text += row("why", i.reason) + r.explanation;
    text += row("format", fmt::format("{}: {} stored{}, {}", i.format, plural(i.stored, "entry"),
                                      stored_narrow(r) ? " as " + i.storage : "",
                                      in_bytes(static_cast<double>(i.matrix_bytes))));
    if (on_gpu(r)) text += gpu_rows(i);
    if (i.reorder != "none") text += order_rows(r);
    text += row("origin", i.origin);
    if (!i.source_path.empty()) text += row("source", i.source_path);
    if (!i.warning.empty()) text += row("warning", i.warning);
    text += row("prepare", prepare_text(r));
    text += measured_rows(i) + predicted_row(i);
    for (auto& [name, number] : r.numbers)
        text += row("operand", fmt::format("{} = {}", name, number));
    if (r.check) text += row("check", check_text(r));
    if (!r.timing) return text;
    text += row("time", timing_text(*r.timing));
    text += row("speed", speed_text(r));
    return r.bandwidth ? text + memory_rows(r) : text;
}

Json to_json(const RunReport& r) {
    const Info& i = r.info;
    Json json{{"matrix", r.matrix},
              {"rows", rows_of_a(i)},
              {"cols", cols_of_a(i)},
              {"nnz", i.nnz},
              {"value", to_string(r.value)},
              {"num_rhs", r.num_rhs},
              {"op", i.op},
              {"device", i.device},
              {"threads", on_gpu(r) ? Json() : Json(r.threads)},
              {"alpha", r.alpha},
              {"beta", r.beta},
              {"kernel", r.kernel},
              {"target", i.target},
              {"reason", i.reason},
              {"format", i.format},
              {"storage", i.storage},
              {"vectors", i.vectors},
              {"accumulator", i.accumulator},
              {"deterministic", i.deterministic},
              {"stored", i.stored},
              {"matrix_bytes", i.matrix_bytes},
              {"origin", i.origin},
              {"source_path", i.source_path},
              {"explanation", r.explanation},
              {"warning", i.warning},
              {"read_ms", 1e3 * r.read_s},
              {"prepare_ms", i.prepare_ms},
              {"kernel_ms", i.kernel_ms},
              {"analysis_ms", i.analysis_ms},
              {"choice_ms", i.choice_ms},
              {"convert_ms", i.convert_ms},
              {"measure_ms", i.measure_ms},
              {"predicted_us", i.predicted_us},
              {"profile", i.profile},
              {"measured_us", i.measured_us},
              {"measured", measured_json(i.measured)},
              {"first_apply_ms", 1e3 * r.first_apply_s},
              {"counters", counters_json(r.counters)}};
    if (r.systems > 0) json["batch"] = {{"systems", r.systems}, {"kind", r.batch}};
    if (on_gpu(r)) {
        json["launches"] = i.launches;
        json["facts"] = facts_json(i.facts);
    }
    json["reorder"] = order_json(r);
    for (auto& [name, number] : r.numbers) json["operands"][name] = number;
    json["check"] = r.check ? check_json(*r.check) : Json();
    json["time"] = r.timing ? timing_json(*r.timing) : Json();
    if (!r.timing) return json;
    json["bytes"] = r.bytes;
    json["bytes_per_s"] = r.bytes_per_s();
    json["flops_per_s"] = r.flops > 0 ? Json(r.flops_per_s()) : Json();
    if (!r.bandwidth) return json;
    json["bandwidth"] = bandwidth_json(*r.bandwidth);
    json["bandwidth_share"] = r.share_of(*r.bandwidth);
    if (r.in_cache || r.cache_bytes > 0)
        json["fits_in_cache"] = r.in_cache.has_value();
    else
        json["fits_in_cache"] = nullptr;  // the machine does not tell
    json["cache_bandwidth"] = r.in_cache ? bandwidth_json(*r.in_cache) : Json();
    json["cache_bandwidth_share"] = r.in_cache ? Json(r.share_of(*r.in_cache)) : Json();
    return json;
}

}  // namespace spmvgen::cli
