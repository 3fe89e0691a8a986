#include <memory>

#include "matrix/features/features.hpp"
#include "options/operands.hpp"
#include "options/options.hpp"
#include "text/output.hpp"
#include "text/verb.hpp"

namespace spmvgen::cli {
namespace {

struct AnalyzeOptions {
    std::string matrix;
    bool json = false;
    bool plot = true;
    int threads = 0;
};

Json file_json(const FileHeader& header) {
    return {{"kind", header.kind},
            {"layout", header.layout},
            {"field", header.field},
            {"symmetry", header.symmetry},
            {"stored", header.stored}};
}

Json analysis_json(const SourcedMatrix& source, const Features& features) {
    Json json{{"matrix", source.name}};
    json["file"] = source.header ? file_json(*source.header) : Json();
    json.update(Json::parse(to_json(features)));
    return json;
}

void analyze(const AnalyzeOptions& o, Streams& streams) {
    const SourcedMatrix source = load_matrix(o.matrix);
    const Features features = analyse(source.matrix.view(), o.threads);
    if (o.json) return print_json(streams.out, analysis_json(source, features));
    streams.out << source.name;
    if (source.header && !source.header->field.empty())
        streams.out << " (" << source.header->kind << ", " << source.header->layout << " "
                    << source.header->field << " " << source.header->symmetry << ")";
    streams.out << "\n" << sheet(features);
    if (o.plot) streams.out << "\n" << density_plot(source.matrix.view());
}

}  // namespace

void add_analyze(CLI::App* verb, Verbs& verbs) {
    auto o = std::make_shared<AnalyzeOptions>();
    verb->add_option("matrix", o->matrix, matrix_help)->required()->type_name("A.mtx");
    verb->add_flag("--json", o->json, "print one JSON object instead");
    verb->add_flag("--plot,!--no-plot", o->plot, "draw where the entries are (default)");
    verb->add_option("--threads", o->threads, "threads to use; 0 = what OpenMP would use")
        ->check(whole_between(0, 4096));
    verb->footer(
        "Examples:\n"
        "  spmvgen analyze A.mtx\n"
        "  spmvgen analyze A.mtx --json\n"
        "  spmvgen analyze gallery:stencil5:nx=100 --no-plot");
    verbs.push_back({verb, [o](Streams& streams) { analyze(*o, streams); }});
}

}  // namespace spmvgen::cli
