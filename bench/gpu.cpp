// bench_gpu: GPU kernels, matrix by matrix, beside cuSPARSE in the same run. Every product is
// checked against the compensated reference before it is timed; a wrong one gets no time.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "gpu_jit.hpp"
#include "gpu_matrix.hpp"
#include "gpu_product.hpp"
#include "matrix/transpose.hpp"
#include "peers/cusparse.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "spmvgen/spmvgen.hpp"

namespace {

using namespace spmvgen;
using nlohmann::json;

struct Arguments {
    std::vector<std::string> matrices;
    std::vector<std::string> cases;
    std::string value = "f64", device = "cuda:0", op = "N", json_path;
    bool sweep = false, no_cusparse = false, graph = false, jit = false, deterministic = false;
    bool device_arrays = false;
    int handles = 1;
    double seconds = 1e9;
    TimingRule rule;
    CacheMode cache = CacheMode::on;
};

/// A kernel with the parameters that are not left to the tuner.
struct Case {
    std::string kernel;
    std::map<std::string, std::int64_t> params;

    std::string text() const {
        std::string all = kernel;
        for (auto& [name, value] : params)
            all += fmt::format("{}{}={}", all == kernel ? ":" : ",", name, value);
        return all;
    }
};

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorCode::invalid_argument, message);
}

Case parse_case(const std::string& text) {
    const auto colon = text.find(':');
    Case c{text.substr(0, colon), {}};
    for (auto& part : CLI::detail::split(colon == text.npos ? "" : text.substr(colon + 1), ',')) {
        if (part.empty()) continue;
        const auto equals = part.find('=');
        if (equals == part.npos) refuse("--case " + text + ": use KERNEL:name=value,name=value");
        c.params[part.substr(0, equals)] = std::stoll(part.substr(equals + 1));
    }
    return c;
}

/// What one parameter after the other does.
void add_sweep(std::vector<Case>& cases, const KernelEntry& entry) {
    constexpr std::int64_t without_limit = 1'000'000;
    for (auto& p : entry.params)
        for (const auto value : p.allowed)
            if (value < without_limit)
                cases.push_back({std::string(entry.id), {{std::string(p.name), value}}});
}

std::vector<Case> cases_of(const Arguments& arguments) {
    std::vector<Case> cases;
    for (auto& text : arguments.cases) cases.push_back(parse_case(text));
    if (!cases.empty()) return cases;
    cases.push_back({"auto", {}});
    for (auto& entry : kernel_registry())
        if (entry.gpu && is_plain_product(entry)) cases.push_back({std::string(entry.id), {}});
    if (arguments.sweep)
        for (auto& entry : kernel_registry())
            if (entry.gpu && is_plain_product(entry)) add_sweep(cases, entry);
    return cases;
}

/// A matrix's arrays in the memory of a device.
class ArraysThere {
  public:
    ArraysThere(Device& device, const CsrMatrix& a) : view_(a.view()) {
        view_.row_ptr = put(device, a.row_ptr);
        view_.col_idx = put(device, a.col_idx);
        view_.values = put(device, a.values);
    }
    const CsrView& view() const { return view_; }

  private:
    const void* put(Device& device, const Buffer& from) {
        auto& memory = memory_.emplace_back(device.allocate(from.bytes()));
        device.copy_to_device(memory->data(), from.data(), from.bytes());
        return memory->data();
    }
    CsrView view_;
    std::vector<std::unique_ptr<DeviceMemory>> memory_;
};

/// Prints rows and keeps them, one JSON object a line, so that a run cut short leaves what it has.
class Report {
  public:
    explicit Report(const std::string& path) {
        if (path.empty()) return;
        file_.open(path);
        if (!file_) throw Error(ErrorCode::io, path + ": cannot be written");
    }
    void add(const json& row) {
        if (file_.is_open()) file_ << row.dump() << std::endl;
        if (row.contains("us"))
            fmt::print("{:<22} {:<40} {:>9.2f} [{:.2f} {:.2f}] {:>6.0f} GB/s\n",
                       row["matrix"].get<std::string>(), row["case"].get<std::string>(),
                       row["us"].get<double>(), row["us_min"].get<double>(),
                       row["us_max"].get<double>(), row["gb_s"].get<double>());
        else if (row.contains("case"))
            fmt::print("{:<22} {:<40} {}: {}\n", row["matrix"].get<std::string>(),
                       row["case"].get<std::string>(), row.contains("wrong") ? "WRONG" : "none",
                       (row.contains("wrong") ? row["wrong"] : row["refused"]).get<std::string>());
        std::cout.flush();
        failures_ += row.contains("wrong") || row.value("failed", false);
    }
    int failures() const { return failures_; }

  private:
    std::ofstream file_;
    int failures_ = 0;
};

