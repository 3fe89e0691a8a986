#include "verify/reference.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <sstream>
#include <type_traits>
#include <vector>

namespace spmvgen {
namespace {

/// Neumaier's compensated sum in extended precision.
struct CompensatedSum {
    long double sum = 0;
    long double lost = 0;
    void add(long double v) {
        const long double t = sum + v;
        if (std::isfinite(t))
            lost += std::fabs(sum) >= std::fabs(v) ? (sum - t) + v : (v - t) + sum;
        sum = t;
    }
    long double value() const { return sum + lost; }
};

template <typename T>
struct RealOf {
    using type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
    using type = T;
};

/// A compensated complex sum; for real types the imaginary part stays 0.
struct Accumulator {
    CompensatedSum re, im;
    long double magnitude = 0;

    template <typename T>
    void add_product(std::complex<T> a, std::complex<T> b) {
        const long double ar = a.real(), ai = a.imag(), br = b.real(), bi = b.imag();
        re.add(ar * br);
        re.add(-ai * bi);
        im.add(ar * bi);
        im.add(ai * br);
        magnitude += std::hypot(ar, ai) * std::hypot(br, bi);
    }
    template <typename T>
    void add_product(T a, T b) {
        const long double product = static_cast<long double>(a) * b;
        re.add(product);
        magnitude += std::fabs(product);
    }
    /// Multiplies the whole sum, as kernels do: where parts are infinite, the order matters.
    template <typename T>
    void scale(std::complex<T> factor) {
        if (factor == std::complex<T>(1)) return;
        const long double r = re.value(), i = im.value(), fr = factor.real(), fi = factor.imag();
        re = {fr * r - fi * i, 0};
        im = {fr * i + fi * r, 0};
        magnitude *= std::hypot(fr, fi);
    }
    template <typename T>
    void scale(T factor) {
        re = {factor * re.value(), 0};
        magnitude *= std::fabs(static_cast<long double>(factor));
    }
};

template <typename Real>
bool same_class(long double reference, Real computed) {
    if (std::isnan(reference)) return std::isnan(computed);
    return std::isinf(computed) && std::signbit(reference) == std::signbit(computed);
}

enum class Verdict { right, wrong, undecided };

/// One real component of y against its reference.
template <typename Real>
Verdict judge(long double reference, double magnitude, Real computed, double bound, double& ratio) {
    if (!std::isfinite(reference)) {
        ratio = same_class(reference, computed) ? 0 : std::numeric_limits<double>::infinity();
        return ratio == 0 ? Verdict::right : Verdict::wrong;
    }
    if (magnitude >= static_cast<double>(std::numeric_limits<Real>::max() / 2))
        return Verdict::undecided;
    const long double error = std::fabs(reference - computed);
    ratio = error == 0          ? 0
            : std::isnan(error) ? std::numeric_limits<double>::infinity()
                                : static_cast<double>(error / bound);
    return ratio <= 1 ? Verdict::right : Verdict::wrong;
}

/// What an element of y should be.
template <typename Value>
struct Expected {
    using Real = typename RealOf<Value>::type;
    static constexpr bool is_complex_value = !std::is_same_v<Real, Value>;

    std::array<long double, is_complex_value ? 2 : 1> parts{};
    double magnitude = 0;  ///< of the sum's terms
    double bound = 0;      ///< of the error

