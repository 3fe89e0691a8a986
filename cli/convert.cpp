#include <memory>

#include "matrix_source.hpp"
#include "output.hpp"
#include "units.hpp"
#include "verb.hpp"

namespace spmvgen::cli {
namespace {

struct ConvertOptions {
    std::string from, path, to;
};

void convert(const ConvertOptions& o, Streams& streams) {
    const MatrixFile kind = matrix_file_kind(o.path, o.to);
    const SourcedMatrix source = load_matrix(o.from);
    save_matrix(o.path, kind, source.matrix.view());
    streams.err << o.path << ": " << source.matrix.rows << " x " << source.matrix.cols << ", "
                << plural(source.matrix.nnz, "nonzero") << "\n";
}

}  // namespace

void add_convert(CLI::App& program, Verbs& verbs) {
    auto o = std::make_shared<ConvertOptions>();
    CLI::App* verb = program.add_subcommand(
        "convert", "write a matrix as Matrix Market or as binary CSR, which is read faster");
    verb->add_option("matrix", o->from, matrix_help)->required()->type_name("A.mtx");
    verb->add_option("output", o->path, "the file to write")->required()->type_name("B.csr|B.mtx");
    verb->add_option("--to", o->to, "its form: mtx or csr (default: by the file's suffix)")
        ->type_name("FORM");
    verb->footer(
        "Examples:\n"
        "  spmvgen convert A.mtx B.csr\n"
        "  spmvgen convert B.csr C.mtx");
    verbs.push_back({verb, [o](Streams& streams) { convert(*o, streams); }});
}

}  // namespace spmvgen::cli
