#include "verify/epilogue_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "spmvgen/error.hpp"
#include "verify/epilogue_expression.hpp"

namespace spmvgen {
namespace {

using Kind = EpilogueStatement::Kind;

/// A number and how far the computed one may be from it.
struct Bounded {
    double number = 0;
    double error = 0;
};

/// The program ready to be evaluated.
struct Compiled {
    struct Statement {
        Kind kind;
        int target;  ///< number of the operand, or of the local value
        std::vector<ExpressionNode> nodes;
    };
    EpilogueProgram program;
    std::vector<Statement> statements;

    explicit Compiled(const std::string& epilogue) : program(parse_epilogue(epilogue)) {
        std::map<std::string, int> locals;
        for (auto& s : program.statements) {
            auto nodes = parse_expression(s, locals);
            int target = program.find(s.target);
            if (s.kind == Kind::local) {
                target = static_cast<int>(locals.size());
                locals[s.target] = target;
            }
            statements.push_back({s.kind, target, std::move(nodes)});
        }
    }
};

/// Evaluates the statements of one row after another.
class Evaluation {
  public:
    Evaluation(const Compiled& compiled, const EpilogueRun& run)
        : compiled_(compiled),
          run_(run),
          rounding_(run.type == ValueType::f32 ? 0x1p-24 : 0x1p-53),
          sums_(compiled.program.names.size()),
          magnitudes_(sums_.size()),
          largest_(sums_.size(), {-INFINITY, 0}) {}

    std::string check() {
        for (std::size_t row = 0; row < run_.value.size(); ++row)
            if (auto wrong = check_row(row); !wrong.empty()) return wrong;
        return any_undecided_ ? "" : check_reductions();
    }

  private:
    std::string check_row(std::size_t row) {
        row_ = row;
        undecided_ = false;
        locals_.clear();
        written_.clear();
        for (auto& s : compiled_.statements) {
            const Bounded v = evaluate(s.nodes, static_cast<int>(s.nodes.size()) - 1);
            if (undecided_) {
                any_undecided_ = true;
                return "";
            }
            const auto target = static_cast<std::size_t>(std::max(s.target, 0));
            switch (s.kind) {
                case Kind::local:
                    locals_.push_back(rounded(v));
                    break;
                case Kind::store:
                    written_[s.target] = rounded(v);
                    break;
                case Kind::number:
                    if (row == 0 && !agrees(v, run_.after[target][0]))
                        return difference(compiled_.program.names[target].name, v,
                                          run_.after[target][0]);
                    break;
                case Kind::sum:
                    sums_[target].number += v.number;
                    sums_[target].error += v.error;
                    magnitudes_[target] += std::fabs(v.number);
                    break;
                case Kind::maximum:
                    largest_[target].number = std::max(largest_[target].number, v.number);
                    largest_[target].error = std::max(largest_[target].error, v.error);
                    break;
                case Kind::result:
                    if (!agrees(v, run_.y[row]))
                        return difference(fmt::format("y[{}]", row), v, run_.y[row]);
                    break;
            }
        }
        for (auto& [operand, v] : written_) {
            const double found = run_.after[static_cast<std::size_t>(operand)][row];
            if (!agrees(v, found))
                return difference(
                    fmt::format("{}[{}]",
                                compiled_.program.names[static_cast<std::size_t>(operand)].name,
                                row),
                    v, found);
        }
        return "";
    }

    std::string check_reductions() {
        for (std::size_t i = 0; i < sums_.size() && !run_.value.empty(); ++i) {
            const EpilogueName& name = compiled_.program.names[i];
            if (!is_reduction(name.role)) continue;
            Bounded wanted = largest_[i];
            if (name.role == OperandRole::sum)
                wanted = {sums_[i].number,
                          sums_[i].error + static_cast<double>(run_.value.size() + 64) * 0x1p-52 *
                                               magnitudes_[i]};
            if (!agrees(wanted, run_.after[i][0]))
                return difference(name.name, wanted, run_.after[i][0]);
        }
        return "";
    }

    Bounded rounded(const Bounded& v) const {
        return {v.number, v.error + rounding_ * std::fabs(v.number)};
    }
    bool agrees(const Bounded& wanted, double found) const {
        if (std::isnan(wanted.number)) return std::isnan(found);
        if (std::isinf(wanted.number) || std::isinf(found)) return wanted.number == found;
        const double allowed = 4 * (wanted.error + rounding_ * std::fabs(wanted.number)) + 1e-300;
        return std::fabs(found - wanted.number) <= allowed;
    }
    static std::string difference(const std::string& what, const Bounded& wanted, double found) {
        return fmt::format("{} is {}, but the epilogue gives {}", what, found, wanted.number);
    }

