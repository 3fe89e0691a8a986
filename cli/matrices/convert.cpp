#include <fmt/format.h>

#include <iterator>
#include <memory>

#include "matrix/reorder/reordering.hpp"
#include "options/operands.hpp"
#include "options/options.hpp"
#include "text/output.hpp"
#include "text/units.hpp"
#include "text/verb.hpp"

namespace spmvgen::cli {
namespace {

struct ConvertOptions {
    std::string from, path, to, reorder = "none", permutation;
};

/// order as an array of Matrix Market: row i of the new matrix is row order[i] of the old, from 1.
void save_order(const std::string& path, const std::vector<std::int32_t>& order,
                std::ostream& out) {
    std::string text = fmt::format(
        "%%MatrixMarket matrix array integer general\n"
        "% p of B = A(p,p): row i of B is row p[i] of A, counted from 1\n{} 1\n",
        order.size());
    for (const std::int32_t old : order) fmt::format_to(std::back_inserter(text), "{}\n", old + 1);
    write_file(path, text, out);
}

void put_in_order(const ConvertOptions& o, ReorderMethod method, SourcedMatrix& source,
                  Streams& streams) {
    const Reordering reordering = reorder(source.matrix.view(), method);
    const Bandedness before = bandedness(source.matrix.view());
    source.matrix = permute(source.matrix.view(), reordering);
    const Bandedness after = bandedness(source.matrix.view());
    if (!o.permutation.empty()) save_order(o.permutation, reordering.order, streams.out);
    streams.err << fmt::format("{}: bandwidth {} instead of {}, profile {} instead of {}\n",
                               to_string(method), after.bandwidth, before.bandwidth, after.profile,
                               before.profile);
}

void convert(const ConvertOptions& o, Streams& streams) {
    const MatrixFile kind = matrix_file_kind(o.path, o.to);
    const auto method = resolve("--reorder", [&] { return parse_reorder_method(o.reorder); });
    if (method == ReorderMethod::rows)
        throw UsageError(
            "--reorder: rows is for products on GPUs, whose kernel knows where y's elements are; "
            "use rcm or band-k");
    if (method == ReorderMethod::none && !o.permutation.empty())
        throw UsageError("--permutation: there is none; drop it, or give --reorder rcm or band-k");
    if (is_standard_output(o.path) && is_standard_output(o.permutation))
        throw UsageError("--permutation: - is standard output, where the matrix goes; name a file");
    check_not_gzipped(o.permutation);
    SourcedMatrix source = load_matrix(o.from);
    if (method != ReorderMethod::none) put_in_order(o, method, source, streams);
    save_matrix(o.path, kind, source.matrix.view(), streams.out);
    streams.err << output_name(o.path) << ": " << source.matrix.rows << " x " << source.matrix.cols
                << ", " << plural(source.matrix.nnz, "nonzero") << "\n";
}

}  // namespace

void add_convert(CLI::App* verb, Verbs& verbs) {
    auto o = std::make_shared<ConvertOptions>();
    verb->add_option("matrix", o->from, matrix_help)->required()->type_name("A.mtx");
    verb->add_option("output", o->path, "the file to write; - = standard output")
        ->required()
        ->type_name("B.csr|B.mtx");
    verb->add_option("--to", o->to, "its form: mtx or csr (default: by the file's suffix)")
        ->type_name("FORM");
    verb->add_option("--reorder", o->reorder,
                     "order of rows and columns: none (the default), rcm or band-k")
        ->type_name("METHOD");
    verb->add_option("--permutation", o->permutation,
                     "with --reorder: write the order here, p of B = A(p,p)")
        ->type_name("FILE");
    verb->footer(
        "Examples:\n"
        "  spmvgen convert A.mtx B.csr\n"
        "  spmvgen convert B.csr C.mtx\n"
        "  spmvgen convert B.csr - --to mtx\n"
        "  spmvgen convert gallery:fem_tri:nx=20 B.mtx --reorder rcm --permutation p.mtx");
    verbs.push_back({verb, [o](Streams& streams) { convert(*o, streams); }});
}

}  // namespace spmvgen::cli
