#pragma once
#include <map>
#include <string>
#include <vector>

#include "handle/kernels/kernel_provider.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/suites/gallery.hpp"

/// Handles of every kind that a CPU has, over small matrices: for tests that make many.
namespace spmvgen {

struct Case {
    const CsrMatrix* matrix;
    Options options;
};

class AllFormats {
  public:
    explicit AllFormats(const std::string& cache_dir) {
        for (auto& matrix : matrices_)
            for (const char* format : {"auto", "csr", "coo", "ell", "sell", "csr-k", "bcsr"}) {
                Options o;
                o.format = format;
                o.threads = 1;
                o.cache = CacheMode::on;
                o.cache_dir = cache_dir;
                o.strict = true;
                cases_.push_back({&matrix, o});
            }
    }
    AllFormats(const AllFormats&) = delete;
    AllFormats& operator=(const AllFormats&) = delete;

    std::vector<Case>& cases() { return cases_; }
    const std::vector<CsrMatrix>& matrices() const { return matrices_; }

    /// Whether α = 1, β = 0 gives the product, whose sums are exact: A and x hold small integers.
    static bool multiplies(const Handle& handle, const CsrMatrix& matrix, const std::string& op) {
        const auto rows = static_cast<std::size_t>(matrix.rows),
                   cols = static_cast<std::size_t>(matrix.cols);
        std::vector<double> x(op == "N" ? cols : rows), y(op == "N" ? rows : cols, -1);
        for (std::size_t j = 0; j < x.size(); ++j) x[j] = static_cast<double>(j % 7);
        handle.apply(1.0, x.data(), 0.0, y.data());
        return y == product(matrix.view(), x, op);
    }

  private:
    static CsrMatrix whole_numbers(const std::string& gallery) {
        CsrMatrix matrix = convert_values(make_gallery_matrix(gallery).view(), ValueType::f64);
        double number = 0;
        for (double& value : matrix.values.as<double>())
            value = (number += 1) < 9 ? number : number = 1;
        return matrix;
    }
    static std::vector<double> product(const CsrView& a, const std::vector<double>& x,
                                       const std::string& op) {
        std::vector<double> y(static_cast<std::size_t>(op == "N" ? a.rows : a.cols));
        const auto* row_ptr = static_cast<const std::int32_t*>(a.row_ptr);
        const auto* col_idx = static_cast<const std::int32_t*>(a.col_idx);
        const auto* values = static_cast<const double*>(a.values);
        for (std::int64_t i = 0; i < a.rows; ++i)
            for (std::int32_t k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                const auto row = static_cast<std::size_t>(i),
                           column = static_cast<std::size_t>(col_idx[k]);
                y[op == "N" ? row : column] += values[k] * x[op == "N" ? column : row];
            }
        return y;
    }

    std::vector<CsrMatrix> matrices_ = [] {
        std::vector<CsrMatrix> made;
        made.push_back(whole_numbers("stencil5:nx=9,ny=10"));
        made.push_back(whole_numbers("powerlaw:n=90,max_row=30"));
        return made;
    }();
    std::vector<Case> cases_;
};

}  // namespace spmvgen
