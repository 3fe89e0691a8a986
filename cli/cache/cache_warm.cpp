/// `spmvgen cache warm`.
#include <fmt/format.h>

#include <sstream>

#include "cache/cache.hpp"
#include "cache/warm_kernels.hpp"
#include "handle/base/handle_impl.hpp"
#include "matrix/features/features.hpp"
#include "matrix/reorder/reordering.hpp"
#include "options/operands.hpp"
#include "options/run_options.hpp"
#include "text/input.hpp"
#include "text/output.hpp"
#include "text/units.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/records/signature_name.hpp"

namespace spmvgen::cli {
namespace {

struct WarmOptions : CacheOptions {
    RunOptions run;
    std::vector<std::string> matrices;
    std::string list, modes = "one";
    bool all_modes() const { return modes == "all"; }
};

struct Warmed {
    std::string request;  ///< the matrix or the line
    WarmResult result;
};

/// Whether --arch names a machine that this one is not: its kernels are made without a handle.
bool is_elsewhere(const WarmOptions& o) {
    return o.run.device == "host" && o.run.arch != "native" &&
           !why_not_runnable(parse_arch(o.run.arch)).empty();
}

void check(const WarmOptions& o) {
    if (o.matrices.empty() && o.list.empty())
        throw UsageError("nothing is named: give matrices, or a list of kernels with --list");
    if (o.modes != "one" && o.modes != "all")
        throw UsageError("--modes: unknown choice '" + o.modes + "': use one or all");
    if (is_elsewhere(o) && (o.run.op != "N" || names_order(o.run.reorder)))
        throw UsageError(std::string(o.run.op != "N" ? "--op" : "--reorder") +
                         ": needs a handle, and --arch " + o.run.arch +
                         " cannot run here; drop one of them");
}

/// What the rules choose on a machine of --arch with as many threads as this one.
Signature signature_for(const WarmOptions& o, const CsrMatrix& matrix) {
    Options options;
    options.threads = o.run.threads;
    Request request{.format = o.run.format,
                    .kernel = o.run.kernel,
                    .params = parse_params(o.run.params),
                    .target = parse_arch(o.run.arch),
                    .num_rhs = o.run.product.num_rhs,
                    .threads = host_threads(matrix.view(), options),
                    .deterministic = o.run.deterministic,
                    .epilogue = o.run.epilogue};
    check_format_and_kernel(o.run.format, o.run.kernel);
    request.encode = o.run.encodings == "auto" && o.run.storage.empty();
    if (!o.run.storage.empty())
        request.storage = resolve("--storage", [&] { return parse_value_type(o.run.storage); });
    return choose_for(matrix.view(), analyse(matrix.view()), request).signature;
}

WarmResult warm_matrix(const WarmOptions& o, const Options& options, Store& store,
                       const std::string& name) {
    SourcedMatrix source = load_matrix(name);
    convert_types(o.run.value, o.run.index, source.matrix);
    if (!is_elsewhere(o)) return warm_handle(source.matrix, options, o.all_modes());
    return warm_signature(store, signature_for(o, source.matrix), o.all_modes());
}

/// The lines of the list that are not empty and do not begin with '#'.
std::vector<std::string> lines_of(const std::string& path) {
    std::istringstream file(text_of_file(path));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
        if (!line.empty() && line[0] != '#') lines.push_back(line);
    return lines;
}

std::vector<Warmed> warm_all(const WarmOptions& o, Store& store) {
    std::vector<Warmed> all;
    Options options;
    if (!o.matrices.empty() && !is_elsewhere(o)) {
        const std::shared_ptr<Device> device = parse_device(o.run.device);
        options = handle_options(o.run, device.get());
        options.cache_dir = o.directory;
    }
    std::vector<Signature> listed;
    if (!o.list.empty())
        for (auto& line : lines_of(o.list))
            listed.push_back(resolve("--list", [&] { return parse_signature(line); }));
    for (auto& name : o.matrices) all.push_back({name, warm_matrix(o, options, store, name)});
    for (auto& signature : listed)
        all.push_back({to_string(signature), warm_signature(store, signature, o.all_modes())});
    return all;
}

void warm(const WarmOptions& o, Streams& streams) {
    check(o);
    Store store(o.directory);
    require_usable(store);
    std::int64_t compiled = 0, there = 0, failed = 0;
    Json requests = Json::array();
    std::string lines;
    for (auto& [request, result] : warm_all(o, store)) {
        compiled += result.compiled;
        there += result.there;
        failed += !result.failure.empty();
        result.failure = streams.in_words(std::move(result.failure));
        requests.push_back({{"request", request},
                            {"kernel", result.kernel},
                            {"compiled", result.compiled},
                            {"there", result.there},
                            {"failure", result.failure}});
        lines += result.failure.empty() ? fmt::format("{}: {} compiled, {} there\n", result.kernel,
                                                      result.compiled, result.there)
                                        : fmt::format("{}: failed: {}\n", request, result.failure);
    }
    if (o.json)
        print_json(streams.out, {{"directory", store.directory()},
                                 {"compiled", compiled},
                                 {"there", there},
                                 {"failed", failed},
                                 {"requests", requests}});
    else
        streams.out << lines
                    << fmt::format("{}: {} compiled, {} there already\n", store.directory(),
                                   plural(compiled, "kernel"), there);
    if (failed > 0)
        throw Error(ErrorCode::compile, fmt::format("the kernels of {} could not all be made",
                                                    plural(failed, "request")));
}

}  // namespace

void add_cache_warm(CLI::App& cache, Verbs& verbs) {
    auto o = std::make_shared<WarmOptions>();
    CLI::App* verb = cache.add_subcommand("warm", "make kernels now, so that later runs only load");
    verb->add_option("matrices", o->matrices,
                     "matrices as for run: the kernels that it would choose")
        ->type_name("A.mtx");
    verb->add_option("--list", o->list, "kernels by name, a line each, as: cache list --names")
        ->type_name("FILE");
    verb->add_option("--modes", o->modes,
                     "one: α = 1, β = 0 (the default); all: every mode of α and β")
        ->type_name("one|all");
    add_choice_options(*verb, o->run);
    add_product_options(*verb, o->run);
    add_cache_options(*verb, *o);
    verb->footer(
        "Examples:\n"
        "  spmvgen cache warm A.mtx\n"
        "  spmvgen cache warm A.mtx gallery:stencil5:nx=50 --format csr --modes all\n"
        "  spmvgen cache warm A.mtx --device simt:gfx906 --json\n"
        "  spmvgen cache warm A.mtx --arch x86-64-v2   for other machines that share the cache");
    verbs.push_back({verb, [o](Streams& streams) { warm(*o, streams); }});
}

}  // namespace spmvgen::cli
