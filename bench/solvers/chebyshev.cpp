// Chebyshev smoothing of degree 4.
#include <array>

#include "../../examples/common/epilogues.hpp"
#include "steps.hpp"

namespace spmvgen::bench {
namespace {

constexpr int steps = 4;
// Of an M-matrix by its diagonal no eigenvalue is above 2.
constexpr double lowest = 0.2, highest = 2;

std::vector<double> inverse_diagonal(const CsrMatrix& m) {
    const auto row_ptr = m.row_ptr.as<std::int32_t>(), col_idx = m.col_idx.as<std::int32_t>();
    const auto values = m.values.as<double>();
    std::vector<double> inverse(static_cast<std::size_t>(m.rows));
    for (std::size_t i = 0; i < inverse.size(); ++i)
        for (auto e = static_cast<std::size_t>(row_ptr[i]);
             e < static_cast<std::size_t>(row_ptr[i + 1]); ++e)
            if (static_cast<std::size_t>(col_idx[e]) == i) inverse[i] = 1 / values[e];
    return inverse;
}

/// The state. Steps lead from x to the other vector and back.
struct Chebyshev {
    Chebyshev(const CsrMatrix& a, const std::vector<double>& right, const Arguments& arguments)
        : matrix(a), n(a.rows), b(right), inverse(inverse_diagonal(a)), device(*arguments.device) {
        const chebyshev::Numbers<steps> numbers(lowest, highest);
        std::vector<double> scaled(b);
        for (std::size_t i = 0; i < b.size(); ++i) scaled[i] *= inverse[i];
        on_device.b = b;
        on_device.inverse = inverse;
        on_device.scaled = scaled;
        for (int k = 0; k < steps; ++k) {
            keep[k] = std::vector<double>{numbers.keep[k]};
            add[k] = std::vector<double>{numbers.add[k]};
            subtract[k] = std::vector<double>{-numbers.add[k]};
        }
    }
    void begin() {
        const std::vector<double> zeros(b.size());
        for (Numbers* vector : {&x, &other, &d}) *vector = zeros;
    }

