#include "run_options.hpp"

#include "handle/cache_mode.hpp"
#include "matrix/reorder/reordering.hpp"

namespace spmvgen::cli {
namespace {

CacheMode cache_mode(const std::string& text) {
    if (text.empty()) return CacheMode::automatic;
    if (const auto mode = parse_cache_mode(text)) return *mode;
    throw UsageError("--cache: unknown mode '" + text + "': use one of " +
                     std::string(cache_mode_names));
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
    const Op op = resolve("--op", [&] { return parse_op(o.op); });
    if (op == Op::none && o.transpose_by_atomics)
        throw UsageError("--transpose-by-atomics: is for --op T and H; drop it, or give --op");
    if (o.transpose_by_atomics && o.deterministic)
        throw UsageError(
            "--transpose-by-atomics: adds in any order, which contradicts --deterministic; drop "
            "one of them");
    const auto method = resolve("--reorder", [&] { return parse_reorder_method(o.reorder); });
    if (method == ReorderMethod::none && o.permuted_vectors)
        throw UsageError(
            "--permuted-vectors: is for reordered matrices; drop it, or give --reorder rcm or "
            "band-k");
    if (method != ReorderMethod::none && o.index == "i64")
        throw UsageError(
            "--index: a reordered matrix has the narrowest index type that fits; drop --index or "
            "--reorder");
    if (!o.storage.empty()) resolve("--storage", [&] { return parse_value_type(o.storage); });
}

void check_batch_options(const RunOptions& o) {
    const char* unknown = o.op != "N" ? "--op" : o.reorder != "none" ? "--reorder" : nullptr;
    if (unknown != nullptr)
        throw UsageError(std::string(unknown) +
                         ": batches are neither transposed nor reordered; drop it");
    const char* refused = o.product.num_rhs > 1 ? "--rhs" : !o.index.empty() ? "--index" : nullptr;
    if (refused != nullptr)
        throw UsageError(std::string(refused) +
                         ": not with --batch, whose systems have one right-hand side each and "
                         "choose their types themselves; drop it");
}

}  // namespace

Options handle_options(const RunOptions& o, const Device* device) {
    if (!o.batch.empty()) check_batch_options(o);
    check_product_options(o);
    check_format_and_kernel(o.format, o.kernel);
    const Target target = device != nullptr ? gpu_target(o, *device) : host_target(o);
    Options options;
    options.device = o.device;
    options.deterministic = o.deterministic;
    options.storage = o.storage;
    options.epilogue = o.epilogue;
    options.format = o.format;
    options.reorder = o.reorder;
    options.permuted_vectors = o.permuted_vectors;
    options.kernel = o.kernel;
    options.params = parse_params(o.params);
    check_params(o.format, o.kernel, options.params, target, !o.batch.empty());
    options.target = o.arch;
    options.num_rhs = o.product.num_rhs;
    options.op = o.op;
    options.transpose_by_atomics = o.transpose_by_atomics;
    options.threads = o.threads;
    options.copy = !o.batch.empty();
    options.cache = cache_mode(o.cache);
    options.cache_dir = o.cache_dir;
    options.kernel_sets = o.kernel_sets;
    options.strict = o.strict;
    return options;
}

void add_choice_options(CLI::App& verb, RunOptions& o) {
    verb.add_option("--device", o.device,
                    "host (the default), cuda:0, hip:0, or simt:ARCH: GPU kernels run here")
        ->type_name("DEVICE");
    verb.add_option("--format", o.format,
                    std::string("storage format: auto, ").append(format_names))
        ->type_name("FORMAT");
    verb.add_option("--reorder", o.reorder,
                    "order of rows and columns: none (the default), rcm or band-k")
        ->type_name("METHOD");
    verb.add_flag("--permuted-vectors", o.permuted_vectors,
                  "with --reorder: multiply vectors that are in that order, too");
    verb.add_option("--kernel", o.kernel, "auto, or a kernel of: spmvgen emit --list")
        ->type_name("ID");
    add_param_option(verb, o.params);
    verb.add_option("--arch", o.arch, "architecture (default native: this machine's)")
        ->type_name("ARCH");
    verb.add_option("--threads", o.threads, "threads; 0 = all")
        ->check(CLI::Range(0, 4096).description(""));
    verb.add_option("--cache", o.cache,
                    "on, memory, readonly, load or off (default: $SPMVGEN_CACHE, else on)")
        ->type_name("MODE");
    verb.add_option("--kernel-sets", o.kernel_sets,
                    "kernel sets, files or folders separated by ':', beside $SPMVGEN_KERNEL_SETS")
        ->type_name("SETS");
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
    verb.add_option("--op", o.op, "N: A (default); T: its transpose; H: the conjugate of that")
        ->type_name("OP");
    verb.add_flag("--transpose-by-atomics", o.transpose_by_atomics,
                  "--op T, H: no transposed copy of A; sums are added atomically");
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

}  // namespace spmvgen::cli
