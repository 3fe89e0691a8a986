// An iteration of conjugate gradient and a step of PDHG on a GPU, in graphs of 100: with epilogues
// that do the work around the product, and with cuSPARSE and cuBLAS. A line of JSON for each
// matrix: microseconds (medians) by way, and how far the residuals of the first 20 iterations are
// from those of a plain loop on this CPU.
//     bench_solver_steps DEVICE [--cusparse=FILE] [--cublas=FILE] [--budget=MS] gallery:…|FILE…
// CG is of the symmetric M-matrix with the pattern of A + Aᵀ, PDHG of A as it is.
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "matrix/read/reader.hpp"
#include "matrix/suites/gallery.hpp"
#include "solver_parts.hpp"

namespace {

using namespace spmvgen;
using namespace spmvgen::bench;
using Json = nlohmann::ordered_json;

/// The state of CG, and the steps of each way; `two` iterations at a time.
struct Cg {
    Cg(const CsrMatrix& a, const Arguments& arguments, CudaClocks& clocks)
        : matrix(a), n(a.rows), device(*arguments.device), stream(clocks.stream()) {}

    const CsrMatrix& matrix;
    std::int64_t n;
    Device& device;
    void* stream;
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
        (*product)(1, p, 0, c.q, {{"p", p}, {"pq", to_pq}}, c.stream);
        (*update)(0, nullptr, 1, c.r,
                  {{"rr", rr}, {"pq", pq}, {"x", x}, {"p", p}, {"q", q}, {"next", to_next}},
                  c.stream);
        (*turn)(0, nullptr, 1, c.p, {{"r", r}, {"next", next}, {"rr", rr}}, c.stream);
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
        (*product)(1, r, 0, c.q, {{"r", r}, {"rr", to_rr}, {"rq", to_rq}}, c.stream);
        (*update)(0, nullptr, 1, c.p,
                  {{"rr", rr},
                   {"last", last},
                   {"rq", rq},
                   {"old", old},
                   {"alpha", to_alpha},
                   {"r", to_r},
                   {"q", q},
                   {"s", s},
                   {"x", x}},
                  c.stream);
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
        (*quotients)(0, nullptr, 0, alpha, {{"upper", rr}, {"lower", pq}, {"minus", minus}},
                     c.stream);
        blas->axpy(c.n, alpha, c.p, c.x);
        blas->axpy(c.n, minus, c.q, c.r);
        blas->dot(c.n, c.r, c.r, then);
        (*quotients)(0, nullptr, 0, ratio, {{"upper", next}, {"lower", rr}, {"minus", minus}},
                     c.stream);
        blas->scal(c.n, ratio, c.p);
        blas->axpy(c.n, c.one, c.r, c.p);
    };
}

/// r·r of the first iterations, by a plain loop.
std::vector<double> plain_history(const CsrMatrix& m, const std::vector<double>& b, int count) {
    const auto n = static_cast<std::size_t>(m.rows);
    const auto* ptr = m.row_ptr.as<std::int32_t>().data();
    const auto* col = m.col_idx.as<std::int32_t>().data();
    const auto* val = m.values.as<double>().data();
    std::vector<double> r = b, p = b, q(n), history;
    const auto dot = [&](const std::vector<double>& u, const std::vector<double>& v) {
        long double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += static_cast<long double>(u[i]) * v[i];
        return static_cast<double>(sum);
    };
    double rr = dot(r, r);
    for (int k = 0; k < count; ++k) {
        for (std::size_t i = 0; i < n; ++i) {
            q[i] = 0;
            for (std::int32_t e = ptr[i]; e < ptr[i + 1]; ++e)
                q[i] += val[e] * p[static_cast<std::size_t>(col[e])];
        }
        const double alpha = rr / dot(p, q);
        for (std::size_t i = 0; i < n; ++i) r[i] -= alpha * q[i];
        const double next = dot(r, r);
        for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + next / rr * p[i];
        rr = next;
        history.push_back(rr);
    }
    return history;
}

