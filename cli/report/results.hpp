#pragma once
#include <string>
#include <vector>

#include "text/output.hpp"

namespace spmvgen::cli {

/// What a report shows, from files of `spmvgen bench`: the page's data, as cli/report/page/data.js
/// reads it.
///
/// - "runs": a device on a machine with its versions and method; results of several files are of
///   one run when all of these agree. Each has a "label".
/// - "matrices": told apart by name, rows, columns and nonzeros; "density" is a text of a character
///   a cell, '0' for none and '1' … '9' by the logarithm.
/// - "results": one of each run, matrix, value type, numbers ("own", "random") and case, the last
///   that was read. It has times by clock ("stream", "graph", "solver", "cold": µs with quartiles),
///   or "none", or "wrong", and then never times.
/// - "notes": what was left out or replaced.
struct ReportData {
    Json json;
    int matrices = 0, results = 0, wrong = 0;
    std::vector<std::string> notes;
};

/// Reads the files in order. Throws as read_bench_lines, and Error(invalid_input) with file, line
/// and field for what is wrong with a header or a result, and when there is no result at all.
ReportData read_report_data(const std::vector<std::string>& paths);

}  // namespace spmvgen::cli