    struct Judgement {
        Verdict verdict;
        double ratio;
    };
    Judgement judge_value(Value y) const {
        double re = 0, im = 0;
        if constexpr (is_complex_value) {
            const Verdict v = judge(parts[0], magnitude, y.real(), bound, re);
            const Verdict w = judge(parts[1], magnitude, y.imag(), bound, im);
            return {std::max(v, w), std::max(re, im)};
        } else {
            const Verdict v = judge(parts[0], magnitude, y, bound, re);
            return {v, re};
        }
    }
    /// Notes what is to be said of y, an element of this row.
    void note(CheckResult& result, std::int64_t row, Value y) const {
        const Judgement j = judge_value(y);
        result.undecided += j.verdict == Verdict::undecided;
        result.wrong += j.verdict == Verdict::wrong;
        if (j.verdict != Verdict::undecided &&
            (result.worst_row < 0 || j.ratio > result.worst_ratio)) {
            result.worst_ratio = j.ratio;
            result.worst_row = row;
        }
    }
};

void merge(CheckResult& total, const CheckResult& part) {
    total.wrong += part.wrong;
    total.undecided += part.undecided;
    if (part.worst_row >= 0 &&
        (total.worst_row < 0 || part.worst_ratio > total.worst_ratio ||
         (part.worst_ratio == total.worst_ratio && part.worst_row < total.worst_row))) {
        total.worst_ratio = part.worst_ratio;
        total.worst_row = part.worst_row;
    }
}

/// Lets check_row(row, result) look at every row, in parallel.
template <typename CheckRow>
CheckResult check_rows(std::int64_t rows, const CheckRow& check_row) {
    CheckResult total;
#pragma omp parallel
    {
        CheckResult mine;
#pragma omp for schedule(dynamic, 1024) nowait
        for (std::int64_t row = 0; row < rows; ++row) check_row(row, mine);
#pragma omp critical(spmvgen_check)
        merge(total, mine);
    }
    total.passed = total.wrong == 0;
    return total;
}

/// Stored is the type of A's values, Value that of the vectors, which has all of A's numbers.
template <typename Stored, typename Value>
class Checker {
    using Real = typename RealOf<Value>::type;
    static constexpr bool is_complex_value = !std::is_same_v<Real, Value>;

  public:
    Checker(const CsrView& matrix, const Product& p)
        : a(matrix),
          product(p),
          alpha(*static_cast<const Value*>(p.alpha)),
          beta(*static_cast<const Value*>(p.beta)),
          wider_sums(p.accumulator.value_or(type_tag<Value>::value) != type_tag<Value>::value) {}

    CheckResult run() const {
        const auto* y = static_cast<const Value*>(product.y_after);
        const int k = product.num_rhs;
        return check_rows(a.rows, [&](std::int64_t row, CheckResult& mine) {
            for (int rhs = 0; rhs < k; ++rhs) expected(row, rhs).note(mine, row, y[row * k + rhs]);
        });
    }

    Expected<Value> expected(std::int64_t row, int rhs) const {
        const auto* x = static_cast<const Value*>(product.x);
        const auto* values = a.values_as<Stored>();
        const int k = product.num_rhs;
        Accumulator sum;
        if (alpha != Value(0)) {
            for (std::int64_t e = a.row_begin(row); e < a.row_begin(row + 1); ++e)
                sum.add_product(static_cast<Value>(values[e]), x[a.col(e) * k + rhs]);
            sum.scale(alpha);
        }
        long double old = sum.magnitude;
        if (beta != Value(0))
            sum.add_product(beta, static_cast<const Value*>(product.y_before)[row * k + rhs]);
        old = sum.magnitude - old;
        const long double bound =
            (is_complex_value ? 4 : 1) * (summing(sum, a.row_length(row)) + rounding(sum, old));
        Expected<Value> e;
        e.parts[0] = sum.re.value();
        if constexpr (is_complex_value) e.parts[1] = sum.im.value();
        e.magnitude = static_cast<double>(sum.magnitude);
        e.bound = static_cast<double>(bound);
        return e;
    }

  private:
    /// What `entries` products and what goes with them may lose.
    long double summing(const Accumulator& sum, std::int64_t entries) const {
        const auto lost = [&]<typename R>(R) {
            return static_cast<long double>(entries + 4) *
                   (std::numeric_limits<R>::epsilon() / 2.0L * sum.magnitude +
                    std::numeric_limits<R>::denorm_min());
        };
        return wider_sums ? lost(double{}) : lost(Real{});
    }
    /// What wider sums may lose on their way into y, of which `old` was there before.
    long double rounding(const Accumulator& sum, long double old) const {
        if (!wider_sums) return 0;
        const long double size =
            product.in_steps ? sum.magnitude : std::hypot(sum.re.value(), sum.im.value()) + old;
        return 4 * (std::numeric_limits<Real>::epsilon() / 2.0L * size +
                    std::numeric_limits<Real>::denorm_min());
    }

