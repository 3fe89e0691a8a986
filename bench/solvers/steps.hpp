#pragma once
// Ways of one solver side by side: the residuals of each beside those of a plain loop on this CPU,
// then its time. A way whose residuals are wrong gets no time.
#include <cmath>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "matrix/csr_matrix.hpp"
#include "parts.hpp"

namespace spmvgen::bench {

using Json = nlohmann::ordered_json;

/// r·r before the first iteration, and after each.
using History = std::vector<double>;

/// What a plain loop in one type of numbers is made of.
template <typename Real>
class PlainLoop {
  public:
    using Vector = std::vector<Real>;

    explicit PlainLoop(const CsrMatrix& m)
        : row_ptr_(m.row_ptr.as<std::int32_t>()),
          col_idx_(m.col_idx.as<std::int32_t>()),
          values_(m.values.as<double>()) {}

    Vector times(const Vector& x) const {
        Vector y(row_ptr_.size() - 1);
#pragma omp parallel for schedule(dynamic, 1024)
        for (std::size_t i = 0; i < y.size(); ++i)
            for (auto e = static_cast<std::size_t>(row_ptr_[i]);
                 e < static_cast<std::size_t>(row_ptr_[i + 1]); ++e)
                y[i] += values_[e] * x[static_cast<std::size_t>(col_idx_[e])];
        return y;
    }
    static Real dot(const Vector& u, const Vector& v) {
        Real sum = 0;
        for (std::size_t i = 0; i < u.size(); ++i) sum += u[i] * v[i];
        return sum;
    }
    /// b - Ax.
    Vector residual(const Vector& b, const Vector& x) const {
        Vector r = times(x);
        for (std::size_t i = 0; i < r.size(); ++i) r[i] = b[i] - r[i];
        return r;
    }

  private:
    std::span<const std::int32_t> row_ptr_, col_idx_;
    std::span<const double> values_;
};

/// One way of a solver. Iterations come in pairs: the second leaves every vector where it was.
struct Way {
    std::function<void()> begin;
    std::function<void(int iteration)> iterate;        ///< enqueues
    std::function<double(int iteration)> square_norm;  ///< of the residual, when all is done
    int late = 0;  ///< iterations by which square_norm is behind
};

/// Ways of one solver with one matrix. They are told to a line of JSON: NAME_error, the largest
/// relative difference of √(r·r), and NAME_us of an iteration, or NAME_wrong.
class Comparison {
  public:
    static constexpr double allowed = 1e-10;
    /// `exact`: by a loop of higher precision than `plain`. Iterations are compared for as long as
    /// both loops differ by less than a tenth of what is allowed; later, rounding decides. With
    /// fewer than `fewest` of them no way is timed.
    Comparison(const Arguments& arguments, Json& line, History exact, const History& plain);
    void add(const std::string& name, const Way& way);

  private:
    static constexpr std::size_t fewest = 2;
    double error_of(const Way& way) const;

    const Arguments& arguments_;
    Json& line_;
    History exact_;  ///< as far as it is compared
};

/// Each makes the line of one solver. `m` is square; PDHG takes any matrix.
Json cg_line(const CsrMatrix& m, const Arguments& arguments);
Json bicgstab_line(const CsrMatrix& m, const Arguments& arguments);
Json chebyshev_line(const CsrMatrix& m, const Arguments& arguments);
Json pdhg_line(const CsrMatrix& a, const Arguments& arguments);

}  // namespace spmvgen::bench
