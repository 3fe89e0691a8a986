#include <omp.h>

#include <memory>
#include <optional>

#include "emit_list.hpp"
#include "handle/jit_loader.hpp"
#include "matrix/features.hpp"
#include "matrix_source.hpp"
#include "options.hpp"
#include "output.hpp"
#include "registry.hpp"
#include "tuner/candidates.hpp"
#include "tuner/choose.hpp"
#include "verb.hpp"

namespace spmvgen::cli {
namespace {

struct EmitOptions {
    std::string format = "auto", kernel = "auto", arch = "native";
    std::vector<std::string> params;
    std::string value, index, offset;  // "" = from the matrix, else f64, i32, i32
    std::string alpha = "one", beta = "zero";
    int num_rhs = 1;
    std::string matrix, as = "source", output, launch;
    bool list = false, json = false;
};

/// What `--as` names; nothing = the source text.
std::optional<BinaryKind> parse_as(const std::string& as) {
    if (as == "source") return std::nullopt;
    if (as == "object") return BinaryKind::object;
    if (as == "shared") return BinaryKind::shared_object;
    if (as == "asm") return BinaryKind::assembly;
    if (as == "llvm-ir") return BinaryKind::llvm_ir;
    throw UsageError("--as: unknown form '" + as +
                     "': use one of source, object, shared, asm, llvm-ir");
}

/// The signature that a matrix suggests, explicit options having won.
Signature suggested(const EmitOptions& o, Signature wanted, Streams& streams) {
    const SourcedMatrix source = load_matrix(o.matrix);
    Features features = analyse(source.matrix.view());
    if (!o.value.empty()) features.value_type = wanted.value;
    const Choice choice = choose(features, {.format = o.format,
                                            .kernel = o.kernel,
                                            .params = wanted.params,
                                            .target = wanted.target,
                                            .num_rhs = o.num_rhs,
                                            .threads = omp_get_max_threads()});
    Signature s = choice.signature;
    if (!o.index.empty()) s.index = wanted.index;
    if (!o.offset.empty()) s.offset = wanted.offset;
    s.alpha = wanted.alpha;
    s.beta = wanted.beta;
    constexpr std::int64_t limit = INT32_MAX;
    if (s.index == IndexType::i32 && features.cols > limit)
        throw UsageError("--index: i32 is too narrow for " + std::to_string(features.cols) +
                         " columns; use i64");
    if (s.offset == IndexType::i32 && features.nnz > limit)
        throw UsageError("--offset: i32 is too narrow for " + std::to_string(features.nnz) +
                         " nonzeros; use i64");
    streams.err << "spmvgen: " << kernel_name(s) << ": " << choice.reason << "\n";
    return s;
}

/// The kernel that --kernel names, or the first of --format that takes the parameters.
std::string named_kernel(const EmitOptions& o, const Signature& s) {
    const Request request{
        .format = o.format, .kernel = o.kernel, .params = s.params, .target = s.target};
    return std::string(candidates(request).front()->id);
}

Signature wanted_signature(const EmitOptions& o, Streams& streams) {
    check_format_and_kernel(o.format, o.kernel);
    if (o.format == "auto" && o.kernel == "auto" && o.matrix.empty())
        throw UsageError("no kernel is named: use --format, --kernel or --matrix");
    Signature s;
    s.target = parse_arch(o.arch);
    s.params = parse_params(o.params);
    s.num_rhs = o.num_rhs;
    if (!o.value.empty()) s.value = resolve("--value", [&] { return parse_value_type(o.value); });
    if (!o.index.empty()) s.index = resolve("--index", [&] { return parse_index_type(o.index); });
    if (!o.offset.empty())
        s.offset = resolve("--offset", [&] { return parse_index_type(o.offset); });
    s.alpha = resolve("--alpha", [&] { return parse_scale(o.alpha); });
    s.beta = resolve("--beta", [&] { return parse_scale(o.beta); });
    check_params(o.format, o.kernel, s.params, s.target);
    if (!o.matrix.empty()) return suggested(o, s, streams);
    s.kernel = named_kernel(o, s);
    return complete(s);
}

Json launch_json(const KernelSource& source) {
    Json steps = Json::array(), workspace = Json::array();
    for (auto& step : source.launch.steps) {
        Json arguments = Json::array();
        for (auto& a : step.arguments) arguments.push_back({{"name", a.name}, {"type", a.type}});
        const bool once = step.rule == StepRule::once;
        steps.push_back({{"symbol", step.symbol},
                         {"rule", once ? "once" : "per_thread"},
                         {"arguments", arguments}});
    }
    for (auto& w : source.launch.workspace)
        workspace.push_back({{"name", w.name}, {"bytes_per_thread", w.bytes_per_thread}});
    return {{"kernel", source.name},
            {"target", to_string(source.signature.target)},
            {"steps", steps},
            {"workspace", workspace}};
}

void list(const EmitOptions& o, std::ostream& out) {
    if (o.json)
        print_json(out, kernel_list_json());
    else
        out << kernel_list();
}

void emit(const EmitOptions& o, Streams& streams) {
    if (o.list) return list(o, streams.out);
    if (o.json) throw UsageError("--json: goes with --list; the launch is written by --launch");
    const auto kind = parse_as(o.as);
    const bool is_binary = kind == BinaryKind::object || kind == BinaryKind::shared_object;
    if (is_binary && o.output.empty())
        throw UsageError("--as " + o.as +
                         " makes a binary file: name it with -o (- = standard "
                         "output)");
    const Signature signature = wanted_signature(o, streams);
    Generator& generator = load_generator();
    const KernelSource source = generator.emit(signature);
    write_file(o.output, kind ? generator.compile(source, *kind).bytes : source.text, streams.out);
    if (!o.launch.empty()) write_file(o.launch, launch_json(source).dump(2) + "\n", streams.out);
}

void add_kernel_options(CLI::App& verb, EmitOptions& o) {
    verb.add_option("--format", o.format, "storage format: csr, coo, ell, sell")
        ->type_name("FORMAT");
    verb.add_option(
            "--kernel", o.kernel,
            "a kernel of emit --list instead of the format's first that takes the parameters")
        ->type_name("ID");
    verb.add_option("--arch", o.arch, "architecture (default native: this machine's)")
        ->type_name("ARCH");
    add_param_option(verb, o.params);
    verb.add_option("--value", o.value, "f32, f64, c32 or c64 (default f64)")->type_name("TYPE");
    verb.add_option("--index", o.index, "column indices: i32 or i64 (default i32)")
        ->type_name("TYPE");
    verb.add_option("--offset", o.offset, "row offsets: i32 or i64 (default i32)")
        ->type_name("TYPE");
    verb.add_option("--alpha", o.alpha, "zero, one or general (default one)")->type_name("MODE");
    verb.add_option("--beta", o.beta, "zero, one or general (default zero)")->type_name("MODE");
    verb.add_option("--rhs", o.num_rhs, "right-hand sides (default 1)")
        ->check(CLI::Range(1, 64).description(""));
    verb.add_option("--matrix", o.matrix,
                    "choose from this matrix what no option says: " + std::string(matrix_help))
        ->type_name("A.mtx");
}

}  // namespace

void add_emit(CLI::App& program, Verbs& verbs) {
    auto o = std::make_shared<EmitOptions>();
    CLI::App* verb = program.add_subcommand("emit", "print or compile a specialised kernel");
    add_kernel_options(*verb, *o);
    verb->add_option("--as", o->as, "source (default), object, shared, asm or llvm-ir")
        ->type_name("FORM");
    verb->add_option("-o,--output", o->output, "the file to write (default: standard output)")
        ->type_name("FILE");
    verb->add_option("--launch", o->launch, "also write how the kernel is called, as JSON")
        ->type_name("F.json");
    verb->add_flag("--list", o->list, "list kernels, their parameters, and architectures");
    verb->add_flag("--json", o->json, "with --list: one JSON object");
    verb->footer(
        "Examples:\n"
        "  spmvgen emit --list\n"
        "  spmvgen emit --format csr --arch x86-64-v4\n"
        "  spmvgen emit --kernel csr_rows --value f32 --beta general -o kernel.cpp\n"
        "  spmvgen emit --matrix A.mtx -o kernel.cpp --launch launch.json\n"
        "  spmvgen emit --format csr --arch aarch64 --as object -o kernel.o\n"
        "The source stands alone: g++ -O3 -fopenmp -c kernel.cpp compiles it.");
    verbs.push_back({verb, [o](Streams& streams) { emit(*o, streams); }});
}

}  // namespace spmvgen::cli
