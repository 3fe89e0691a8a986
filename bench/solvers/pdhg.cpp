// A step of PDHG, the first-order method of linear programs.
#include <algorithm>

#include "steps.hpp"

namespace spmvgen::bench {
namespace {

constexpr double tau = 1e-3, sigma = 1e-3;

/// x = clamp(x + τ(Aᵀy - c)), x̄ = 2x - x_old; y = y + σ(b - Ax̄).
constexpr const char* primal =
    "t = fmin(fmax(x[row] + tau * (value - c[row]), lo[row]), hi[row]); d = 2 * t - x[row]; "
    "x[row] = t; d";
constexpr const char* dual = "y[row] = y[row] + sigma * (b[row] - value); value";

struct Pdhg {
    Pdhg(const CsrMatrix& a_matrix, const Arguments& arguments)
        : a(a_matrix),
          t(transpose(a_matrix.view(), false)),
          device(*arguments.device),
          costs(random_numbers(a.cols, 4)),
          bounds(random_numbers(a.rows, 5)) {
        c = costs;
        b = bounds;
    }
    void begin() {
        x = std::vector<double>(costs.size());
        y = std::vector<double>(bounds.size());
    }
    /// How far x̄ is from c and y from b, which no two elements can change places in.
    double square_norm() const {
        const std::vector<double> now_bar = bar.all(), now_y = y.all();
        double sum = 0;
        for (std::size_t i = 0; i < costs.size(); ++i) sum += std::pow(now_bar[i] - costs[i], 2);
        for (std::size_t i = 0; i < bounds.size(); ++i) sum += std::pow(now_y[i] - bounds[i], 2);
        return sum;
    }

    const CsrMatrix& a;
    const CsrMatrix t;
    Device& device;
    const std::vector<double> costs, bounds;
    /// `bar` holds Aᵀy until it is x̄.
    Numbers x{device, a.cols}, bar{device, a.cols}, c{device, a.cols}, lo{device, a.cols, -1},
        hi{device, a.cols, 1}, y{device, a.rows}, ax{device, a.rows}, b{device, a.rows},
        tau_there{device, 1, tau}, sigma_there{device, 1, sigma};
};

/// Both halves of a step: products with epilogues, or products that are given, each with a kernel
/// for vectors behind it.
std::function<void(Pdhg&)> step_of(std::shared_ptr<Fused> first, std::shared_ptr<Fused> second,
                                   const Work& times_t = {}, const Work& times = {}) {
    return [=](Pdhg& s) {
        const double *c = s.c, *lo = s.lo, *hi = s.hi, *b = s.b, *from_y = s.y, *bar = s.bar;
        const double *from_tau = s.tau_there, *from_sigma = s.sigma_there, *nothing = nullptr;
        double *x = s.x, *y = s.y;
        if (times_t) times_t();
        (*first)(times_t ? 0 : 1, times_t ? nothing : from_y, times_t ? 1 : 0, s.bar,
                 {{"x", x}, {"tau", from_tau}, {"c", c}, {"lo", lo}, {"hi", hi}});
        if (times) times();
        (*second)(times ? 0 : 1, times ? nothing : bar, times ? 1 : 0, s.ax,
                  {{"y", y}, {"sigma", from_sigma}, {"b", b}});
    };
}

/// What square_norm() gives after each of so many steps, by a plain loop.
template <typename Real>
History plain_history(const Pdhg& s, int count) {
    const PlainLoop<Real> a(s.a), t(s.t);
    const std::vector<Real> c(s.costs.begin(), s.costs.end()), b(s.bounds.begin(), s.bounds.end());
    std::vector<Real> x(c.size()), bar(x), y(b.size());
    History history{static_cast<double>(a.dot(c, c) + a.dot(b, b))};
    for (int k = 0; k < count; ++k) {
        const auto at_y = t.times(y);
        Real sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const Real next = std::clamp<Real>(x[i] + tau * (at_y[i] - c[i]), -1, 1);
            bar[i] = 2 * next - x[i];
            x[i] = next;
            sum += (bar[i] - c[i]) * (bar[i] - c[i]);
        }
        const auto ax = a.times(bar);
        for (std::size_t i = 0; i < y.size(); ++i) {
            y[i] += sigma * (b[i] - ax[i]);
            sum += (y[i] - b[i]) * (y[i] - b[i]);
        }
        history.push_back(static_cast<double>(sum));
    }
    return history;
}

}  // namespace

Json pdhg_line(const CsrMatrix& a, const Arguments& arguments) {
    Pdhg s(a, arguments);
    constexpr int checked = 10;
    Json json{{"rows", a.rows}, {"cols", a.cols}, {"nnz", a.nnz}};
    Comparison ways(arguments, json, plain_history<long double>(s, checked),
                    plain_history<double>(s, checked));
    const auto add = [&](const char* name, const std::function<void(Pdhg&)>& step) {
        ways.add(name,
                 {[&] { s.begin(); }, [&](int) { step(s); }, [&](int) { return s.square_norm(); }});
    };
    const auto fused = [&](const auto& what, const char* epilogue) {
        return std::make_shared<Fused>(what, epilogue, arguments);
    };
    const auto first = fused(s.t.view(), primal), second = fused(a.view(), dual);
    json["fused_kernels"] = {first->kernel(), second->kernel()};
    add("fused", step_of(first, second));
    const auto alone_primal = fused(a.cols, primal), alone_dual = fused(a.rows, dual);
    const Handle own = handle_of(a.view(), "", arguments);
    const Handle own_t = handle_of(s.t.view(), "", arguments);
    const auto product = [&](const Handle& handle, const double* from, double* to) -> Work {
        return [=, &handle, &arguments] { handle.apply(1.0, from, 0.0, to, {arguments.stream()}); };
    };
    json["kernels"] = {own_t.info().kernel, own.info().kernel};
    add("unfused",
        step_of(alone_primal, alone_dual, product(own_t, s.y, s.bar), product(own, s.bar, s.ax)));
    if (arguments.clocks == nullptr) return json;
    const CuSparse cusparse(arguments);
    const auto times_t =
        cusparse.fastest({s.t, static_cast<double*>(s.y), static_cast<double*>(s.bar)});
    const auto times =
        cusparse.fastest({a, static_cast<double*>(s.bar), static_cast<double*>(s.ax)});
    json["cusparse_way"] = times.way;
    add("cusparse", step_of(alone_primal, alone_dual, times_t.apply, times.apply));
    return json;
}

}  // namespace spmvgen::bench
