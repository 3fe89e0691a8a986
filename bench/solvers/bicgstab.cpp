// An iteration of BiCGSTAB.
#include "../../examples/common/epilogues.hpp"
#include "steps.hpp"

namespace spmvgen::bench {
namespace {

/// The state of BiCGSTAB; s is in the place of r. r·shadow is in one of two numbers by turns.
struct BiCgStab {
    BiCgStab(const CsrMatrix& a, const Arguments& arguments)
        : matrix(a), n(a.rows), device(*arguments.device) {}

    const CsrMatrix& matrix;
    std::int64_t n;
    Device& device;
    Numbers x{device, n}, r{device, n}, shadow{device, n}, p{device, n}, v{device, n}, t{device, n};
    Numbers rho0{device, 1}, rho1{device, 1}, rr{device, 1}, rv{device, 1}, ts{device, 1},
        tt{device, 1}, ss{device, 1}, st{device, 1};
    Numbers alpha{device, 1}, omega{device, 1}, beta{device, 1}, minus_alpha{device, 1},
        minus_omega{device, 1}, one{device, 1, 1};

    void begin(const std::vector<double>& b) {
        x = std::vector<double>(b.size());
        r = b;
        shadow = b;
        p = b;
        double sum = 0;
        for (const double value : b) sum += value * value;
        rho0 = std::vector<double>{sum};
    }
};

using Iteration = std::function<void(BiCgStab&, const Numbers& rho, const Numbers& next)>;

/// Ap, s, As and what is left, with the sums between.
Iteration four_kernels(const BiCgStab& of, const Arguments& arguments) {
    const auto fused = [&](const auto& what, const char* epilogue) {
        return std::make_shared<Fused>(what, epilogue, arguments);
    };
    const auto product_of_p = fused(of.matrix.view(), bicgstab::product_of_p);
    const auto half_step = fused(of.n, bicgstab::half_step);
    const auto product_of_s = fused(of.matrix.view(), bicgstab::product_of_s);
    const auto update = fused(of.n, bicgstab::update);
    return [=](BiCgStab& c, const Numbers& now, const Numbers& then) {
        const double *rho = now, *rv = c.rv, *ts = c.ts, *tt = c.tt, *ss = c.ss, *st = c.st;
        const double *shadow = c.shadow, *v = c.v, *t = c.t, *s = c.r;
        double *to_rv = c.rv, *to_ts = c.ts, *to_tt = c.tt, *to_ss = c.ss, *to_st = c.st;
        double *x = c.x, *r = c.r, *next = then, *rr = c.rr;
        (*product_of_p)(1, c.p, 0, c.v, {{"shadow", shadow}, {"rv", to_rv}});
        (*half_step)(0, nullptr, 1, c.r, {{"rho", rho}, {"rv", rv}, {"v", v}});
        (*product_of_s)(1, s, 0, c.t,
                        {{"r", s},
                         {"shadow", shadow},
                         {"ts", to_ts},
                         {"tt", to_tt},
                         {"ss", to_ss},
                         {"st", to_st}});
        (*update)(0, nullptr, 1, c.p,
                  {{"rho", rho},
                   {"rv", rv},
                   {"ts", ts},
                   {"tt", tt},
                   {"ss", ss},
                   {"st", st},
                   {"next", next},
                   {"x", x},
                   {"r", r},
                   {"t", t},
                   {"v", v},
                   {"rr", rr}});
    };
}

/// The products that are given, and cuBLAS; quotients by kernels of one row.
Iteration with_blas(const Work& product_of_p, const Work& product_of_s, std::shared_ptr<Blas> blas,
                    const Arguments& arguments) {
    const auto quotient =
        std::make_shared<Fused>(1, "a = upper / lower; minus[0] = -a; a", arguments);
    const auto for_p = std::make_shared<Fused>(1, "next / rho * alpha / omega", arguments);
    return [=](BiCgStab& c, const Numbers& now, const Numbers& then) {
        const double *rho = now, *next = then, *rv = c.rv, *ts = c.ts, *tt = c.tt;
        const double *alpha = c.alpha, *omega = c.omega;
        double *minus_alpha = c.minus_alpha, *minus_omega = c.minus_omega;
        product_of_p();
        blas->dot(c.n, c.shadow, c.v, c.rv);
        (*quotient)(0, nullptr, 0, c.alpha,
                    {{"upper", rho}, {"lower", rv}, {"minus", minus_alpha}});
        blas->axpy(c.n, minus_alpha, c.v, c.r);
        product_of_s();
        blas->dot(c.n, c.t, c.r, c.ts);
        blas->dot(c.n, c.t, c.t, c.tt);
        (*quotient)(0, nullptr, 0, c.omega, {{"upper", ts}, {"lower", tt}, {"minus", minus_omega}});
        blas->axpy(c.n, alpha, c.p, c.x);
        blas->axpy(c.n, omega, c.r, c.x);
        blas->axpy(c.n, minus_omega, c.t, c.r);
        blas->dot(c.n, c.shadow, c.r, then);
        blas->dot(c.n, c.r, c.r, c.rr);
        (*for_p)(0, nullptr, 0, c.beta,
                 {{"next", next}, {"rho", rho}, {"alpha", alpha}, {"omega", omega}});
        blas->axpy(c.n, minus_omega, c.v, c.p);
        blas->scal(c.n, c.beta, c.p);
        blas->axpy(c.n, c.one, c.r, c.p);
    };
}

/// r·r of so many iterations, by a plain loop.
template <typename Real>
History plain_history(const CsrMatrix& m, const std::vector<double>& b, int count) {
    const PlainLoop<Real> a(m);
    std::vector<Real> r(b.begin(), b.end()), p = r;
    const std::vector<Real> shadow = r;
    Real rho = a.dot(r, r);
    History history{static_cast<double>(rho)};
    for (int k = 0; k < count; ++k) {
        const auto v = a.times(p);
        const Real alpha = rho / a.dot(shadow, v);
        for (std::size_t i = 0; i < r.size(); ++i) r[i] -= alpha * v[i];
        const auto t = a.times(r);
        const Real omega = a.dot(t, r) / a.dot(t, t);
        for (std::size_t i = 0; i < r.size(); ++i) r[i] -= omega * t[i];
        const Real next = a.dot(shadow, r), beta = next / rho * alpha / omega;
        for (std::size_t i = 0; i < p.size(); ++i) p[i] = r[i] + beta * (p[i] - omega * v[i]);
        rho = next;
        history.push_back(static_cast<double>(a.dot(r, r)));
    }
    return history;
}

Way way_of(BiCgStab& c, const std::vector<double>& b, const Iteration& iterate) {
    return {
        [&c, &b] { c.begin(b); },
        [=, &c](int k) { iterate(c, k % 2 == 0 ? c.rho0 : c.rho1, k % 2 == 0 ? c.rho1 : c.rho0); },
        [&c](int) { return c.rr.first(); }};
}

}  // namespace

Json bicgstab_line(const CsrMatrix& m, const Arguments& arguments) {
    BiCgStab c(m, arguments);
    const std::vector<double> b = random_numbers(m.rows, 3);
    constexpr int checked = 12;
    Json json{{"rows", m.rows}, {"nnz", m.nnz}};
    Comparison ways(arguments, json, plain_history<long double>(m, b, checked),
                    plain_history<double>(m, b, checked));
    ways.add("four_kernels", way_of(c, b, four_kernels(c, arguments)));
    const Handle own = handle_of(m.view(), "", arguments);
    json["kernel"] = own.info().kernel;
    const auto product = [&](const double* from, double* to) -> Work {
        return [=, &own, &arguments] { own.apply(1.0, from, 0.0, to, {arguments.stream()}); };
    };
    product(c.p, c.v)();
    if (arguments.cublas.empty()) return json;
    const auto blas = std::make_shared<Blas>(arguments.cublas, arguments.stream());
    if (arguments.clocks != nullptr) json["product_us"] = arguments.us(product(c.p, c.v));
    ways.add("own_and_cublas",
             way_of(c, b, with_blas(product(c.p, c.v), product(c.r, c.t), blas, arguments)));
    if (arguments.clocks == nullptr) return json;
    const CuSparse cusparse(arguments);
    const auto of_p = cusparse.fastest({m, static_cast<double*>(c.p), static_cast<double*>(c.v)});
    const auto of_s = cusparse.fastest({m, static_cast<double*>(c.r), static_cast<double*>(c.t)});
    json["cusparse"] = of_p.way;
    json["cusparse_product_us"] = of_p.us;
    ways.add("cusparse_and_cublas",
             way_of(c, b, with_blas(of_p.apply, of_s.apply, blas, arguments)));
    return json;
}

}  // namespace spmvgen::bench
