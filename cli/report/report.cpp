#include <fmt/format.h>

#include <memory>

#include "report/page.hpp"
#include "report/results.hpp"
#include "text/output.hpp"
#include "text/units.hpp"
#include "text/verb.hpp"

namespace spmvgen::cli {
namespace {

struct ReportOptions {
    std::vector<std::string> files;
    std::string out, title = "Sparse matrix-vector products";
};

void report(const ReportOptions& o, Streams& streams) {
    for (auto& file : o.files)
        if (is_same_file(file, o.out))
            throw UsageError("--output: " + o.out +
                             " has the results that are shown: name another");
    const ReportData data = read_report_data(o.files);
    for (auto& note : data.notes) streams.err << "spmvgen: " << note << "\n";
    const std::string page = report_page(o.title, data.json);
    write_file(o.out, page, streams.out);
    streams.err << fmt::format(
        "spmvgen: {}: {} of {}, {}{}\n", o.out == "-" ? "standard output" : o.out,
        plural(data.results, "result"),
        data.matrices == 1 ? "1 matrix" : fmt::format("{} matrices", data.matrices),
        in_bytes(static_cast<double>(page.size())),
        data.wrong > 0 ? ", " + plural(data.wrong, "wrong product") : "");
}

}  // namespace

void add_report(CLI::App* verb, Verbs& verbs) {
    auto o = std::make_shared<ReportOptions>();
    verb->add_option("files", o->files, "files of spmvgen bench --json, plain or .gz")
        ->required()
        ->type_name("R.jsonl");
    verb->add_option("-o,--output", o->out, "write the page to this file; - = standard output")
        ->required()
        ->type_name("F.html");
    verb->add_option("--title", o->title, "the page's heading")->type_name("TEXT");
    verb->footer(
        "Examples:\n"
        "  spmvgen report R.jsonl -o report.html\n"
        "  spmvgen report R.jsonl S.jsonl --title Results -o report.html");
    verbs.push_back({verb, [o](Streams& streams) { report(*o, streams); }});
}

}  // namespace spmvgen::cli
