// Features as rules look at them, and what is chosen for them.
#pragma once
#include <string>

#include "tuner/rules/choose.hpp"

namespace spmvgen {

/// A square matrix with rows of about one length.
inline Features even_features(double mean = 10, std::int64_t rows = 1'000'000) {
    Features f;
    f.rows = f.cols = rows;
    f.mean_row = mean;
    f.nnz = static_cast<std::int64_t>(mean * static_cast<double>(rows));
    f.min_row = 1;
    f.max_row = static_cast<std::int64_t>(2 * mean);
    f.row_histogram[4] = rows;
    f.sell_padding = f.sell_sorted_padding = {1, 1, 1};
    f.ell_padding = 2;
    return f;
}

inline Features uneven_features(double sorted_padding) {
    Features f = even_features();
    f.sell_padding = {2, 2.5, 3};
    f.sell_sorted_padding = {sorted_padding, sorted_padding, sorted_padding};
    return f;
}

inline Request request(const std::string& target = "sm_90") {
    Request r;
    r.target = parse_target(target);
    r.units = 132;
    return r;
}

/// "kernel: reason".
inline std::string chosen(const Features& f, const Request& r) {
    const Choice choice = choose(f, r);
    return choice.signature.kernel + ": " + choice.reason;
}

inline std::int64_t parameter(const Features& f, const Request& r, const std::string& name) {
    return choose(f, r).signature.params.at(name);
}

inline Request of_vectors(int k) {
    Request r = request();
    r.num_rhs = k;
    return r;
}

/// Rows like those of even_features(), of which one has so many entries.
inline Features with_longest(std::int64_t longest, double mean = 10) {
    Features f = even_features(mean);
    f.max_row = longest;
    return f;
}

}  // namespace spmvgen