    const CsrMatrix& matrix;
    std::int64_t n;
    std::vector<double> b, inverse;
    Device& device;
    struct {
        Numbers b, inverse, scaled;
    } on_device{{device, n}, {device, n}, {device, n}};
    Numbers x{device, n}, other{device, n}, d{device, n}, one{device, 1, 1};
    Numbers keep[steps]{{device, 1}, {device, 1}, {device, 1}, {device, 1}};
    Numbers add[steps]{{device, 1}, {device, 1}, {device, 1}, {device, 1}};
    Numbers subtract[steps]{{device, 1}, {device, 1}, {device, 1}, {device, 1}};
};

/// One smoothing.
using Smoothing = std::function<void(Chebyshev&)>;
/// The product from x to the other vector, and back.
using Products = std::array<Work, 2>;

/// The epilogue of a product, or, with the products that are given, a kernel of its own.
Smoothing fused(std::shared_ptr<Fused> step, const Products& products = {}) {
    return [=](Chebyshev& c) {
        for (int k = 0; k < steps; ++k) {
            const bool back = k % 2 == 1;
            const double *from = back ? c.other : c.x, *b = c.on_device.b;
            const double *inverse = c.on_device.inverse, *keep = c.keep[k], *add = c.add[k];
            double *to = back ? c.x : c.other, *d = c.d;
            const Work& product = products[back ? 1 : 0];
            if (product) product();
            (*step)(product ? 0 : 1, product ? nullptr : from, product ? 1 : 0, to,
                    {{"x", from},
                     {"b", b},
                     {"inverse", inverse},
                     {"d", d},
                     {"keep", keep},
                     {"add", add}});
        }
    };
}

/// The product from x to the other vector, and cuBLAS; D⁻¹b was made before.
Smoothing with_blas(const Work& product, std::shared_ptr<Blas> blas) {
    return [=](Chebyshev& c) {
        for (int k = 0; k < steps; ++k) {
            product();
            blas->multiply(c.n, c.on_device.inverse, c.other);
            blas->scal(c.n, c.keep[k], c.d);
            blas->axpy(c.n, c.add[k], c.on_device.scaled, c.d);
            blas->axpy(c.n, c.subtract[k], c.other, c.d);
            blas->axpy(c.n, c.one, c.d, c.x);
        }
    };
}

/// r·r of so many smoothings, by a plain loop.
template <typename Real>
History plain_history(const Chebyshev& c, int count) {
    const PlainLoop<Real> a(c.matrix);
    const chebyshev::Numbers<steps> numbers(lowest, highest);
    const std::vector<Real> b(c.b.begin(), c.b.end());
    std::vector<Real> x(b.size()), d(b.size());
    History history{static_cast<double>(a.dot(b, b))};
    for (int k = 0; k < count * steps; ++k) {
        const auto r = a.residual(b, x);
        for (std::size_t i = 0; i < x.size(); ++i) {
            d[i] = numbers.keep[k % steps] * d[i] + numbers.add[k % steps] * c.inverse[i] * r[i];
            x[i] += d[i];
        }
        if (k % steps != steps - 1) continue;
        const auto left = a.residual(b, x);
        history.push_back(static_cast<double>(a.dot(left, left)));
    }
    return history;
}

Way way_of(Chebyshev& c, const Smoothing& smooth) {
    return {[&c] { c.begin(); }, [=, &c](int) { smooth(c); },
            [&c](int) {
                const PlainLoop<double> a(c.matrix);
                const auto left = a.residual(c.b, c.x.all());
                return a.dot(left, left);
            }};
}

}  // namespace

Json chebyshev_line(const CsrMatrix& m, const Arguments& arguments) {
    Chebyshev c(m, random_numbers(m.rows, 3), arguments);
    constexpr int checked = 5;
    Json json{{"rows", m.rows}, {"nnz", m.nnz}};
    Comparison ways(arguments, json, plain_history<long double>(c, checked),
                    plain_history<double>(c, checked));
    const auto step = std::make_shared<Fused>(m.view(), chebyshev::step, arguments);
    json["fused_kernel"] = step->kernel();
    ways.add("one_kernel", way_of(c, fused(step)));
    const auto alone = std::make_shared<Fused>(m.rows, chebyshev::step, arguments);
    const Handle own = handle_of(m.view(), "", arguments);
    json["kernel"] = own.info().kernel;
    const auto product = [&](const double* from, double* to) -> Work {
        return [=, &own, &arguments] { own.apply(1.0, from, 0.0, to, {arguments.stream()}); };
    };
    const Products owns{product(c.x, c.other), product(c.other, c.x)};
    ways.add("own_and_kernel", way_of(c, fused(alone, owns)));
    if (arguments.cublas.empty()) return json;
    if (arguments.clocks != nullptr) json["product_us"] = arguments.us(owns[0]);
    const auto blas = std::make_shared<Blas>(arguments.cublas, arguments.stream());
    ways.add("own_and_cublas", way_of(c, with_blas(owns[0], blas)));
    if (arguments.clocks == nullptr) return json;
    const CuSparse cusparse(arguments);
    const auto there =
        cusparse.fastest({m, static_cast<double*>(c.x), static_cast<double*>(c.other)});
    const auto back =
        cusparse.fastest({m, static_cast<double*>(c.other), static_cast<double*>(c.x)});
    json["cusparse"] = there.way;
    json["cusparse_product_us"] = there.us;
    ways.add("cusparse_and_kernel", way_of(c, fused(alone, {there.apply, back.apply})));
    ways.add("cusparse_and_cublas", way_of(c, with_blas(there.apply, blas)));
    return json;
}

}  // namespace spmvgen::bench
