// A step of PDHG, the first-order method of linear programs.
#include "steps.hpp"

namespace spmvgen::bench {

/// x = clamp(x + τ(Aᵀy - c)), x̄ = 2x - x_old; y = y + σ(b - Ax̄).
Json pdhg_line(const CsrMatrix& a, const Arguments& arguments) {
    Device& device = *arguments.device;
    void* const stream = arguments.stream();
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
           {"hi", from_hi}});
    };
    const auto of_dual = [&](const Fused& f, double alpha, const double* in, double beta,
                             double* out) {
        const double *from_b = b, *from_sigma = sigma;
        f(alpha, in, beta, out,
          {{"y", static_cast<double*>(y)}, {"sigma", from_sigma}, {"b", from_b}});
    };
    Json json{{"rows", a.rows}, {"cols", a.cols}, {"nnz", a.nnz}};
    const auto time = [&](const char* name, const Work& step) {
        step();
        device.synchronize({stream});
        json[name] = arguments.us(step);
    };
    time("fused_us", [&] {
        of_primal(fused_primal, 1, y, 0, bar);
        of_dual(fused_dual, 1, bar, 0, ax);
    });
    const Handle own(a.view(), options_of(arguments.device_name, "")),
        own_t(t.view(), options_of(arguments.device_name, ""));
    time("unfused_us", [&] {
        own_t.apply(1.0, static_cast<const double*>(y), 0.0, static_cast<double*>(at_y), {stream});
        of_primal(alone_primal, 0, nullptr, 1, at_y);
        own.apply(1.0, static_cast<const double*>(at_y), 0.0, static_cast<double*>(ax), {stream});
        of_dual(alone_dual, 0, nullptr, 1, ax);
    });
    const CuSparse cusparse(arguments);
    const auto times_t = cusparse.fastest({t, static_cast<double*>(y), static_cast<double*>(at_y)});
    const auto times = cusparse.fastest({a, static_cast<double*>(at_y), static_cast<double*>(ax)});
    time("cusparse_us", [&] {
        times_t.apply();
        of_primal(alone_primal, 0, nullptr, 1, at_y);
        times.apply();
        of_dual(alone_dual, 0, nullptr, 1, ax);
    });
    return json;
}

}  // namespace spmvgen::bench
