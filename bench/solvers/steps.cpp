#include "steps.hpp"

#include <algorithm>

namespace spmvgen::bench {

namespace {

/// The relative difference of two residuals that are given by their squares.
double difference(double found, double exact) {
    const double off = std::fabs(std::sqrt(found) - std::sqrt(exact)) / std::sqrt(exact);
    return std::isfinite(off) ? off : INFINITY;
}

}  // namespace

Comparison::Comparison(const Arguments& arguments, Json& line, History exact, const History& plain)
    : arguments_(arguments), line_(line), exact_(std::move(exact)) {
    std::size_t counted = 1;
    while (counted < exact_.size() && difference(plain[counted], exact_[counted]) < allowed / 10)
        ++counted;
    exact_.resize(counted);
    line_["compared"] = counted - 1;
    line_["residual_left"] = std::sqrt(exact_.back() / exact_.front());
}

double Comparison::error_of(const Way& way) const {
    way.begin();
    double worst = 0;
    const int last = static_cast<int>(exact_.size()) - 1 + way.late;
    for (int k = 0; k < last; ++k) {
        way.iterate(k);
        arguments_.device->synchronize({arguments_.stream()});
        if (k < way.late) continue;
        const double exact = exact_[static_cast<std::size_t>(k + 1 - way.late)];
        worst = std::max(worst, difference(way.square_norm(k), exact));
    }
    return worst;
}

void Comparison::add(const std::string& name, const Way& way) {
    const double error = error_of(way);
    line_[name + "_error"] = error;
    const char* const wrong = exact_.size() <= fewest
                                  ? "rounding decides the residuals of a plain loop"
                              : error > allowed ? "residuals differ from those of a plain loop"
                                                : nullptr;
    if (wrong != nullptr) {
        line_[name + "_wrong"] = wrong;
        return;
    }
    if (arguments_.clocks == nullptr) return;
    way.begin();
    const auto two = [&] {
        way.iterate(0);
        way.iterate(1);
    };
    line_[name + "_us"] = arguments_.us(two) / 2;
}

}  // namespace spmvgen::bench