/// The largest relative difference of √(r·r), for as long as it is above 1e-8 of the first.
/// `shift`: iterations by which the way tells r·r later.
double history_error(Cg& c, const Iteration& iterate, bool shifted, const std::vector<double>& b,
                     const std::vector<double>& wanted) {
    c.begin(b);
    double worst = 0, first = 0;
    for (const double v : b) first += v * v;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        const bool even = k % 2 == 0;
        const Numbers& now = (even != shifted) ? c.rr : c.next;
        const Numbers& then = (even != shifted) ? c.next : c.rr;
        iterate(c, now, then);
        c.device.synchronize({c.stream});
        const double found = then.first();
        const double right = shifted ? (k == 0 ? first : wanted[k - 1]) : wanted[k];
        if (right < 1e-16 * first) break;
        worst = std::max(worst, std::fabs(std::sqrt(found) - std::sqrt(right)) / std::sqrt(right));
    }
    return worst;
}

double us_of(const CudaClocks& clocks, const Work& two, const TimingPlan& plan) {
    return 1e6 * clocks.in_graph(two, plan).median_s / 2;
}

Json cg_line(const CsrMatrix& m, const Arguments& arguments, CudaClocks& clocks) {
    Cg c(m, arguments, clocks);
    const std::vector<double> b = random_numbers(m.rows, 3);
    constexpr int checked = 20;
    const auto wanted = plain_history(m, b, checked);
    Json json{{"rows", m.rows}, {"nnz", m.nnz}};
    const auto time = [&](const char* name, const Iteration& iterate, bool shifted) {
        json[std::string(name) + "_error"] = history_error(c, iterate, shifted, b, wanted);
        c.begin(b);
        json[std::string(name) + "_us"] = us_of(
            clocks,
            [&] {
                iterate(c, shifted ? c.next : c.rr, shifted ? c.rr : c.next);
                iterate(c, shifted ? c.rr : c.next, shifted ? c.next : c.rr);
            },
            arguments.plan);
    };
    time("three_kernels", three_kernels(c, arguments), false);
    time("two_kernels", two_kernels(c, arguments), true);
    const Handle own(m.view(), options_of("cuda:0", ""));
    json["kernel"] = own.info().kernel;
    const Work product = [&] {
        own.apply(1.0, static_cast<const double*>(c.p), 0.0, static_cast<double*>(c.q), {c.stream});
    };
    product();
    json["product_us"] = 1e6 * clocks.in_graph(product, arguments.plan).median_s;
    if (arguments.cublas.empty()) return json;
    const auto blas = std::make_shared<Blas>(arguments.cublas, c.stream);
    time("own_and_cublas", with_blas(product, blas, arguments), false);
    const auto cusparse =
        peers::open_cusparse({arguments.device, 1, {c.stream}, arguments.cusparse});
    const Peer peer = fastest(*cusparse, {m, static_cast<double*>(c.p), static_cast<double*>(c.q)},
                              clocks, arguments.plan);
    json["cusparse"] = cusparse->version() + " " + peer.way;
    json["cusparse_product_us"] = peer.us;
    time("cusparse_and_cublas", with_blas(peer.apply, blas, arguments), false);
    return json;
}