/// Checks and times one product; `row` gets the figures or what is wrong.
void measure(json& row, ProductBench& bench, const DeviceProduct& product, std::int64_t bytes,
             const Arguments& arguments, bool graph) {
    double worst_ratio = 0;
    if (const std::string wrong = bench.check(product, worst_ratio); !wrong.empty()) {
        row["wrong"] = wrong;
        return;
    }
    const BatchTimes t = bench.time(product, arguments.rule);
    row["checked"] = true;
    row["worst_ratio"] = worst_ratio;
    row["bytes"] = bytes;
    row["us"] = t.median;
    row["us_min"] = t.least;
    row["us_max"] = t.most;
    row["gb_s"] = 1e-3 * static_cast<double>(bytes) / t.median;
    if (!graph) return;
    if (const auto g = bench.time_graph(product, arguments.rule)) row["graph_us"] = g->median;
}

/// A compiler's log has hundreds.
std::string first_line(const std::string& text) {
    return text.substr(0, std::min<std::size_t>(text.find('\n'), 300));
}

/// Runs `body`; what it throws becomes the row's reason for having no time.
template <typename Body>
void guarded(json& row, const Body& body) {
    try {
        body();
    } catch (const Error& error) {
        row["refused"] = first_line(error.what());
        row["failed"] = error.code() == ErrorCode::compile || error.code() == ErrorCode::internal;
    } catch (const std::bad_alloc&) {
        row["refused"] = "not enough memory";
    }
}

json facts_of(const Info& info) {
    json all = json::object();
    for (auto& [symbol, f] : info.facts)
        all[symbol] = {{"registers", f.registers},
                       {"shared_bytes", f.shared_bytes},
                       {"spilled_bytes", f.spilled_bytes.value_or(-1)}};
    return all;
}

class MatrixRun {
  public:
    MatrixRun(const std::string& text, const Arguments& arguments, std::shared_ptr<Device> device,
              const CudaDriver* driver, Report& report)
        : arguments_(arguments),
          device_(std::move(device)),
          report_(report),
          given_(load(text, arguments)),
          transposed_(arguments.op == "N" ? CsrMatrix{}
                                          : transpose(given_.view(), arguments.op == "H")),
          matrix_(arguments.op == "N" ? given_ : transposed_),
          bench_(matrix_, device_, driver) {
        if (arguments.device_arrays) there_.emplace(*device_, given_);
        const CsrView a = matrix_.view();
        std::int64_t longest = 0;
        for (std::int64_t i = 0; i < a.rows; ++i) longest = std::max(longest, a.row_length(i));
        head_ = {{"matrix", bench_matrix_name(text)},
                 {"rows", a.rows},
                 {"cols", a.cols},
                 {"nnz", a.nnz},
                 {"max_row", longest},
                 {"value", to_string(a.value_type)},
                 {"op", arguments.op},
                 {"device", device_->facts().name}};
    }

    void ours(const Case& c) {
        json row = head_;
        row["library"] = "spmvgen";
        row["case"] = c.text();
        row["params"] = c.params;
        guarded(row, [&] {
            Options options;
            options.device = arguments_.device;
            options.kernel = c.kernel;
            options.params = c.params;
            options.deterministic = arguments_.deterministic;
            options.cache = arguments_.cache;
            options.op = arguments_.op;
            options.device_arrays = arguments_.device_arrays;
            const CsrView given = there_ ? there_->view() : given_.view();
            // The first handle makes the kernels; the least of the others is what a conversion
            // takes.
            double convert_ms = std::numeric_limits<double>::infinity();
            for (int i = 1; i < arguments_.handles; ++i)
                convert_ms = std::min(convert_ms, Handle(given, options).info().convert_ms);
            const Handle handle(given, options);
            const Info& info = handle.info();
            row["convert_ms"] = std::min(convert_ms, info.convert_ms);
            row["analysis_ms"] = info.analysis_ms;
            row["matrix_bytes"] = info.matrix_bytes;
            // A swept value that the tuner takes anyway.
            if (!c.params.empty() && arguments_.cases.empty() && !seen_.insert(info.kernel).second)
                return;
            seen_.insert(info.kernel);
            row["kernel"] = info.kernel;
            row["format"] = info.format;
            row["reason"] = info.reason;
            row["launches"] = info.launches;
            row["deterministic"] = info.deterministic;
            row["prepare_ms"] = info.prepare_ms;
            row["kernel_ms"] = info.kernel_ms;
            row["facts"] = facts_of(info);
            measure(row, bench_, product_of(handle), info.bytes, arguments_, arguments_.graph);
        });
        if (row.contains("us") || row.contains("wrong") || row.contains("refused"))
            report_.add(row);
    }

    void cusparse(peers::Peer& library, const std::string& way) {
        json row = head_;
        row["library"] = "cusparse";
        row["case"] = "cusparse/" + way;
        row["kernel"] = way;
        guarded(row, [&] {
            const peers::Product product =
                library.make(way, {.matrix = matrix_, .x = bench_.x(), .y = bench_.y()});
            row["prepare_ms"] = product.convert_ms + product.plan_ms;
            measure(row, bench_, [&](void*) { product.apply(); }, product.bytes, arguments_, false);
        });
        report_.add(row);
    }

