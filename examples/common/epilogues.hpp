#pragma once
// The steps of two solvers as epilogues: what a kernel does with `value`, an element of its
// product, in row `row`. `name[row]` is an element of a vector, a bare name is a number on the
// device.

/// BiCGSTAB after van der Vorst, four kernels an iteration. `shadow` is the first residual.
/// r·shadow of the next iteration comes from sums that are there before r is, so p needs no kernel
/// of its own.
namespace bicgstab {

/// v = Ap, and v·shadow.
inline constexpr const char* product_of_p = "rv += shadow[row] * value; value";
/// s = r - αv, in the place of r.
inline constexpr const char* half_step = "value - (rv != 0 ? rho / rv : 0) * v[row]";
/// t = As, and the sums with it; s is in the place of r.
inline constexpr const char* product_of_s =
    "ts += value * r[row]; tt += value * value; "
    "ss += shadow[row] * r[row]; st += shadow[row] * value; value";
/// x, r = s - ωt with r·r, and p.
inline constexpr const char* update =
    "alpha = rv != 0 ? rho / rv : 0; omega = tt != 0 ? ts / tt : 0; sum = ss - omega * st; "
    "beta = rho * omega != 0 ? sum / rho * (alpha / omega) : 0; next[0] = sum; "
    "x[row] = x[row] + alpha * value + omega * r[row]; "
    "left = r[row] - omega * t[row]; r[row] = left; rr += left * left; "
    "left + beta * (value - omega * v[row])";

}  // namespace bicgstab

/// Chebyshev smoothing after Saad, Iterative Methods, algorithm 12.1, with the diagonal: a kernel a
/// step. `keep` and `add` are numbers of the step, `d` is the last change of x.
namespace chebyshev {

/// x + d of a product with x, for another vector than x.
inline constexpr const char* step =
    "change = keep * d[row] + add * inverse[row] * (b[row] - value); d[row] = change; "
    "x[row] + change";

/// The numbers of the steps for the eigenvalues of D⁻¹A in lowest … highest.
template <int steps>
struct Numbers {
    Numbers(double lowest, double highest) {
        const double middle = (highest + lowest) / 2, half = (highest - lowest) / 2;
        double rho = half / middle;
        keep[0] = 0;
        add[0] = 1 / middle;
        for (int k = 1; k < steps; ++k) {
            const double next = 1 / (2 * middle / half - rho);
            keep[k] = next * rho;
            add[k] = 2 * next / half;
            rho = next;
        }
    }
    double keep[steps], add[steps];
};

}  // namespace chebyshev
