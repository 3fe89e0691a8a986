#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <thread>

#include "handle/kernels/compile_kernel.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "handle/kernels/stopwatch.hpp"
#include "options/options.hpp"
#include "pack/pack.hpp"
#include "pack/set_builder.hpp"
#include "registry.hpp"
#include "sets/exported.hpp"
#include "spmvgen/error.hpp"
#include "text/input.hpp"
#include "text/interrupt.hpp"
#include "text/output.hpp"
#include "text/progress.hpp"
#include "text/units.hpp"

namespace spmvgen::cli {
namespace {

namespace fs = std::filesystem;

struct PackOptions {
    std::string manifest, output, compiler = "auto", as = "auto";
    std::vector<std::string> archs, kernels, values, indices;
    int jobs = 0;
    bool strict = false, no_sources = false, list = false, json = false;
};

/// What was made for one target.
struct Made {
    std::string target, path;
    std::size_t kernels = 0;
    std::uint64_t bytes = 0;
    std::int64_t code_bytes = 0, source_bytes = 0;
    double seconds = 0;
    std::vector<Unfit> refused = {};
};

/// The manifest of --manifest, or that of --kernel.
Manifest wanted_manifest(const PackOptions& o) {
    if (!o.kernels.empty()) {
        ManifestSection section;
        section.choose = SectionKind::kernels;
        if (!o.values.empty())
            section.values = {ValueType::f32, ValueType::f64, ValueType::c32, ValueType::c64};
        for (auto& id : o.kernels)
            section.kernels.push_back(
                resolve("--kernel", [&] { return std::string(kernel_entry(id).id); }));
        return {"kernels", {section}};
    }
    const std::string name = o.manifest.empty() ? "default" : o.manifest;
    if (const auto text = embedded_manifest(name)) return parse_manifest(*text, name);
    std::error_code unknown;
    if (fs::status(name, unknown).type() == fs::file_type::not_found)
        throw UsageError("--manifest: there is no file '" + name +
                         "', and the embedded manifests are " + embedded_manifest_names());
    return parse_manifest(text_of_file(name), name);
}

/// What a list of a section keeps beside `wanted`, which narrows it.
template <typename T>
void narrow(std::vector<T>& list, const std::vector<T>& wanted) {
    if (wanted.empty()) return;
    std::erase_if(list,
                  [&](auto& item) { return std::ranges::find(wanted, item) == wanted.end(); });
}

std::pair<IndexType, IndexType> index_pair(const std::string& text) {
    const std::size_t slash = text.find('/');
    if (slash == text.npos)
        throw UsageError("--index: '" + text + "' is no pair: write i32/i64 for columns/offsets");
    return resolve("--index", [&] {
        return std::pair{parse_index_type(text.substr(0, slash)),
                         parse_index_type(text.substr(slash + 1))};
    });
}

/// The manifest with what --value and --index leave of it.
Manifest narrowed(Manifest manifest, const PackOptions& o) {
    std::vector<ValueType> values;
    for (auto& text : o.values) values.push_back(parse_computed_type("--value", text));
    std::vector<std::pair<IndexType, IndexType>> indices;
    for (auto& text : o.indices) indices.push_back(index_pair(text));
    for (auto& section : manifest.sections) {
        narrow(section.values, values);
        if (section.indices.empty())
            section.indices = indices;
        else
            narrow(section.indices, indices);
        if (!indices.empty() && section.indices.empty()) section.values.clear();
    }
    return manifest;
}

std::vector<BinaryKind> kinds_of(const PackOptions& o, const Target& target) {
    const TargetKind kind = architecture(target).kind;
    if (o.as == "simt" && kind != TargetKind::host) return {BinaryKind::simt};
    if (o.as == "ptx" && kind == TargetKind::cuda) return {BinaryKind::ptx};
    if (o.as != "auto")
        throw UsageError("--as: there is no " + o.as + " of " + target.arch +
                         ": use auto, simt (of GPUs) or ptx (of NVIDIA's)");
    return loadable_kinds(kind);
}

/// A file name for a target: "gfx90a_xnack-.spmvset".
std::string file_name(const Target& target) {
    std::string name = to_string(target);
    std::ranges::replace(name, ':', '_');
    std::ranges::replace(name, '=', '-');
    return name + std::string(set_suffix);
}

std::string output_path(const PackOptions& o, const Target& target, bool several) {
    if (o.output.empty()) return file_name(target);
    std::error_code trouble;
    if (several) fs::create_directories(o.output, trouble);
    if (trouble) throw Error(ErrorCode::io, o.output + ": cannot make it: " + trouble.message());
    return several || fs::is_directory(o.output, trouble)
               ? (fs::path(o.output) / file_name(target)).string()
               : o.output;
}

/// Said before the work, not after it.
void check_writable(const std::string& path) {
    if (is_standard_output(path)) return;
    const fs::path folder = fs::absolute(path).parent_path();
    if (access(folder.c_str(), W_OK | X_OK) != 0)
        throw Error(ErrorCode::io, path + ": cannot write: " + std::strerror(errno));
}

std::vector<Target> wanted_targets(const PackOptions& o) {
    std::vector<Target> targets;
    for (auto& arch : o.archs) targets.push_back(parse_arch(arch));
    for (auto target = targets.begin(); target != targets.end(); ++target)
        if (std::find(targets.begin(), target, *target) != target)
            throw UsageError("--arch: " + to_string(*target) + " is named twice");
    return targets;
}

void tell_refused(const std::vector<Unfit>& refused, std::ostream& err) {
    constexpr std::size_t most = 10;
    for (std::size_t i = 0; i < std::min(most, refused.size()); ++i)
        err << "spmvgen: refused: " << refused[i].what << ": " << refused[i].why << "\n";
    if (refused.size() > most)
        err << "spmvgen: refused: " << refused.size() - most << " more (--json lists all)\n";
}

Made make_set(const PackOptions& o, const Manifest& manifest, const Target& target,
              const std::string& path, Streams& streams) {
    const Stopwatch watch;
    Made made{.target = to_string(target), .path = path};
    const std::vector<Signature> signatures = expand(manifest, target, made.refused);
    if (signatures.empty() && made.refused.empty())
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("manifest {} has nothing for {}", manifest.name, made.target));
    BuiltSet built;
    {
        Progress progress(streams.err, made.target, signatures.size());
        built = build_set(load_generator(), signatures,
                          {.kinds = kinds_of(o, target),
                           .compiler = parse_compiler(o.compiler),
                           .jobs = o.jobs,
                           .sources = !o.no_sources,
                           .done = [&](const Signature& s) { progress.step(kernel_name(s)); },
                           .stop = Interrupt::came});
    }
    if (Interrupt::came())
        throw Error(ErrorCode::io, path + ": interrupted: the file was not written");
    made.refused.insert(made.refused.end(), built.refused.begin(), built.refused.end());
    tell_refused(made.refused, streams.err);
    if (built.entries.empty() || (o.strict && !made.refused.empty()))
        throw Error(ErrorCode::compile,
                    fmt::format("{}: {} of {} refused: the file was not written", path,
                                plural(std::ssize(made.refused), "kernel"), signatures.size()));
    const std::string bytes = encode_set(header_for(built.entries, manifest.name), built.entries);
    write_file(path, bytes, streams.out);
    made.kernels = built.entries.size();
    made.bytes = bytes.size();
    made.code_bytes = built.code_bytes;
    made.source_bytes = built.source_bytes;
    made.seconds = watch.ms() / 1e3;
    return made;
}

Json to_json(const Made& made) {
    Json refused = Json::array();
    for (auto& [what, why] : made.refused) refused.push_back({{"what", what}, {"why", why}});
    return {
        {"target", made.target},
        {"path", made.path},
        {"kernels", made.kernels},
        {"bytes", made.bytes},
        {"bytes_per_kernel", static_cast<double>(made.bytes) / static_cast<double>(made.kernels)},
        {"code_bytes", made.code_bytes},
        {"source_bytes", made.source_bytes},
        {"seconds", made.seconds},
        {"refused", refused}};
}

std::string to_string(const Made& made, int jobs) {
    const auto each = [&](auto bytes) {
        return in_bytes(static_cast<double>(bytes) / static_cast<double>(made.kernels));
    };
    std::string text = fmt::format(
        "{}: {} for {}, {}\n  {} a kernel: code {}, source {}; made in {} with {}\n",
        output_name(made.path), plural(static_cast<std::int64_t>(made.kernels), "kernel"),
        made.target, in_bytes(static_cast<double>(made.bytes)), each(made.bytes),
        each(made.code_bytes), each(made.source_bytes), in_seconds(made.seconds),
        plural(jobs, "job"));
    if (!made.refused.empty()) text += fmt::format("  {} refused\n", made.refused.size());
    return text;
}

/// --list: what would be made.
void list(const Manifest& manifest, const std::vector<Target>& targets, Streams& streams) {
    for (auto& target : targets) {
        std::vector<Unfit> refused;
        for (auto& signature : expand(manifest, target, refused))
            streams.out << spmvgen::to_string(signature) << "\n";
        tell_refused(refused, streams.err);
    }
}

void check_together(const PackOptions& o) {
    if (!o.kernels.empty() && !o.manifest.empty())
        throw UsageError("--kernel: stands in the place of --manifest; drop one of them");
    if (!o.list) return;
    const std::pair<bool, const char*> given[] = {{o.json, "--json"},
                                                  {!o.output.empty(), "--output"},
                                                  {o.strict, "--strict"},
                                                  {o.no_sources, "--no-sources"}};
    for (auto& [is_given, name] : given)
        if (is_given) throw UsageError(name + std::string(": --list makes nothing; drop it"));
}

void build(PackOptions o, Streams& streams) {
    check_together(o);
    if (o.jobs == 0) o.jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const std::vector<Target> targets = wanted_targets(o);
    parse_compiler(o.compiler);
    for (auto& target : targets) kinds_of(o, target);
    const Manifest manifest = narrowed(wanted_manifest(o), o);
    if (o.list) return list(manifest, targets, streams);
    const bool to_output = is_standard_output(o.output);
    if (to_output && targets.size() > 1)
        throw UsageError(
            "--output: - is standard output, which takes one set; give one --arch, or "
            "name a folder");
    if (to_output && o.json)
        throw UsageError("--output: - is standard output, where --json prints; name a file");
    for (auto& target : targets) check_writable(output_path(o, target, targets.size() > 1));
    const Interrupt interrupt;
    Json all = Json::array();
    for (auto& target : targets) {
        const Made made =
            make_set(o, manifest, target, output_path(o, target, targets.size() > 1), streams);
        if (o.json)
            all.push_back(to_json(made));
        else
            (to_output ? streams.err : streams.out) << to_string(made, o.jobs);
    }
    if (o.json)
        print_json(streams.out, {{"manifest", manifest.name}, {"jobs", o.jobs}, {"sets", all}});
}

void add_choice(CLI::App& verb, PackOptions& o) {
    verb.add_option("--manifest", o.manifest,
                    "what goes in: a file, or " + embedded_manifest_names() + " (default: default)")
        ->type_name("F.json");
    verb.add_option("--arch", o.archs, "architectures, a file each: x86-64-v4,sm_90,gfx90a")
        ->type_name("ARCH")
        ->required()
        ->delimiter(',');
    verb.add_option("--kernel", o.kernels,
                    "these kernels with their presets, instead of --manifest")
        ->type_name("ID")
        ->delimiter(',');
    verb.add_option("--value", o.values, "of the manifest's types of values only these")
        ->type_name("TYPE")
        ->delimiter(',');
    verb.add_option("--index", o.indices, "of its types of columns/offsets only these: i32/i64")
        ->type_name("PAIR")
        ->delimiter(',');
}

}  // namespace