  private:
    static CsrMatrix load(const std::string& text, const Arguments& arguments) {
        CsrMatrix a = read_bench_matrix(text);
        const ValueType type = parse_value_type(arguments.value);
        return a.value_type == type ? std::move(a) : convert_values(a.view(), type);
    }
    DeviceProduct product_of(const Handle& handle) {
        return dispatch(matrix_.value_type, [&](auto type) -> DeviceProduct {
            using Value = decltype(type);
            return [&handle, x = static_cast<const Value*>(bench_.x()),
                    y = static_cast<Value*>(bench_.y())](void* stream) {
                handle.apply(Value(1), x, Value(0), y, Stream{stream});
            };
        });
    }

    const Arguments& arguments_;
    std::shared_ptr<Device> device_;
    Report& report_;
    CsrMatrix given_;          ///< what handles are made of
    CsrMatrix transposed_;     ///< empty for op N
    const CsrMatrix& matrix_;  ///< what is multiplied with
    ProductBench bench_;
    std::optional<ArraysThere> there_;
    json head_;
    std::set<std::string> seen_;
};

Arguments parse(int argc, char** argv) {
    Arguments a;
    CLI::App app{"GPU kernels beside cuSPARSE: microseconds of y = Ax"};
    app.add_option("matrices", a.matrices, "files (.csrb, .mtx, …) or gallery specifications");
    app.add_option("--device", a.device, "cuda:0, or simt:sm_90 to try this program");
    app.add_option("--case", a.cases, "KERNEL[:name=value,…] instead of all kernels");
    app.add_option("--value", a.value, "f32, f64, c32, c64");
    app.add_option("--op", a.op, "N, T or H; cuSPARSE then gets the transpose itself")
        ->check(CLI::IsMember({"N", "T", "H"}));
    app.add_flag("--sweep", a.sweep, "every kernel also with each value of each parameter");
    app.add_flag("--graph", a.graph, "also time a graph of the products of a batch");
    app.add_flag("--deterministic", a.deterministic, "deterministic kernels only");
    app.add_flag("--no-cusparse", a.no_cusparse, "only ours");
    app.add_flag("--device-arrays", a.device_arrays, "handles get A's arrays on the device");
    app.add_option("--handles", a.handles, "make each so often; the fastest conversion counts")
        ->check(CLI::Range(1, 1000));
    app.add_flag("--jit", a.jit, "instead time the compilers: signature to code");
    app.add_option("--batches", a.rule.batches)->check(CLI::Range(1, 1000));
    app.add_option("--applies", a.rule.applies, "of a batch")->check(CLI::Range(1, 10000));
    app.add_option("--seconds", a.seconds, "begin no further matrix after that time");
    app.add_option("--json", a.json_path, "also write the results to this file, one a line");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error) == 0 ? 0 : 2);
    }
    if (!a.jit && a.matrices.empty()) refuse("bench_gpu: name a matrix, or --jit");
    return a;
}

void run_matrices(const Arguments& arguments, Report& report) {
    const auto start = std::chrono::steady_clock::now();
    const auto device = open_device(arguments.device);
    const bool cuda = arguments.device.starts_with("cuda");
    std::unique_ptr<CudaDriver> driver;
    std::unique_ptr<peers::Peer> cusparse;
    if (cuda) {
        const auto colon = arguments.device.find(':');
        driver = std::make_unique<CudaDriver>(
            colon == std::string::npos ? 0 : std::stoi(arguments.device.substr(colon + 1)));
        if (!arguments.no_cusparse) cusparse = peers::open_cusparse({.device = device});
    }
    const DeviceFacts& facts = device->facts();
    report.add({{"spmvgen", version()},
                {"device", facts.name},
                {"driver", facts.driver},
                {"cusparse", cusparse ? cusparse->version() : ""},
                {"batches", arguments.rule.batches},
                {"applies", arguments.rule.applies}});
    for (auto& text : arguments.matrices) {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        if (spent.count() > arguments.seconds) {
            fmt::print("{}: not begun after {:.0f} s\n", text, spent.count());
            continue;
        }
        MatrixRun run(text, arguments, device, driver.get(), report);
        for (auto& c : cases_of(arguments)) run.ours(c);
        if (cusparse)
            for (auto& way : cusparse->ways()) run.cusparse(*cusparse, way);
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const Arguments arguments = parse(argc, argv);
        Report report(arguments.json_path);
        if (arguments.jit) {
            for (auto& row : time_gpu_compilers(7)) report.add(row);
            return 0;
        }
        run_matrices(arguments, report);
        if (report.failures() > 0) fmt::print("{} failures\n", report.failures());
        return report.failures() == 0 ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << "bench_gpu: " << error.what() << '\n';
        return 2;
    }
}
