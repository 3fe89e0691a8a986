#include <fmt/format.h>
#include <omp.h>

#include <memory>

#include "emit/emit_header.hpp"
#include "emit/emit_list.hpp"
#include "handle/kernels/emission.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "matrix/features/features.hpp"
#include "options/operands.hpp"
#include "options/options.hpp"
#include "text/output.hpp"
#include "text/verb.hpp"
#include "tuner/chooser/chooser.hpp"

namespace spmvgen::cli {
namespace {

struct EmitOptions {
    std::string format = "auto", kernel = "auto", arch = "native";
    std::vector<std::string> params;
    std::string value, index, offset;  // "" = from the matrix, else f64, i32, i32
    std::string alpha = "one", beta = "zero";
    int num_rhs = 1;
    std::string x_form = "dense", y_form = "dense";
    std::string storage, accumulator, epilogue;
    std::string matrix, as = "source", compiler = "auto", output, launch;
    bool list = false, json = false, facts = false;
    std::string header;
};

/// The rules of the types that a kernel multiplies with, in words of the options.
void check_types(const Signature& s) {
    if (s.storage && *s.storage != s.value && !is_narrower(*s.storage, s.value))
        throw UsageError(
            fmt::format("--storage: {} is not a narrower type of the numbers that "
                        "--value {} has; use f16 or bf16 for f32; these or f32 for "
                        "f64; c32 for c64",
                        to_string(*s.storage), to_string(s.value)));
    if (s.accumulator && *s.accumulator != s.value && !is_narrower(s.value, *s.accumulator))
        throw UsageError(
            fmt::format("--accumulator: {} is not wider than --value {}; use f64 for "
                        "f32, c64 for c32, or drop it",
                        to_string(*s.accumulator), to_string(s.value)));
}

/// The signature that a matrix suggests, explicit options having won.
Signature suggested(const EmitOptions& o, Signature wanted, Streams& streams) {
    const SourcedMatrix source = load_matrix(o.matrix);
    Features features = analyse(source.matrix.view());
    if (o.value.empty()) wanted.value = features.value_type;
    features.value_type = wanted.value;
    check_types(wanted);
    const Choice choice = as_usage([&] {
        return choose_for(source.matrix.view(), features,
                          {.format = o.format,
                           .kernel = o.kernel,
                           .params = wanted.params,
                           .target = wanted.target,
                           .num_rhs = o.num_rhs,
                           .threads = omp_get_max_threads(),
                           .storage = wanted.storage,
                           .encode = !wanted.storage && o.value.empty(),
                           .accumulator = wanted.accumulator,
                           .epilogue = wanted.epilogue,
                           .op = op_of_kernel(o.kernel, wanted.params)});
    });
    if (!choice.warning.empty()) streams.err << "spmvgen: " << choice.warning << "\n";
    Signature s = choice.signature;
    if (!o.index.empty()) s.index = wanted.index;
    if (!o.offset.empty()) s.offset = wanted.offset;
    s.alpha = wanted.alpha;
    s.beta = wanted.beta;
    s.x_form = wanted.x_form;
    s.y_form = wanted.y_form;
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

Signature wanted_signature(const EmitOptions& o, Streams& streams) {
    check_format_and_kernel(o.format, o.kernel);
    if (o.format == "auto" && o.kernel == "auto" && o.matrix.empty())
        throw UsageError("no kernel is named: use --format, --kernel or --matrix");
    Signature s;
    s.target = parse_arch(o.arch);
    s.params = parse_params(o.params);
    s.num_rhs = o.num_rhs;
    s.x_form = resolve("--x-form", [&] { return parse_vector_form(o.x_form); });
    s.y_form = resolve("--y-form", [&] { return parse_vector_form(o.y_form); });
    if (!o.value.empty()) s.value = parse_computed_type("--value", o.value);
    if (!o.index.empty()) s.index = resolve("--index", [&] { return parse_index_type(o.index); });
    if (!o.offset.empty())
        s.offset = resolve("--offset", [&] { return parse_index_type(o.offset); });
    if (!o.storage.empty())
        s.storage = resolve("--storage", [&] { return parse_value_type(o.storage); });
    if (!o.accumulator.empty()) s.accumulator = parse_computed_type("--accumulator", o.accumulator);
    s.epilogue = o.epilogue;
    s.alpha = resolve("--alpha", [&] { return parse_scale(o.alpha); });
    s.beta = resolve("--beta", [&] { return parse_scale(o.beta); });
    check_params(o.format, o.kernel, s.params, s.target);
    if (!o.matrix.empty()) return suggested(o, s, streams);
    check_types(s);
    return as_usage([&] { return named_signature(o.format, o.kernel, s); });
}

Json launch_json(const KernelSource& source) {
    Json steps = Json::array(), workspace = Json::array();
    for (auto& step : source.launch.steps) {
        Json arguments = Json::array();
        for (auto& a : step.arguments) arguments.push_back({{"name", a.name}, {"type", a.type}});
        Json json{
            {"symbol", step.symbol}, {"rule", to_string(step.rule)}, {"arguments", arguments}};
        if (step.rule == StepRule::grid) {
            json["grid"] = {{"items", step.grid.items},
                            {"items_per_block", step.grid.items_per_block},
                            {"blocks_per_unit", step.grid.blocks_per_unit},
                            {"groups", step.grid.groups}};
            json["block"] = step.block;
            json["shared_bytes"] = step.shared_bytes;
            if (step.overlaps) json["overlaps"] = true;
        }
        steps.push_back(json);
    }
    for (auto& w : source.launch.workspace) {
        Json json{{"name", w.name}};
        if (w.bytes > 0)
            json["bytes"] = w.bytes;
        else if (w.bytes_per_block > 0)
            json.update({{"bytes_per_block", w.bytes_per_block}, {"of_step", w.of_step}});
        else
            json["bytes_per_thread"] = w.bytes_per_thread;
        if (w.zeroed) json["zeroed"] = true;
        workspace.push_back(json);
    }
    return {{"kernel", source.name},
            {"signature", to_string(source.signature)},
            {"target", to_string(source.signature.target)},
            {"steps", steps},
            {"workspace", workspace}};
}

void print_facts(Generator& generator, const KernelSource& source, Compiler compiler,
                 std::ostream& out) {
    const Target& target = source.signature.target;
    const TargetKind kind = architecture(target).kind;
    if (kind == TargetKind::host)
        throw UsageError("--facts: " + target.arch + " is a CPU; facts are those of GPU kernels");
    const KernelBinary binary = generator.compile(source, loadable_kind(kind), compiler);
    out << fmt::format("{}\n{}, {} bytes\n", to_string(source.signature), binary.compiler,
                       binary.bytes.size());
    for (auto& step : source.launch.steps) {
        const KernelFacts& f = binary.facts.at(step.symbol);
        out << fmt::format("{}\n    {}\n    blocks of {} threads, occupancy about {:.0f} %\n",
                           step.symbol, to_string(f), step.block, 100 * occupancy(target, f, step));
    }
}

void list(const EmitOptions& o, std::ostream& out) {
    if (o.json)
        print_json(out, kernel_list_json());
    else
        out << kernel_list();
}

/// Else the file that is written last would replace the other.
void check_outputs_differ(const EmitOptions& o) {
    if (is_same_file(o.header, o.output))
        throw UsageError("--header: " + o.header + " is where the kernel goes; name another file");
    if (is_same_file(o.launch, o.output))
        throw UsageError("--launch: " + o.launch + " is where the kernel goes; name another file");
    if (is_same_file(o.launch, o.header))
        throw UsageError("--launch: " + o.launch + " is where the header goes; name another file");
}

void emit(const EmitOptions& o, Streams& streams) {
    if (o.list) return list(o, streams.out);
    if (o.json) throw UsageError("--json: goes with --list; the launch is written by --launch");
    const Target target = parse_arch(o.arch);
    const KernelForm& form = resolve("--as", [&]() -> auto& { return kernel_form(o.as, target); });
    const Compiler compiler = parse_compiler(o.compiler);
    if (!form.text && o.output.empty() && !o.facts)
        throw UsageError("--as " + o.as +
                         " makes a binary file: name it with -o (- = standard "
                         "output)");
    if (is_standard_output(o.launch) && (o.output.empty() || is_standard_output(o.output)))
        throw UsageError("--launch: - is standard output, where the kernel goes; name a file");
    check_outputs_differ(o);
    const std::string name = o.header.empty() ? "" : header_name(o.header);
    const Signature signature = wanted_signature(o, streams);
    Generator& generator = load_generator();
    const KernelSource source = generator.emit(signature);
    if (o.facts)
        print_facts(generator, source, compiler,
                    is_standard_output(o.output) ? streams.err : streams.out);
    if (!o.facts || !o.output.empty())
        write_file(o.output,
                   form.kind ? generator.compile(source, *form.kind, compiler).bytes : source.text,
                   streams.out);
    if (!o.header.empty())
        write_file(o.header, kernel_header(source, form.kind.has_value(), name), streams.out);
    if (!o.launch.empty()) write_file(o.launch, launch_json(source).dump(2) + "\n", streams.out);
}

void add_kernel_options(CLI::App& verb, EmitOptions& o) {
    verb.add_option("--format", o.format, "storage format: " + format_names())->type_name("FORMAT");
    verb.add_option(
            "--kernel", o.kernel,
            "a kernel of emit --list instead of the format's first that takes the parameters")
        ->type_name("ID");
    verb.add_option("--arch", o.arch, "architecture (default native: this machine's)")
        ->type_name("ARCH");
    add_param_option(verb, o.params);
    verb.add_option("--value", o.value, "f32, f64, c32 or c64 (default f64)")->type_name("TYPE");
    verb.add_option("--storage", o.storage,
                    "narrower type of the stored values: f16, bf16, f32 or c32")
        ->type_name("TYPE");
    verb.add_option("--accumulator", o.accumulator,
                    "wider type of the sums: f64 for f32, c64 for c32")
        ->type_name("TYPE");
    verb.add_option("--epilogue", o.epilogue,
                    "what y gets, an expression of value (of the product) and row")
        ->type_name("EXPR");
    verb.add_option("--index", o.index, "column indices: i32 or i64 (default i32)")
        ->type_name("TYPE");
    verb.add_option("--offset", o.offset, "row offsets: i32 or i64 (default i32)")
        ->type_name("TYPE");
    verb.add_option("--alpha", o.alpha,
                    "zero, one, general, or device: read from its memory (default one)")
        ->type_name("MODE");
    verb.add_option("--beta", o.beta, "zero, one, general or device (default zero)")
        ->type_name("MODE");
    verb.add_option("--rhs", o.num_rhs, "right-hand sides (default 1)")
        ->check(whole_between(1, 64));
    verb.add_option("--x-form", o.x_form,
                    "of several right-hand sides: dense (default), rows or columns, ld_x apart")
        ->type_name("FORM");
    verb.add_option("--y-form", o.y_form, "the same of y")->type_name("FORM");
    verb.add_option("--matrix", o.matrix,
                    "choose from this matrix what no option says: " + std::string(matrix_help))
        ->type_name("A.mtx");
}

}  // namespace

void add_emit(CLI::App* verb, Verbs& verbs) {
    auto o = std::make_shared<EmitOptions>();
    add_kernel_options(*verb, *o);
    verb->add_option(
            "--as", o->as,
            "source (default); CPUs: object, shared, asm, llvm-ir; NVIDIA: ptx, cubin; AMD: hsaco, "
            "asm; GPUs: simt")
        ->type_name("FORM");
    verb->add_option("-o,--output", o->output, "the file to write (default: standard output)")
        ->type_name("FILE");
    verb->add_option("--launch", o->launch, "also write how the kernel is called, as JSON")
        ->type_name("F.json");
    verb->add_option("--header", o->header,
                     "also write a C header that names the kernel after its file")
        ->type_name("NAME.h");
    verb->add_option("--compiler", o->compiler, "GPUs: auto (default), nvrtc, hiprtc or clang")
        ->type_name("NAME");
    verb->add_flag("--facts", o->facts,
                   "GPUs: print registers, spills, shared memory and occupancy");
    verb->add_flag("--list", o->list, "list kernels, their parameters, and architectures");
    verb->add_flag("--json", o->json, "with --list: one JSON object");
    verb->footer(
        "Examples:\n"
        "  spmvgen emit --list\n"
        "  spmvgen emit --format csr --arch x86-64-v4\n"
        "  spmvgen emit --format ell --arch gfx906\n"
        "  spmvgen emit --format csr --arch gfx90a --as hsaco -o kernel.hsaco --facts\n"
        "  spmvgen emit --kernel csr_rows --value f32 --beta general -o kernel.cpp\n"
        "  spmvgen emit --matrix A.mtx -o kernel.cpp --launch launch.json\n"
        "  spmvgen emit --format csr --arch aarch64 --as object -o kernel.o\n"
        "The source stands alone: g++ -O3 -fopenmp -c kernel.cpp compiles it.");
    verbs.push_back({verb, [o](Streams& streams) { emit(*o, streams); }});
}

}  // namespace spmvgen::cli