    Bounded evaluate(const std::vector<ExpressionNode>& nodes, int at) {
        const ExpressionNode& n = nodes[static_cast<std::size_t>(at)];
        const auto operand = [&](std::size_t i) { return evaluate(nodes, n.of[i]); };
        const auto index = static_cast<std::size_t>(n.index);
        switch (n.operation) {
            case ExpressionOperation::number:
                return {n.number, 0};
            case ExpressionOperation::value:
                return {run_.value[row_], 0};
            case ExpressionOperation::row:
                return {static_cast<double>(row_), 0};
            case ExpressionOperation::local:
                return locals_[index];
            case ExpressionOperation::operand: {
                if (const auto own = written_.find(n.index); own != written_.end())
                    return own->second;
                const auto& data = run_.before[index];
                return {data[is_vector(compiled_.program.names[index].role) ? row_ : 0], 0};
            }
            case ExpressionOperation::choice:
                return is_true(operand(0)) ? operand(1) : operand(2);
            case ExpressionOperation::both:
                return truth(is_true(operand(0)) && is_true(operand(1)));
            case ExpressionOperation::either:
                return truth(is_true(operand(0)) || is_true(operand(1)));
            case ExpressionOperation::negated:
                return truth(!is_true(operand(0)));
            case ExpressionOperation::negative: {
                const Bounded a = operand(0);
                return {-a.number, a.error};
            }
            case ExpressionOperation::fabs: {
                const Bounded a = operand(0);
                return {std::fabs(a.number), a.error};
            }
            case ExpressionOperation::sqrt: {
                const Bounded a = operand(0);
                const double root = std::sqrt(a.number);
                return rounded({root, a.error > 0 ? a.error / std::max(root, 1e-150) : 0});
            }
            default:
                return combine(n, operand(0), operand(1));
        }
    }

    Bounded combine(const ExpressionNode& n, const Bounded& a, const Bounded& b) {
        const double apart = a.number - b.number;
        const auto compared = [&](bool result) {
            if (std::fabs(apart) <= a.error + b.error && a.error + b.error > 0) undecided_ = true;
            return truth(result);
        };
        switch (n.operation) {
            case ExpressionOperation::add:
                return rounded({a.number + b.number, a.error + b.error});
            case ExpressionOperation::subtract:
                return rounded({apart, a.error + b.error});
            case ExpressionOperation::multiply:
                return rounded({a.number * b.number, std::fabs(a.number) * b.error +
                                                         std::fabs(b.number) * a.error +
                                                         a.error * b.error});
            case ExpressionOperation::divide: {
                if (n.whole) return {b.number != 0 ? std::trunc(a.number / b.number) : 0, 0};
                const double q = a.number / b.number;
                const double least = std::fabs(b.number) - b.error;
                if (least <= 0 && b.error > 0) undecided_ = true;
                return rounded({q, b.error == 0 && a.error == 0
                                       ? 0
                                       : (a.error + std::fabs(q) * b.error) / least});
            }
            case ExpressionOperation::modulo:
                return {b.number != 0 ? std::fmod(a.number, b.number) : 0, 0};
            case ExpressionOperation::less:
                return compared(a.number < b.number);
            case ExpressionOperation::less_equal:
                return compared(a.number <= b.number);
            case ExpressionOperation::greater:
                return compared(a.number > b.number);
            case ExpressionOperation::greater_equal:
                return compared(a.number >= b.number);
            case ExpressionOperation::equal:
                return compared(a.number == b.number);
            case ExpressionOperation::not_equal:
                return compared(a.number != b.number);
            case ExpressionOperation::fmin:
                return {std::fmin(a.number, b.number), std::max(a.error, b.error)};
            case ExpressionOperation::fmax:
                return {std::fmax(a.number, b.number), std::max(a.error, b.error)};
            default:
                throw Error(ErrorCode::internal, "an epilogue's node has no meaning");
        }
    }

    bool is_true(const Bounded& a) {
        if (std::fabs(a.number) <= a.error && a.error > 0) undecided_ = true;
        return a.number != 0;
    }
    static Bounded truth(bool is) { return {is ? 1.0 : 0.0, 0}; }

    const Compiled& compiled_;
    const EpilogueRun& run_;
    const double rounding_;
    std::size_t row_ = 0;
    bool undecided_ = false, any_undecided_ = false;
    std::vector<Bounded> locals_;
    std::map<int, Bounded> written_;
    std::vector<Bounded> sums_;
    std::vector<double> magnitudes_;
    std::vector<Bounded> largest_;
};

}  // namespace

std::string why_not_checkable(const std::string& epilogue) {
    try {
        (void)Compiled(epilogue);
        return "";
    } catch (const Error& error) {
        if (error.code() != ErrorCode::unsupported) throw;
        return error.what();
    }
}

std::string check_epilogue(const std::string& epilogue, const EpilogueRun& run) {
    const Compiled compiled(epilogue);
    return Evaluation(compiled, run).check();
}

}  // namespace spmvgen
