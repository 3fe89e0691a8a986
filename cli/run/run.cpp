#include <omp.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "handle/plan/explain.hpp"
#include "matrix/reorder/reordering.hpp"
#include "options/batch_source.hpp"
#include "options/operands.hpp"
#include "options/run_options.hpp"
#include "run/epilogue_run.hpp"
#include "run/nonempty_rows.hpp"
#include "run/rounding.hpp"
#include "run/run_report.hpp"

namespace spmvgen::cli {
namespace {

/// The name of the kernel that serves these α and β: info().kernel is that of 1 and 0.
std::string kernel_for(const Info& info, const Operands& p) {
    const auto letter = [](std::complex<double> s) {
        return s == 0.0 ? "0" : s == 1.0 ? "1" : "x";
    };
    // Around a reordered product, α and β go with y's way back into the caller's order.
    if (info.permute_bytes > 0) return info.kernel;
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
template <typename AnyHandle>
void measure(const RunOptions& o, const AnyHandle& handle, PlacedOperands& placed, RunReport& r) {
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

/// Times the same product with x and y in the other order, which takes a handle of its own.
void measure_other_order(const RunOptions& o, const CsrMatrix& matrix, Options options,
                         PlacedOperands& placed, RunReport& r) {
    options.permuted_vectors = !options.permuted_vectors;
    const Handle other(matrix.view(), options);
    TimingPlan plan;
    plan.budget_s = o.time_ms / 1e3;
    if (o.repeat > 0) plan.min_samples = plan.max_samples = o.repeat;
    placed.reset();
    r.other_timing = time_apply([&] { placed.apply(other); }, plan, [&] { placed.finish(); });
}

[[noreturn]] void fail_check(const RunReport& r) {
    throw Error(ErrorCode::internal,
                "check failed: " + r.check->message +
                    "; this is a defect of spmvgen: report the matrix and the kernel " + r.kernel +
                    ", and choose another with --kernel or --cache off meanwhile");
}

/// To standard output, unless y goes there.
void print(const RunOptions& o, RunReport& report, Streams& streams) {
    report.counters = kernel_counters();
    for (std::string* text : {&report.info.reason, &report.info.warning, &report.explanation})
        *text = streams.in_words(std::move(*text));
    if (o.json)
        print_json(streams.out, to_json(report));
    else
        (is_standard_output(o.output) ? streams.err : streams.out) << to_string(report);
}

/// With a storage type of their own the values that are multiplied, and checked, are rounded ones.
void round_as_stored(const Info& info, CsrMatrix& matrix) {
    const ValueType stored = parse_value_type(info.storage);
    if (stored != matrix.value_type) round_values(stored, matrix);
}

RunReport prepare_report(const RunOptions& o, const std::string& name, ValueType value,
                         double read_s, const Info& info, Operands& p) {
    p.tell(info);
    RunReport r;
    r.matrix = name;
    r.value = value;
    r.rounded = !o.storage.empty();
    r.num_rhs = o.product.num_rhs;
    r.threads = info.threads > 0 ? info.threads : o.threads > 0 ? o.threads : omp_get_max_threads();
    r.alpha = o.product.alpha;
    r.beta = o.product.beta;
    r.info = info;
    r.kernel = kernel_for(r.info, p);
    r.read_s = read_s;
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

/// What a product is run with: its operands on the device, and how y comes back in the caller's
/// order and is held against the reference.
struct Product {
    Operands& operands;
    PlacedOperands& placed;
    std::function<Buffer()> result;
    std::function<CheckResult(const Buffer&)> check;
    std::function<void()> measure_more;    ///< after the timing; may be empty
    const NamedOperands* named = nullptr;  ///< of an epilogue; every apply may write to them
};

/// Multiplies with what is ready: first apply, check, timing, output.
template <typename AnyHandle>
void multiply(const RunOptions& o, const AnyHandle& handle, const Product& product, RunReport& r,
              Streams& streams) {
    auto& [p, placed, result, check, measure_more, named] = product;
    r.first_apply_s = seconds_of([&] {
        placed.apply(handle);
        placed.finish();
    });
    p.y = result();
    if (named != nullptr) r.numbers = named->numbers();
    if (o.check) r.check = check(p.y);
    const bool time_it = o.time_ms > 0 || o.repeat > 0;
    if (time_it && (!r.check || r.check->passed)) {
        measure(o, handle, placed, r);
        // With β = 0 the last timed apply must give the same product.
        if (o.check && p.beta == 0.0 && named == nullptr) {
            const CheckResult again = check(result());
            if (!again.passed) r.check = again;
        }
        if (measure_more) measure_more();
    }
    if (r.check && !r.check->passed) {
        r.timing.reset();
        r.other_timing.reset();
        print(o, r, streams);
        fail_check(r);
    }
    if (!o.output.empty())
        write_file_with(o.output, streams.out, [&](const std::string& name) {
            write_vector(name, p.type, p.y.data(), r.info.rows, o.product.num_rhs);
        });
    print(o, r, streams);
}

void run_matrix(const RunOptions& o, Streams& streams) {
    const std::shared_ptr<Device> device = parse_device(o.device);
    const bool checks_epilogue = o.check && !o.epilogue.empty();
    if (checks_epilogue) check_epilogue_options(o);
    Options options = handle_options(o, device.get());
    if (checks_epilogue) options.epilogue = epilogue_to_check(o.epilogue);
    SourcedMatrix source = load_matrix(o.matrix);
    convert_types(o.value, o.index, source.matrix);
    ProductOptions product = o.product;
    product.op = parse_op(o.op);
    product.vectors = o.vectors;
    Operands p = make_operands(product, source.matrix);
    std::optional<NonemptyRows> nonempty;
    if (o.nonempty_rows) {
        check_nonempty_rows(o, p);
        nonempty.emplace(source.matrix.view());
    }
    const CsrView multiplied = nonempty ? nonempty->list().matrix : source.matrix.view();
    const Handle handle =
        nonempty ? Handle(nonempty->list(), options) : Handle(multiplied, options);
    RunReport r =
        prepare_report(o, source.name, source.matrix.value_type, source.seconds, handle.info(), p);
    if (nonempty) r.bytes = r.info.bytes + nonempty->bytes_of_y(p);
    if (o.explain) r.explanation = explain(multiplied, options, device.get(), r.info);
    if (o.index == "i64" && r.kernel.find("_i64_") == std::string::npos)
        throw Error(ErrorCode::unsupported,
                    "--index: kernel " + r.kernel + " does not take i64 columns; drop --index");
    const auto order = o.permuted_vectors ? handle.row_order() : std::span<const std::int32_t>();
    const Operands permuted = o.permuted_vectors ? in_order(p, order) : Operands();
    PlacedOperands placed(o.permuted_vectors ? permuted : p, device);
    // The handle may borrow the values, but only where it stores them as they are.
    round_as_stored(r.info, source.matrix);
    const auto result = [&] {
        return o.permuted_vectors ? out_of_order(p, order, placed.result()) : placed.result();
    };
    std::optional<NamedOperands> named;
    if (has_operands(options.epilogue)) {
        named.emplace(options.epilogue, p.type, r.info.rows, device);
        placed.give(*named);
        r.bytes += named->bytes();
    }
    const auto check = [&](const Buffer& y) {
        return named && checks_epilogue
                   ? check_epilogue_run(source.matrix, p, *named, options.epilogue, y)
                   : p.check(source.matrix, y);
    };
    std::function<void()> measure_more;
    if (names_order(o.reorder) && o.reorder != "rows" &&
        !nonempty)  // these keep x and y as they are
        measure_more = [&] { measure_other_order(o, source.matrix, options, placed, r); };
    multiply(o, handle, {p, placed, result, check, measure_more, named ? &*named : nullptr}, r,
             streams);
}

/// The worst of the systems' checks; rows count over all of y.
CheckResult check_systems(const SourcedBatch& batch, const BatchHandle& handle, const Operands& p,
                          const Buffer& y) {
    CheckResult all;
    for (std::size_t i = 0; i < batch.matrices.size(); ++i) {
        const auto system = static_cast<std::int64_t>(i);
        const CheckResult own =
            p.check(batch.matrices[i], y, handle.x_offset(system), handle.y_offset(system));
        all.wrong += own.wrong;
        all.undecided += own.undecided;
        if (own.worst_row >= 0 && (all.worst_row < 0 || !(own.worst_ratio <= all.worst_ratio))) {
            all.worst_ratio = own.worst_ratio;
            all.worst_row = own.worst_row + handle.y_offset(system);
        }
        if (!own.passed && all.passed)
            all.message =
                "system " + std::to_string(i) + ", " + batch.names[i] + ": " + own.message;
        all.passed = all.passed && own.passed;
    }
    return all;
}

/// Sizes and type that x and y of the whole batch have, in the shape of a matrix.
CsrMatrix totals_of(const BatchHandle& handle, ValueType type) {
    CsrMatrix totals;
    totals.rows = handle.y_size();
    totals.cols = handle.x_size();
    totals.value_type = type;
    return totals;
}

void run_batch(const RunOptions& o, Streams& streams) {
    if (o.check && !o.epilogue.empty()) check_epilogue_options(o);
    const std::shared_ptr<Device> device = parse_device(o.device);
    const Options options = handle_options(o, device.get());
    SourcedBatch batch = load_batch(o.batch, o.value);
    const BatchHandle handle(batch.views(), options);
    ProductOptions product = o.product;
    product.vectors = o.vectors;
    Operands p = make_operands(product, totals_of(handle, batch.matrices[0].value_type));
    RunReport r =
        prepare_report(o, o.batch, batch.matrices[0].value_type, batch.seconds, handle.info(), p);
    r.systems = handle.size();
    r.batch = to_string(handle.kind());
    for (auto& matrix : batch.matrices) round_as_stored(r.info, matrix);
    const auto check = [&](const Buffer& y) { return check_systems(batch, handle, p, y); };
    PlacedOperands placed(p, device);
    multiply(o, handle, {p, placed, [&] { return placed.result(); }, check, {}, nullptr}, r,
             streams);
}

void run(const RunOptions& o, Streams& streams) {
    if (o.matrix.empty() && o.batch.empty()) throw UsageError("matrix is required");
    if (o.json && is_standard_output(o.output))
        throw UsageError("--output: - is standard output, where --json prints; name a file");
    if (!o.output.empty()) check_not_gzipped(o.output);
    if (o.explain && !o.batch.empty())
        throw UsageError(
            "--explain: batches are chosen by rules, which the line why shows; drop it");
    if (o.nonempty_rows && !o.batch.empty())
        throw UsageError("--nonempty-rows: is for one matrix; drop --batch");
    if (!o.matrix.empty() && !o.batch.empty())
        throw UsageError("--batch: takes the place of " + o.matrix + "; drop one of them");
    o.batch.empty() ? run_matrix(o, streams) : run_batch(o, streams);
}

}  // namespace

void add_run(CLI::App* verb, Verbs& verbs) {
    auto o = std::make_shared<RunOptions>();
    verb->add_option("matrix", o->matrix, matrix_help)->type_name("A.mtx");
    verb->add_option("--batch", o->batch,
                     "instead: all matrices of a directory, or of a list (a path a line), at once")
        ->type_name("DIR|LIST");
    add_choice_options(*verb, *o);
    add_cache_mode_options(*verb, *o);
    add_product_options(*verb, *o);
    verb->add_option("--layout", o->product.layout,
                     "how the vectors of --rhs lie in memory: row (default), or column")
        ->check(CLI::IsMember({"row", "column"}));
    add_operand_options(*verb, *o);
    verb->add_flag("--nonempty-rows", o->nonempty_rows,
                   "multiply the rows with entries alone, as a list; the others of y stay as they "
                   "are: for --beta 1, or a transpose");
    verb->add_flag("--check", o->check, "check y against a compensated reference; wrong: exit 1");
    verb->add_option("--time", o->time_ms, "milliseconds to time for (default 500); 0 = do not")
        ->check(number_between(0, 1e7, "time: use milliseconds from 0 to 10000000"));
    verb->add_option("--repeat", o->repeat, "take exactly this many samples instead")
        ->check(whole_between(1, 1000000));
    verb->add_option("--compile", o->compile,
                     "now (the default), or behind: plain CSR serves while the kernel is made")
        ->type_name("WHEN");
    verb->add_flag("--explain", o->explain,
                   "also show what is predicted, what is recorded, and what planning cost");
    verb->add_flag("--json", o->json, "print one JSON object instead");
    verb->footer(
        "Examples:\n"
        "  spmvgen run A.mtx --check\n"
        "  spmvgen run A.mtx --format csr --threads 1 --repeat 20\n"
        "  spmvgen run A.mtx --alpha 2 --beta -0.5 -o y.mtx --time 0\n"
        "  spmvgen run A.mtx --value f32 --rhs 4 --check --json\n"
        "  spmvgen run gallery:stencil5:nx=100 --check\n"
        "  spmvgen run A.mtx --op T --check\n"
        "  spmvgen run A.mtx --epilogue 'dot += p[row] * value; value' --check\n"
        "  spmvgen run gallery:stencil5:nx=100 --reorder band-k --check\n"
        "  spmvgen run A.mtx --level measure --budget 200ms --check\n"
        "  spmvgen run A.mtx --expect 100 --explain\n"
        "  spmvgen run A.mtx --device simt:gfx906 --format ell --check\n"
        "  spmvgen run --batch matrices --format csr --check");
    verbs.push_back({verb, [o](Streams& streams) { run(*o, streams); }});
}

}  // namespace spmvgen::cli
