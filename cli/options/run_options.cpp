#include "options/run_options.hpp"

#include "handle/options_by_name.hpp"
#include "matrix/reorder/reordering.hpp"

namespace spmvgen::cli {
namespace {

/// Sets the option of that name to what the user gave as `flag`.
void take(Options& options, std::string_view name, std::string_view flag, const std::string& text) {
    resolve(flag, [&] { assign_option(options, name, text); });
}

void set_level(const RunOptions& o, Options& options) {
    take(options, "level", "--level", o.level);
    if (o.level != "measure" && !o.budget.empty())
        throw UsageError("--budget: is for --level measure; drop it, or give that");
    take(options, "rule", "--rule", o.rule);
    if (!o.rule.empty() && (o.level != "rule" || o.kernel != "auto"))
        throw UsageError("--rule: chooses a kernel by itself; drop it, or " +
                         std::string(o.kernel != "auto" ? "--kernel" : "--level"));
    if (!o.budget.empty()) options.budget_ms = parse_milliseconds("--budget", o.budget);
    options.expected_applies = o.expect;
}

/// A size of --memory-limit as a number of bytes; says what is wrong with it. A minus sign would
/// else become a number near 2^64.
std::string as_size(std::string& text) {
    const std::string wrong = "'" + text + "' is no size: use bytes, or 500M, 2G; 0 is no limit";
    if (text.starts_with('-')) return wrong;
    try {
        std::uint64_t bytes = 0;
        const bool is_size = CLI::AsSizeValue(false)(text).empty() &&
                             CLI::detail::lexical_cast(text, bytes) && bytes <= INT64_MAX;
        return is_size ? "" : wrong;
    } catch (const CLI::ValidationError&) {
        return wrong;
    }
}

/// The target of a GPU; what it cannot do is refused.
Target gpu_target(const RunOptions& o, const Device& device) {
    const Target& own = device.facts().target;
    const auto target = resolve("--arch", [&] { return target_on(own, o.arch); });
    if (!target)
        throw UsageError("--arch: " + o.arch + " is not what device " + o.device + " runs, " +
                         to_string(own) + "; drop --arch");
    if (o.cache == "off")
        throw UsageError("--cache: off always runs the generic kernel, which device " + o.device +
                         " does not have; use another mode");
    return *target;
}

/// What decides the product; what contradicts each other is refused.
void set_product(const RunOptions& o, Options& options) {
    take(options, "op", "--op", o.op);
    const Op op = parse_op(o.op);
    if (!is_transposed(op) && o.transpose_by_atomics)
        throw UsageError("--transpose-by-atomics: is for --op T and H; drop it, or give --op");
    if (o.transpose_by_atomics && o.deterministic)
        throw UsageError(
            "--transpose-by-atomics: adds in any order, which contradicts --deterministic; drop "
            "one of them");
    take(options, "reorder", "--reorder", o.reorder);
    const auto method =
        names_order(o.reorder) ? parse_reorder_method(o.reorder) : ReorderMethod::none;
    if (o.permuted_vectors && (method == ReorderMethod::none || method == ReorderMethod::rows))
        throw UsageError(
            "--permuted-vectors: is for reordered matrices; drop it, or give --reorder rcm or "
            "band-k");
    if (method != ReorderMethod::none && o.index == "i64")
        throw UsageError(
            "--index: a reordered matrix has the narrowest index type that fits; drop --index or "
            "--reorder");
    for (const auto& [option, type] :
         {std::pair("--value", &o.value), std::pair("--vectors", &o.vectors),
          std::pair("--accumulator", &o.accumulator)})
        if (!type->empty()) parse_computed_type(option, *type);
    options.vectors = o.vectors;
    options.accumulator = o.accumulator;
    take(options, "storage", "--storage", o.storage);
    take(options, "encodings", "--encodings", o.encodings);
    options.transpose_by_atomics = o.transpose_by_atomics;
    options.permuted_vectors = o.permuted_vectors;
    options.epilogue = o.epilogue;
    options.num_rhs = o.product.num_rhs;
}

void check_batch_options(const RunOptions& o) {
    const char* unknown = o.op != "N" ? "--op" : names_order(o.reorder) ? "--reorder" : nullptr;
    if (unknown != nullptr)
        throw UsageError(std::string(unknown) +
                         ": batches are neither transposed nor reordered; drop it");
    if (o.level != "rule" || o.expect != 0 || !o.rule.empty())
        throw UsageError((o.expect != 0     ? "--expect"
                          : !o.rule.empty() ? "--rule"
                                            : "--level") +
                         std::string(": batches are chosen by rules; drop it"));
    const char* refused = o.product.num_rhs > 1 ? "--rhs" : !o.index.empty() ? "--index" : nullptr;
    if (refused != nullptr)
        throw UsageError(std::string(refused) +
                         ": not with --batch, whose systems have one right-hand side each and "
                         "choose their types themselves; drop it");
}

}  // namespace

Options handle_options(const RunOptions& o, const Device* device) {
    if (!o.batch.empty()) check_batch_options(o);
    Options options;
    set_product(o, options);
    check_format_and_kernel(o.format, o.kernel);
    const Target target = device != nullptr ? gpu_target(o, *device) : runnable_arch(o.arch);
    options.device = o.device;
    options.deterministic = o.deterministic;
    options.format = o.format;
    options.kernel = o.kernel;
    options.params = parse_params(o.params);
    check_params(o.format, o.kernel, options.params, target, !o.batch.empty());
    options.target = o.arch;
    options.threads = o.threads;
    options.all_threads = o.all_threads;
    options.choose_anew = o.choose_anew;
    options.copy = !o.batch.empty();
    options.updates = o.updates;
    // One matrix, one set of numbers: what more there might be is only prepared for.
    options.updatable = o.updates == "often";
    options.memory_limit = static_cast<std::int64_t>(o.memory_limit);
    take(options, "cache", "--cache", o.cache);
    options.cache_dir = o.cache_dir;
    options.kernel_sets = o.kernel_sets;
    options.strict = o.strict;
    options.compile = o.compile;
    set_level(o, options);
    return options;
}

void add_choice_options(CLI::App& verb, RunOptions& o) {
    verb.add_option("--device", o.device,
                    "host (the default), cuda:0, hip:0, or simt:ARCH: GPU kernels run here")
        ->type_name("DEVICE");
    verb.add_option("--format", o.format, "storage format: auto, " + format_names())
        ->type_name("FORMAT");
    verb.add_option("--reorder", o.reorder,
                    "order of rows and columns: auto (the default: rows alone on GPUs, where that "
                    "pays), none, rcm, band-k, or rows")
        ->type_name("METHOD");
    verb.add_flag("--permuted-vectors", o.permuted_vectors,
                  "with --reorder: multiply vectors that are in that order, too");
    verb.add_option("--kernel", o.kernel, "auto, or a kernel of: spmvgen emit --list")
        ->type_name("ID");
    add_param_option(verb, o.params);
    verb.add_option("--level", o.level,
                    "how the kernel is chosen: rule (the default), lazy, recorded, measure (by "
                    "timing), or exhaustive")
        ->type_name("LEVEL");
    verb.add_option("--rule", o.rule,
                    "by a paper's own rule: ginkgo, csr-k, gospmv or lightspmv, as it stands")
        ->type_name("PAPER");
    verb.add_option("--budget", o.budget, "time for --level measure: 200ms, 2s (default 200ms)")
        ->type_name("TIME");
    verb.add_option("--expect", o.expect,
                    "applies to expect (default 0: many): planning must repay itself")
        ->check(whole_between(0, std::int64_t{1} << 62));
    verb.add_flag("--choose-anew", o.choose_anew,
                  "do not recall what was chosen for a matrix of this structure before");
    verb.add_option("--updates", o.updates,
                    "how often new values come: seldom (the default), or often: only formats that "
                    "take them in a few products")
        ->type_name("RATE")
        ->check(CLI::IsMember({"seldom", "often"}).description(""));
    verb.add_option("--arch", o.arch, "architecture (default native: this machine's)")
        ->type_name("ARCH");
    verb.add_option("--threads", o.threads, "threads, at most; 0 = what OpenMP would use")
        ->check(whole_between(0, 4096));
    verb.add_flag("--all-threads", o.all_threads,
                  "use all of them, also where fewer are predicted to be faster");
    verb.add_option("--memory-limit", o.memory_limit,
                    "most that the converted matrix may take: bytes, or 500M, 2G (of 1024)")
        ->transform(CLI::Validator(as_size, ""))
        ->type_name("SIZE");
    verb.add_flag("--deterministic", o.deterministic,
                  "only kernels that give the same bits each time");
}

void add_cache_mode_options(CLI::App& verb, RunOptions& o) {
    verb.add_option("--cache", o.cache,
                    "on, memory, readonly, load or off (default: $SPMVGEN_CACHE, else on)")
        ->type_name("MODE");
    verb.add_option("--kernel-sets", o.kernel_sets,
                    "kernel sets, files or folders separated by ':', beside $SPMVGEN_KERNEL_SETS")
        ->type_name("SETS");
    verb.add_option("--cache-dir", o.cache_dir, "the cache's directory")->type_name("DIR");
    verb.add_flag("--strict", o.strict, "fail rather than fall back to the generic kernel");
}

void add_product_options(CLI::App& verb, RunOptions& o) {
    verb.add_option("--value", o.value, "f32, f64, c32 or c64 (default: the file's)")
        ->type_name("TYPE");
    verb.add_option("--index", o.index, "column indices: i32 or i64 (default: what fits)")
        ->type_name("TYPE");
    verb.add_option("--vectors", o.vectors, "type of x and y, wider than A's (default: A's)")
        ->type_name("TYPE");
    verb.add_option("--accumulator", o.accumulator,
                    "type of the sums, wider than the vectors' (default: theirs)")
        ->type_name("TYPE");
    verb.add_option("--storage", o.storage,
                    "narrower type for A's values: f16, bf16, f32, c32 (default: as they are)")
        ->type_name("TYPE");
    verb.add_option("--encodings", o.encodings,
                    "auto (default): A's values in fewer bytes where that is exact; none")
        ->type_name("HOW");
    verb.add_option(
            "--epilogue", o.epilogue,
            "store this C++ expression of `value` and `row` instead; other names are operands")
        ->type_name("EXPR");
    verb.add_option("--op", o.op,
                    "N: A (default); T: its transpose; H: the conjugate of that; C: that of A")
        ->type_name("OP");
    verb.add_flag("--transpose-by-atomics", o.transpose_by_atomics,
                  "--op T, H: no transposed copy of A; sums are added atomically");
    verb.add_option("--rhs", o.product.num_rhs, "right-hand sides (default 1)")
        ->check(whole_between(1, 64));
}

void add_operand_options(CLI::App& verb, RunOptions& o) {
    verb.add_option("--alpha", o.product.alpha, "α (default 1); complex: re,im")
        ->type_name("NUMBER");
    verb.add_option("--beta", o.product.beta, "β (default 0)")->type_name("NUMBER");
    verb.add_option("--x", o.product.x_path,
                    "x, Matrix Market array (default: random in [0.5, 1.5))")
        ->type_name("FILE");
    verb.add_option("--y", o.product.y_path, "y before (default, with β: random in [0.5, 1.5))")
        ->type_name("FILE");
    verb.add_option("-o,--output", o.output, "write y here; - = standard output")
        ->type_name("FILE");
}

}  // namespace spmvgen::cli