/// x = clamp(x + τ(Aᵀy - c)), x̄ = 2x - x_old; y = y + σ(b - Ax̄).
Json pdhg_line(const CsrMatrix& a, const Arguments& arguments, CudaClocks& clocks) {
    Device& device = *arguments.device;
    void* const stream = clocks.stream();
    const CsrMatrix t = transpose(a.view(), false);
    Numbers x(device, a.cols), bar(device, a.cols), at_y(device, a.cols), c(device, a.cols),
        lo(device, a.cols, -1), hi(device, a.cols, 1), y(device, a.rows), ax(device, a.rows),
        b(device, a.rows), tau(device, 1, 1e-3), sigma(device, 1, 1e-3);
    c = random_numbers(a.cols, 4);
    b = random_numbers(a.rows, 5);
    const std::string primal =
        "t = fmin(fmax(x[row] + tau * (value - c[row]), lo[row]), hi[row]); d = 2 * t - x[row]; "
        "x[row] = t; d";
    const Fused fused_primal(t.view(), primal, arguments), alone_primal(a.cols, primal, arguments);
    const Fused fused_dual(a.view(), "y[row] = y[row] + sigma * (b[row] - value); value",
                           arguments);
    const Fused alone_dual(a.rows, "y[row] = y[row] + sigma * (b[row] - value); value", arguments);
    const auto of_primal = [&](const Fused& f, double alpha, const double* in, double beta,
                               double* out) {
        const double *from_c = c, *from_lo = lo, *from_hi = hi, *from_tau = tau;
        f(alpha, in, beta, out,
          {{"x", static_cast<double*>(x)},
           {"tau", from_tau},
           {"c", from_c},
           {"lo", from_lo},
           {"hi", from_hi}},
          stream);
    };
    const auto of_dual = [&](const Fused& f, double alpha, const double* in, double beta,
                             double* out) {
        const double *from_b = b, *from_sigma = sigma;
        f(alpha, in, beta, out,
          {{"y", static_cast<double*>(y)}, {"sigma", from_sigma}, {"b", from_b}}, stream);
    };
    Json json{{"rows", a.rows}, {"cols", a.cols}, {"nnz", a.nnz}};
    const auto time = [&](const char* name, const Work& step) {
        step();
        device.synchronize({stream});
        json[name] = 1e6 * clocks.in_graph(step, arguments.plan).median_s;
    };
    time("fused_us", [&] {
        of_primal(fused_primal, 1, y, 0, bar);
        of_dual(fused_dual, 1, bar, 0, ax);
    });
    const Handle own(a.view(), options_of("cuda:0", "")), own_t(t.view(), options_of("cuda:0", ""));
    time("unfused_us", [&] {
        own_t.apply(1.0, static_cast<const double*>(y), 0.0, static_cast<double*>(at_y), {stream});
        of_primal(alone_primal, 0, nullptr, 1, at_y);
        own.apply(1.0, static_cast<const double*>(at_y), 0.0, static_cast<double*>(ax), {stream});
        of_dual(alone_dual, 0, nullptr, 1, ax);
    });
    const auto cusparse = peers::open_cusparse({arguments.device, 1, {stream}, arguments.cusparse});
    const Peer times_t =
        fastest(*cusparse, {t, static_cast<double*>(y), static_cast<double*>(at_y)}, clocks,
                arguments.plan);
    const Peer times = fastest(*cusparse, {a, static_cast<double*>(at_y), static_cast<double*>(ax)},
                               clocks, arguments.plan);
    time("cusparse_us", [&] {
        times_t.apply();
        of_primal(alone_primal, 0, nullptr, 1, at_y);
        times.apply();
        of_dual(alone_dual, 0, nullptr, 1, ax);
    });
    return json;
}

int run(int argc, char** argv) {
    Arguments arguments;
    arguments.cusparse = take_option(argc, argv, "--cusparse=", "");
    arguments.cublas = take_option(argc, argv, "--cublas=", "");
    arguments.plan.budget_s = 1e-3 * take_number(argc, argv, "--budget=", 20);
    const std::string only = take_option(argc, argv, "--only=", "");
    auto words = take_words(argc, argv);
    if (words.size() < 2) throw Error(ErrorCode::invalid_argument, "give a device and matrices");
    arguments.device = open_device(words.front());
    CudaClocks clocks(0);
    for (auto& name : std::span(words).subspan(1)) {
        Json json{{"matrix", name}};
        try {
            const CsrMatrix a =
                convert_values((name.starts_with("gallery:") ? make_gallery_matrix(name.substr(8))
                                                             : read_matrix(name))
                                   .view(),
                               ValueType::f64);
            if (only != "pdhg" && a.rows == a.cols)
                json["cg"] = cg_line(m_matrix(a), arguments, clocks);
            if (only != "cg") json["pdhg"] = pdhg_line(a, arguments, clocks);
        } catch (const std::exception& error) {
            json["error"] = error.what();
        }
        std::cout << json.dump() << std::endl;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