    const CsrView& a;
    const Product& product;
    const Value alpha, beta;
    const bool wider_sums;
};

/// Says in words what is wrong.
void tell(CheckResult& result, std::int64_t elements) {
    if (result.passed) return;
    std::ostringstream text;
    text << result.wrong << " of " << elements << " elements of y are wrong; the worst is in row "
         << result.worst_row << ": " << result.worst_ratio << " times the error bound";
    result.message = text.str();
}

}  // namespace

CheckResult check_product(const CsrView& matrix, const Product& product) {
    CheckResult result = dispatch(matrix.value_type, [&]<typename Stored>(Stored) {
        return dispatch(product.vectors.value_or(matrix.value_type), [&]<typename Value>(Value) {
            if constexpr (std::is_floating_point_v<Stored> == std::is_floating_point_v<Value>)
                return Checker<Stored, Value>(matrix, product).run();
            else
                return CheckResult{.passed = false, .message = "real and complex numbers"};
        });
    });
    if (!result.message.empty()) return result;
    tell(result, matrix.rows * product.num_rhs);
    return result;
}

struct ProductReference::Kept {
    virtual ~Kept() = default;
    virtual CheckResult check(const void* y) const = 0;
};

namespace {

template <typename Value>
class KeptOf final : public ProductReference::Kept {
  public:
    KeptOf(const CsrView& matrix, const void* x) : rows_(static_cast<std::size_t>(matrix.rows)) {
        const Value one(1), zero(0);
        const Product product{.alpha = &one, .x = x, .beta = &zero};
        const Checker<Value, Value> checker(matrix, product);
#pragma omp parallel for schedule(dynamic, 1024)
        for (std::int64_t row = 0; row < matrix.rows; ++row)
            rows_[static_cast<std::size_t>(row)] = checker.expected(row, 0);
    }
    CheckResult check(const void* y) const override {
        const auto* elements = static_cast<const Value*>(y);
        CheckResult result = check_rows(std::ssize(rows_), [&](std::int64_t row, CheckResult& r) {
            rows_[static_cast<std::size_t>(row)].note(r, row, elements[row]);
        });
        tell(result, std::ssize(rows_));
        return result;
    }

  private:
    std::vector<Expected<Value>> rows_;
};

}  // namespace

ProductReference::ProductReference(const CsrView& matrix, const void* x)
    : kept_(dispatch(matrix.value_type, [&](auto tag) -> std::unique_ptr<const Kept> {
          return std::make_unique<KeptOf<decltype(tag)>>(matrix, x);
      })) {}
ProductReference::~ProductReference() = default;
ProductReference::ProductReference(ProductReference&&) noexcept = default;
ProductReference& ProductReference::operator=(ProductReference&&) noexcept = default;

CheckResult ProductReference::check(const void* y) const {
    return kept_->check(y);
}

namespace {

// Products with the transpose and the conjugate: of a matrix that is made so first. Plain on
// purpose, and nothing of what is checked: runtime/matrix/transpose.hpp.

CheckResult check_conjugate(const CsrView& matrix, const Product& product) {
    return dispatch(matrix.value_type, [&]<typename Value>(Value) {
        const auto* from = static_cast<const Value*>(matrix.values);
        std::vector<Value> values(from, from + matrix.nnz);
        if constexpr (!std::is_floating_point_v<Value>)
            for (Value& value : values) value = std::conj(value);
        CsrView conjugated = matrix;
        conjugated.values = values.data();
        return check_product(conjugated, product);
    });
}

}  // namespace

CheckResult check_product(const CsrView& matrix, const Product& product, Op op) {
    if (op == Op::none) return check_product(matrix, product);
    if (op == Op::conjugate) return check_conjugate(matrix, product);
    const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    std::vector<std::int64_t> row_of(size(matrix.nnz)), order(size(matrix.nnz)), columns,
        row_ptr(size(matrix.cols + 1));
    for (std::int64_t row = 0; row < matrix.rows; ++row)
        for (std::int64_t k = matrix.row_begin(row); k < matrix.row_begin(row + 1); ++k)
            row_of[size(k)] = row;
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::int64_t k) { return matrix.col(k); });
    for (const std::int64_t k : order) {
        columns.push_back(row_of[size(k)]);
        ++row_ptr[size(matrix.col(k) + 1)];
    }
    std::partial_sum(row_ptr.begin(), row_ptr.end(), row_ptr.begin());
    return dispatch(matrix.value_type, [&]<typename Value>(Value) {
        std::vector<Value> values;
        for (const std::int64_t k : order) {
            Value value = matrix.values_as<Value>()[k];
            if constexpr (!std::is_floating_point_v<Value>)
                if (op == Op::conj_transpose) value = std::conj(value);
            values.push_back(value);
        }
        return check_product(
            csr_view(matrix.cols, matrix.rows, row_ptr.data(), columns.data(), values.data()),
            product);
    });
}

}  // namespace spmvgen
