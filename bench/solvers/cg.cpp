// An iteration of conjugate gradient.
#include "steps.hpp"

namespace spmvgen::bench {
namespace {

/// The state of CG, and the steps of each way.
struct Cg {
    Cg(const CsrMatrix& a, const Arguments& arguments)
        : matrix(a), n(a.rows), device(*arguments.device) {}

    const CsrMatrix& matrix;
    std::int64_t n;
    Device& device;
    Numbers x{device, n}, r{device, n}, p{device, n}, q{device, n}, s{device, n};
    Numbers rr{device, 1}, next{device, 1}, pq{device, 1}, alpha{device, 1, 1},
        alpha2{device, 1, 1};
    Numbers minus{device, 1}, ratio{device, 1}, one{device, 1, 1};

    /// x = 0, r = b, and what each way begins with.
    void begin(const std::vector<double>& b) {
        const std::vector<double> zeros(b.size());
        x = zeros;
        q = zeros;
        s = zeros;
        r = b;
        p = b;
        double sum = 0;
        for (const double v : b) sum += v * v;
        rr = std::vector<double>{sum};
        next = std::vector<double>{INFINITY};
        alpha = std::vector<double>{1};
        alpha2 = std::vector<double>{1};
    }
};

/// One iteration from the sums in `now` to those in `then`.
using Iteration = std::function<void(Cg&, const Numbers& now, const Numbers& then)>;

/// Product with p·q; x, r and r·r; p.
Iteration three_kernels(const Cg& of, const Arguments& arguments) {
    const auto product =
        std::make_shared<Fused>(of.matrix.view(), "pq += p[row] * value; value", arguments);
    const auto update = std::make_shared<Fused>(
        of.n, "a = rr / pq; x[row] = x[row] + a * p[row]; t = value - a * q[row]; next += t * t; t",
        arguments);
    const auto turn = std::make_shared<Fused>(of.n, "r[row] + next / rr * value", arguments);
    return [=](Cg& c, const Numbers& now, const Numbers& then) {
        const double *p = c.p, *q = c.q, *r = c.r, *rr = now, *next = then, *pq = c.pq;
        double *x = c.x, *to_pq = c.pq, *to_next = then;
        (*product)(1, p, 0, c.q, {{"p", p}, {"pq", to_pq}});
        (*update)(0, nullptr, 1, c.r,
                  {{"rr", rr}, {"pq", pq}, {"x", x}, {"p", p}, {"q", q}, {"next", to_next}});
        (*turn)(0, nullptr, 1, c.p, {{"r", r}, {"next", next}, {"rr", rr}});
    };
}

/// After Chronopoulos and Gear: product of r with both sums; then all vectors. `now` has the last
/// r·r, `then` gets this one; q is Ar, and s = Ap.
Iteration two_kernels(const Cg& of, const Arguments& arguments) {
    const auto product = std::make_shared<Fused>(
        of.matrix.view(), "rr += r[row] * r[row]; rq += r[row] * value; value", arguments);
    const auto update = std::make_shared<Fused>(
        of.n,
        "b = rr / last; a = rr / (rq - b * rr / old); alpha[0] = a; np = r[row] + b * value; "
        "ns = q[row] + b * s[row]; s[row] = ns; x[row] = x[row] + a * np; "
        "r[row] = r[row] - a * ns; np",
        arguments);
    return [=](Cg& c, const Numbers& now, const Numbers& then) {
        const bool even = static_cast<double*>(now) == static_cast<double*>(c.next);
        const double *r = c.r, *q = c.q, *last = now, *rr = then, *rq = c.pq;
        const double* old = even ? c.alpha : c.alpha2;
        double *to_rr = then, *to_rq = c.pq, *to_alpha = even ? c.alpha2 : c.alpha;
        double *x = c.x, *s = c.s, *to_r = c.r;
        (*product)(1, r, 0, c.q, {{"r", r}, {"rr", to_rr}, {"rq", to_rq}});
        (*update)(0, nullptr, 1, c.p,
                  {{"rr", rr},
                   {"last", last},
                   {"rq", rq},
                   {"old", old},
                   {"alpha", to_alpha},
                   {"r", to_r},
                   {"q", q},
                   {"s", s},
                   {"x", x}});
    };
}

/// The product that is given, and cuBLAS; two quotients by a kernel of one row.
Iteration with_blas(const Work& product, std::shared_ptr<Blas> blas, const Arguments& arguments) {
    const auto quotients =
        std::make_shared<Fused>(1, "a = upper / lower; minus[0] = -a; a", arguments);
    return [=](Cg& c, const Numbers& now, const Numbers& then) {
        double *alpha = c.alpha, *minus = c.minus, *ratio = c.ratio;
        const double *rr = now, *pq = c.pq, *next = then;
        product();
        blas->dot(c.n, c.p, c.q, c.pq);
        (*quotients)(0, nullptr, 0, alpha, {{"upper", rr}, {"lower", pq}, {"minus", minus}});
        blas->axpy(c.n, alpha, c.p, c.x);
        blas->axpy(c.n, minus, c.q, c.r);
        blas->dot(c.n, c.r, c.r, then);
        (*quotients)(0, nullptr, 0, ratio, {{"upper", next}, {"lower", rr}, {"minus", minus}});
        blas->scal(c.n, ratio, c.p);
        blas->axpy(c.n, c.one, c.r, c.p);
    };
}

/// r·r of so many iterations, by a plain loop.
template <typename Real>
History plain_history(const CsrMatrix& m, const std::vector<double>& b, int count) {
    const PlainLoop<Real> a(m);
    std::vector<Real> r(b.begin(), b.end()), p = r;
    Real rr = a.dot(r, r);
    History history{static_cast<double>(rr)};
    for (int k = 0; k < count; ++k) {
        const auto q = a.times(p);
        const Real alpha = rr / a.dot(p, q);
        for (std::size_t i = 0; i < r.size(); ++i) r[i] -= alpha * q[i];
        const Real next = a.dot(r, r);
        for (std::size_t i = 0; i < p.size(); ++i) p[i] = r[i] + next / rr * p[i];
        rr = next;
        history.push_back(static_cast<double>(rr));
    }
    return history;
}

/// `late`: iterations by which the way tells r·r later.
Way way_of(Cg& c, const std::vector<double>& b, const Iteration& iterate, int late = 0) {
    const auto even = [late](int k) { return (k + late) % 2 == 0; };
    return {[&c, &b] { c.begin(b); },
            [=, &c](int k) { iterate(c, even(k) ? c.rr : c.next, even(k) ? c.next : c.rr); },
            [=, &c](int k) { return (even(k) ? c.next : c.rr).first(); }, late};
}

}  // namespace

Json cg_line(const CsrMatrix& m, const Arguments& arguments) {
    Cg c(m, arguments);
    const std::vector<double> b = random_numbers(m.rows, 3);
    constexpr int checked = 20;
    Json json{{"rows", m.rows}, {"nnz", m.nnz}};
    Comparison ways(arguments, json, plain_history<long double>(m, b, checked),
                    plain_history<double>(m, b, checked));
    ways.add("three_kernels", way_of(c, b, three_kernels(c, arguments)));
    ways.add("two_kernels", way_of(c, b, two_kernels(c, arguments), 1));
    const Handle own = handle_of(m.view(), "", arguments);
    json["kernel"] = own.info().kernel;
    const Work product = [&] {
        own.apply(1.0, static_cast<const double*>(c.p), 0.0, static_cast<double*>(c.q),
                  {arguments.stream()});
    };
    product();
    if (arguments.cublas.empty()) return json;
    if (arguments.clocks != nullptr) json["product_us"] = arguments.us(product);
    const auto blas = std::make_shared<Blas>(arguments.cublas, arguments.stream());
    ways.add("own_and_cublas", way_of(c, b, with_blas(product, blas, arguments)));
    if (arguments.clocks == nullptr) return json;
    const CuSparse cusparse(arguments);
    const auto peer = cusparse.fastest({m, static_cast<double*>(c.p), static_cast<double*>(c.q)});
    json["cusparse"] = peer.way;
    json["cusparse_product_us"] = peer.us;
    ways.add("cusparse_and_cublas", way_of(c, b, with_blas(peer.apply, blas, arguments)));
    return json;
}

}  // namespace spmvgen::bench