void add_pack_build(CLI::App& pack, Verbs& verbs) {
    auto o = std::make_shared<PackOptions>();
    CLI::App* verb = pack.add_subcommand("build", "compile kernels into a set, without the device");
    add_choice(*verb, *o);
    verb->add_option("-o,--output", o->output,
                     "the set; a folder for several architectures (default: ARCH.spmvset)")
        ->type_name("A.spmvset");
    verb->add_option("--jobs", o->jobs, "kernels at a time; 0 = one a processor (default)")
        ->check(whole_between(0, 1024));
    verb->add_option("--as", o->as, "auto (default: what devices load), ptx, or simt")
        ->type_name("KIND");
    verb->add_option("--compiler", o->compiler, "of GPU kernels: auto, nvrtc, hiprtc or clang")
        ->type_name("NAME");
    verb->add_flag("--no-sources", o->no_sources, "leave the emitted texts out: smaller");
    verb->add_flag("--strict", o->strict, "fail when a kernel is refused, and write nothing");
    verb->add_flag("--list", o->list, "print what would be made instead");
    verb->add_flag("--json", o->json, "print one JSON object instead of the report");
    verb->footer(
        "Examples:\n"
        "  spmvgen pack build --arch sm_90,gfx90a --kernel csr_classical --value f64 --list\n"
        "  spmvgen pack build --manifest common --arch x86-64-v4 --list\n"
        "  spmvgen pack build --kernel csr_rows --value f64 --index i32/i32 --arch x86-64-v3 -o "
        "A.spmvset");
    verbs.push_back({verb, [o](Streams& streams) { build(*o, streams); }});
}

}  // namespace spmvgen::cli
