#include <omp.h>

#include <chrono>
#include <memory>

#include "matrix_source.hpp"
#include "operands.hpp"
#include "options.hpp"
#include "rounding.hpp"
#include "run_report.hpp"

namespace spmvgen::cli {
namespace {

struct RunOptions {
    std::string matrix, device = "host", format = "auto", kernel = "auto", arch = "native";
    std::vector<std::string> params;
    std::string value, index;  // "" = the matrix's
    std::string storage, epilogue;
    bool deterministic = false;
    ProductOptions product;
    std::string output;
    int threads = 0;
    std::string cache = "on", cache_dir;
    bool check = false, strict = false, json = false;
    int repeat = 0;
    double time_ms = 500;
};

CacheMode parse_cache_mode(const std::string& text) {
    if (text == "on") return CacheMode::on;
    if (text == "memory") return CacheMode::memory;
    if (text == "readonly") return CacheMode::readonly;
    if (text == "load") return CacheMode::load;
    if (text == "off") return CacheMode::off;
    throw UsageError("--cache: unknown mode '" + text +
                     "': use one of on, memory, readonly, load, off");
}

/// The target of --arch on the host.
Target host_target(const RunOptions& o) {
    const Target target = parse_arch(o.arch);
    if (const std::string why = why_not_runnable(target); !why.empty())
        throw Error(ErrorCode::unsupported, "--arch: " + o.arch + " cannot run here: " + why +
                                                "; emit makes kernels for other machines");
    return target;
}

/// The target of a GPU; what it cannot do is refused.
Target gpu_target(const RunOptions& o, const Device& device) {
    const Target& target = device.facts().target;
    if (o.arch != "native" && parse_arch(o.arch) != target)
        throw UsageError("--arch: " + o.arch + " is not what device " + o.device + " runs, " +
                         to_string(target) + "; drop --arch");
    if (o.cache == "off")
        throw UsageError("--cache: off always runs the generic kernel, which device " + o.device +
                         " does not have; use another mode");
    return target;
}

void check_product_options(const RunOptions& o) {
    if (o.device == "host" && !o.storage.empty())
        throw UsageError(
            "--storage: only GPU kernels store values in a type of their own; drop "
            "it, or name a GPU with --device");
    if (o.device == "host" && !o.epilogue.empty())
        throw UsageError(
            "--epilogue: only GPU kernels have one; drop it, or name a GPU with "
            "--device");
    if (o.check && !o.epilogue.empty())
        throw UsageError("--check: the reference does not know --epilogue; drop one of them");
    if (!o.storage.empty()) resolve("--storage", [&] { return parse_value_type(o.storage); });
}

/// The handle's options, all that can be wrong with them said before the matrix is read.
Options handle_options(const RunOptions& o, const Device* device) {
    check_product_options(o);
    check_format_and_kernel(o.format, o.kernel);
    const Target target = device != nullptr ? gpu_target(o, *device) : host_target(o);
    Options options;
    options.device = o.device;
    options.deterministic = o.deterministic;
    options.storage = o.storage;
    options.epilogue = o.epilogue;
    options.format = o.format;
    options.kernel = o.kernel;
    options.params = parse_params(o.params);
    check_params(o.format, o.kernel, options.params, target);
    options.target = o.arch;
    options.num_rhs = o.product.num_rhs;
    options.threads = o.threads;
    options.copy = false;
    options.cache = parse_cache_mode(o.cache);
    options.cache_dir = o.cache_dir;
    options.strict = o.strict;
    return options;
}

void widen_columns(CsrMatrix& matrix) {
    Buffer wide = make_buffer<std::int64_t>(matrix.nnz);
    const auto from = matrix.col_idx.as<std::int32_t>();
    const auto to = wide.as<std::int64_t>();
#pragma omp parallel for schedule(static)
    for (std::int64_t k = 0; k < matrix.nnz; ++k)
        to[static_cast<std::size_t>(k)] = from[static_cast<std::size_t>(k)];
    matrix.col_idx = std::move(wide);
    matrix.index_type = IndexType::i64;
}

/// Gives the matrix the value and index types that --value and --index ask for.
void convert_types(const RunOptions& o, CsrMatrix& matrix) {
    if (!o.value.empty()) {
        const ValueType type = resolve("--value", [&] { return parse_value_type(o.value); });
        if (type != matrix.value_type)
            matrix = resolve("--value", [&] { return convert_values(matrix.view(), type); });
    }
    if (o.index.empty()) return;
    const IndexType index = resolve("--index", [&] { return parse_index_type(o.index); });
    if (index == IndexType::i64 && matrix.index_type == IndexType::i32) widen_columns(matrix);
    if (index == IndexType::i32 && matrix.index_type == IndexType::i64)
        throw UsageError("--index: i32 is too narrow for " + std::to_string(matrix.cols) +
                         " columns; use i64");
}

/// The name of the kernel that serves these α and β: info().kernel is that of 1 and 0.
std::string kernel_for(const Info& info, const Operands& p) {
    const auto letter = [](std::complex<double> s) {
        return s == 0.0 ? "0" : s == 1.0 ? "1" : "x";
    };
    std::string name = info.kernel;
    if (const auto at = name.find("_a1_b0_"); at != std::string::npos)
        name.replace(at, 7, std::string("_a") + letter(p.alpha) + "_b" + letter(p.beta) + "_");
    return name;
}

std::int64_t bytes_of_apply(const Info& info, const Operands& p) {
    const auto y_bytes = static_cast<std::int64_t>(p.y.bytes());
    return (p.alpha == 0.0 ? y_bytes : info.bytes) + (p.beta == 0.0 ? 0 : y_bytes);
}

/// Times applies; on the host, measures the memory beside it.
void measure(const RunOptions& o, const Handle& handle, PlacedOperands& placed, RunReport& r) {
    TimingPlan plan;
    plan.budget_s = o.time_ms / 1e3;
    if (o.repeat > 0) plan.min_samples = plan.max_samples = o.repeat;
    placed.reset();
    r.timing = time_apply([&] { placed.apply(handle); }, plan, [&] { placed.finish(); });
    if (o.device != "host") return;
    r.bandwidth = measure_bandwidth(r.threads);
    r.cache_bytes = last_level_cache_bytes();
    if (r.bytes > 0 && r.bytes <= r.cache_bytes) r.in_cache = measure_bandwidth(r.threads, r.bytes);
}

[[noreturn]] void fail_check(const RunReport& r) {
    throw Error(ErrorCode::internal,
                "check failed: " + r.check->message +
                    "; this is a defect of spmvgen: report the matrix and the kernel " + r.kernel +
                    ", and choose another with --kernel or --cache off meanwhile");
}

void print(const RunOptions& o, const RunReport& report, Streams& streams) {
    if (o.json)
        print_json(streams.out, to_json(report));
    else
        streams.out << to_string(report);
}

/// With a storage type of their own the values that are multiplied, and checked, are rounded ones.
void round_as_stored(const Info& info, CsrMatrix& matrix) {
    const ValueType stored = parse_value_type(info.storage);
    if (stored != matrix.value_type) round_values(stored, matrix);
}

RunReport prepare_report(const RunOptions& o, const SourcedMatrix& source, const Handle& handle,
                         const Operands& p) {
    RunReport r;
    r.matrix = source.name;
    r.value = p.type;
    r.num_rhs = o.product.num_rhs;
    r.threads = o.threads > 0 ? o.threads : omp_get_max_threads();
    r.alpha = o.product.alpha;
    r.beta = o.product.beta;
    r.info = handle.info();
    r.kernel = kernel_for(r.info, p);
    r.read_s = source.seconds;
    r.bytes = bytes_of_apply(r.info, p);
    const double per_entry = is_complex(p.type) ? 8 : 2;
    if (p.alpha != 0.0)
        r.flops =
            per_entry * static_cast<double>(r.info.nnz) * static_cast<double>(o.product.num_rhs);
    return r;
}

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run(const RunOptions& o, Streams& streams) {
    const std::shared_ptr<Device> device = parse_device(o.device);
    const Options options = handle_options(o, device.get());
    SourcedMatrix source = load_matrix(o.matrix);
    convert_types(o, source.matrix);
    Operands p = make_operands(o.product, source.matrix);
    const Handle handle(source.matrix.view(), options);
    RunReport r = prepare_report(o, source, handle, p);
    if (o.index == "i64" && r.kernel.find("_i64_") == std::string::npos)
        throw Error(ErrorCode::unsupported,
                    "--index: kernel " + r.kernel + " does not take i64 columns; drop --index");

    PlacedOperands placed(p, device);
    r.first_apply_s = seconds_of([&] {
        placed.apply(handle);
        placed.finish();
    });
    p.y = placed.result();
    round_as_stored(r.info, source.matrix);
    if (o.check) r.check = p.check(source.matrix, p.y);
    const bool time_it = o.time_ms > 0 || o.repeat > 0;
    if (time_it && (!r.check || r.check->passed)) {
        measure(o, handle, placed, r);
        // With β = 0 the last timed apply must give the same product.
        if (o.check && p.beta == 0.0) {
            const CheckResult again = p.check(source.matrix, placed.result());
            if (!again.passed) r.check = again;
        }
    }
    if (r.check && !r.check->passed) {
        r.timing.reset();
        print(o, r, streams);
        fail_check(r);
    }
    if (!o.output.empty())
        write_file_with(o.output, [&](const std::string& name) {
            write_vector(name, p.type, p.y.data(), source.matrix.rows, o.product.num_rhs);
        });
    print(o, r, streams);
}

void add_choice_options(CLI::App& verb, RunOptions& o) {
    verb.add_option("--device", o.device,
                    "host (the default), cuda:0, hip:0, or simt:ARCH: GPU kernels run here")
        ->type_name("DEVICE");
    verb.add_option("--format", o.format, "storage format: auto, csr, coo, ell, sell, hyb, bcsr")
        ->type_name("FORMAT");
    verb.add_option("--kernel", o.kernel, "auto, or a kernel of: spmvgen emit --list")
        ->type_name("ID");
    add_param_option(verb, o.params);
    verb.add_option("--arch", o.arch, "architecture (default native: this machine's)")
        ->type_name("ARCH");
    verb.add_option("--threads", o.threads, "threads; 0 = all")
        ->check(CLI::Range(0, 4096).description(""));
    verb.add_option("--cache", o.cache, "on, memory, readonly, load or off (default on)")
        ->type_name("MODE");
    verb.add_option("--cache-dir", o.cache_dir, "the cache's directory")->type_name("DIR");
    verb.add_flag("--strict", o.strict, "fail rather than fall back to the generic kernel");
    verb.add_flag("--deterministic", o.deterministic,
                  "only kernels that give the same bits each time");
}

void add_product_options(CLI::App& verb, RunOptions& o) {
    verb.add_option("--value", o.value, "f32, f64, c32 or c64 (default: the file's)")
        ->type_name("TYPE");
    verb.add_option("--index", o.index, "column indices: i32 or i64 (default: what fits)")
        ->type_name("TYPE");
    verb.add_option("--storage", o.storage,
                    "GPUs: narrower type for A's values: f16, bf16 or f32 (default: as they are)")
        ->type_name("TYPE");
    verb.add_option("--epilogue", o.epilogue,
                    "GPUs: store this C++ expression of `value` and `row` instead")
        ->type_name("EXPR");
    verb.add_option("--rhs", o.product.num_rhs, "right-hand sides (default 1)")
        ->check(CLI::Range(1, 64).description(""));
    verb.add_option("--alpha", o.product.alpha, "α (default 1); complex: re,im")
        ->type_name("NUMBER");
    verb.add_option("--beta", o.product.beta, "β (default 0)")->type_name("NUMBER");
    verb.add_option("--x", o.product.x_path,
                    "x, Matrix Market array (default: random in [0.5, 1.5))")
        ->type_name("FILE");
    verb.add_option("--y", o.product.y_path, "y before (default, with β: random in [0.5, 1.5))")
        ->type_name("FILE");
    verb.add_option("-o,--output", o.output, "write y here")->type_name("FILE");
}

}  // namespace

void add_run(CLI::App& program, Verbs& verbs) {
    auto o = std::make_shared<RunOptions>();
    CLI::App* verb = program.add_subcommand("run", "multiply, check and time: y = αAx + βy");
    verb->add_option("matrix", o->matrix, matrix_help)->required()->type_name("A.mtx");
    add_choice_options(*verb, *o);
    add_product_options(*verb, *o);
    verb->add_flag("--check", o->check, "check y against a compensated reference; wrong: exit 1");
    verb->add_option("--time", o->time_ms, "milliseconds to time for (default 500); 0 = do not")
        ->check(CLI::Range(0.0, 1e7).description(""));
    verb->add_option("--repeat", o->repeat, "take exactly this many samples instead")
        ->check(CLI::Range(1, 1000000).description(""));
    verb->add_flag("--json", o->json, "print one JSON object instead");
    verb->footer(
        "Examples:\n"
        "  spmvgen run A.mtx --check\n"
        "  spmvgen run A.mtx --format csr --threads 1 --repeat 20\n"
        "  spmvgen run A.mtx --alpha 2 --beta -0.5 -o y.mtx --time 0\n"
        "  spmvgen run A.mtx --value f32 --rhs 4 --check --json\n"
        "  spmvgen run gallery:stencil5:nx=100 --check\n"
        "  spmvgen run A.mtx --device simt:gfx906 --format ell --check");
    verbs.push_back({verb, [o](Streams& streams) { run(*o, streams); }});
}

}  // namespace spmvgen::cli
