#include "matrix/suites/gallery.hpp"

#include <fmt/format.h>

#include <memory>

#include "gallery/gallery_random.hpp"
#include "gallery/gallery_suite.hpp"
#include "options/operands.hpp"
#include "options/options.hpp"
#include "text/output.hpp"
#include "text/units.hpp"
#include "text/verb.hpp"

namespace spmvgen::cli {
namespace {

struct GalleryOptions {
    bool json = false;
    std::string specification, path, to;
    SuiteOptions suite;
};

/// The preset specification: "stencil5:nx=1000,ny=1000".
std::string preset_of(const GalleryEntry& entry) {
    std::string text(entry.name);
    char separator = ':';
    for (auto& [name, value] : entry.params) {
        text += fmt::format("{}{}={}", separator, name, value);
        separator = ',';
    }
    return text;
}

void list(const GalleryOptions& o, std::ostream& out) {
    if (!o.suite.suite.empty()) return list_suite(o.suite.suite, o.json, out);
    Json generators = Json::array();
    for (auto& entry : gallery()) {
        Json params = Json::object();
        for (auto& [name, value] : entry.params) params[std::string(name)] = value;
        if (o.json)
            generators.push_back(
                {{"name", entry.name}, {"summary", entry.summary}, {"params", params}});
        else
            out << fmt::format("{}\n    {}\n", preset_of(entry), entry.summary);
    }
    if (o.json) print_json(out, {{"generators", generators}});
}

void make(const GalleryOptions& o, Streams& streams) {
    if (o.suite.suite.empty() == o.specification.empty())
        throw UsageError("gallery make: give a specification or --suite, and not both");
    if (!o.suite.suite.empty()) {
        if (is_standard_output(o.path))
            throw UsageError("--output: a suite is written to a folder, not to standard output");
        SuiteOptions suite = o.suite;
        suite.directory = o.path;
        return make_suite(suite, streams);
    }
    const MatrixFile kind = matrix_file_kind(o.path, o.to);
    const bool prefixed = o.specification.starts_with("gallery:");
    const auto source = load_matrix((prefixed ? "" : "gallery:") + o.specification);
    save_matrix(o.path, kind, source.matrix.view(), streams.out);
    streams.err << output_name(o.path) << ": " << source.matrix.rows << " x " << source.matrix.cols
                << ", " << plural(source.matrix.nnz, "nonzero") << "\n";
}

void add_suite_options(CLI::App& maker, SuiteOptions& o) {
    CLI::Option* suite =
        maker
            .add_option("--suite", o.suite,
                        "instead of one matrix, all of csr-k, gospmv, lightspmv, all or a folder")
            ->type_name("SUITE");
    maker.add_option("--scale", o.scale, "the size of each twin beside the full one")
        ->check(suite_scale())
        ->needs(suite)
        ->capture_default_str();
    maker.add_option("--values", o.values, "of twins: original (as its class has them) or random")
        ->check(CLI::IsMember({"original", "random"}))
        ->needs(suite)
        ->capture_default_str();
    maker.add_option("--max-nnz", o.max_nnz, "leave twins with more nonzeros out")
        ->check(number_between(1, 1e18, "number of entries: use 1 to 1e18"))
        ->needs(suite)
        ->type_name("N");
    maker.add_option("--jobs", o.jobs, "matrices at a time (default 0: as cores and memory allow)")
        ->check(whole_between(0, 1024))
        ->needs(suite);
}

}  // namespace

void add_gallery(CLI::App* verb, Verbs& verbs) {
    auto o = std::make_shared<GalleryOptions>();
    verb->require_subcommand(1);
    CLI::App* lister = verb->add_subcommand("list", "list the generators with their presets");
    lister->add_flag("--json", o->json, "print one JSON object instead");
    lister
        ->add_option("--suite", o->suite.suite,
                     "list instead the matrices of csr-k, gospmv, lightspmv, all or a folder")
        ->type_name("SUITE");
    lister->footer(
        "Examples:\n  spmvgen gallery list\n  spmvgen gallery list --json\n"
        "  spmvgen gallery list --suite csr-k");
    verbs.push_back({lister, [o](Streams& streams) { list(*o, streams.out); }});

    CLI::App* maker = verb->add_subcommand("make", "write one of them to a file, or a suite");
    maker
        ->add_option("spec", o->specification,
                     "NAME or NAME:size=value,…,seed=n; of a twin also scale=0.1")
        ->type_name("SPEC");
    maker
        ->add_option("-o,--output", o->path,
                     "the file to write: .mtx or .csr, or - with --to; a folder for --suite")
        ->required()
        ->type_name("PATH");
    add_suite_options(*maker, o->suite);
    maker->add_option("--to", o->to, "its form: mtx or csr (default: by the file's suffix)")
        ->excludes(maker->get_option("--suite"))
        ->type_name("FORM");
    maker->footer(
        "Examples:\n"
        "  spmvgen gallery make stencil5:nx=100,ny=100 -o A.mtx\n"
        "  spmvgen gallery make stencil5 -o A.csr\n"
        "  spmvgen gallery make ecology1:scale=0.1 -o A.csr\n"
        "  spmvgen gallery make --suite gospmv --scale 0.01 -o suite");
    verbs.push_back({maker, [o](Streams& streams) { make(*o, streams); }});
    add_gallery_random(*verb, verbs);
    add_gallery_lp(*verb, verbs);
    verb->footer(
        "Examples:\n"
        "  spmvgen gallery list\n"
        "  spmvgen gallery make stencil5:nx=100,ny=100 -o A.mtx\n"
        "  spmvgen gallery random --seed 1000000 --count 5\n"
        "Wherever a matrix is taken, gallery:SPEC makes it on the spot:\n"
        "  spmvgen analyze gallery:stencil5:nx=100");
}

}  // namespace spmvgen::cli
