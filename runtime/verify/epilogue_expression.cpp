#include "verify/epilogue_expression.hpp"

#include <algorithm>
#include <cstdlib>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

[[noreturn]] void refuse_expression(const std::string& what) {
    throw Error(ErrorCode::unsupported, "the reference knows no " + what);
}

/// The expression of one statement as nodes, the last of them its value.
class Parser {
  public:
    Parser(const EpilogueStatement& statement, const std::map<std::string, int>& locals)
        : tokens_(statement.expression), locals_(locals) {}

    std::vector<ExpressionNode> parse() {
        choice();
        if (at_ < tokens_.size()) refuse_expression("'" + tokens_[at_].text + "' here");
        return std::move(nodes_);
    }

  private:
    bool take(std::string_view sign) {
        if (at_ >= tokens_.size() || tokens_[at_].text != sign) return false;
        ++at_;
        return true;
    }
    void expect(std::string_view sign) {
        if (!take(sign)) refuse_expression("expression without '" + std::string(sign) + "' here");
    }
    int add(ExpressionNode node) {
        nodes_.push_back(node);
        return static_cast<int>(nodes_.size()) - 1;
    }
    bool is_whole(int node) const { return nodes_[static_cast<std::size_t>(node)].whole; }

    int choice() {
        const int condition = binary(0);
        if (!take("?")) return condition;
        const int then = choice();
        expect(":");
        const int otherwise = choice();
        return add({ExpressionOperation::choice,
                    0,
                    0,
                    is_whole(then) && is_whole(otherwise),
                    {condition, then, otherwise}});
    }

    struct Binary {
        std::string_view sign;
        ExpressionOperation operation;
        int level;
    };
    const Binary* binary_here(int level) const {
        static constexpr std::array table{Binary{"||", ExpressionOperation::either, 0},
                                          Binary{"&&", ExpressionOperation::both, 1},
                                          Binary{"==", ExpressionOperation::equal, 2},
                                          Binary{"!=", ExpressionOperation::not_equal, 2},
                                          Binary{"<", ExpressionOperation::less, 3},
                                          Binary{"<=", ExpressionOperation::less_equal, 3},
                                          Binary{">", ExpressionOperation::greater, 3},
                                          Binary{">=", ExpressionOperation::greater_equal, 3},
                                          Binary{"+", ExpressionOperation::add, 4},
                                          Binary{"-", ExpressionOperation::subtract, 4},
                                          Binary{"*", ExpressionOperation::multiply, 5},
                                          Binary{"/", ExpressionOperation::divide, 5},
                                          Binary{"%", ExpressionOperation::modulo, 5}};
        if (at_ >= tokens_.size()) return nullptr;
        const auto found = std::ranges::find_if(table, [&](const Binary& b) {
            return b.level == level && b.sign == tokens_[at_].text;
        });
        return found == table.end() ? nullptr : &*found;
    }
    int binary(int level) {
        constexpr int most = 6;
        if (level == most) return unary();
        int left = binary(level + 1);
        while (const Binary* sign = binary_here(level)) {
            ++at_;
            const int right = binary(level + 1);
            const bool compares = level < 4;
            const bool whole = compares || (is_whole(left) && is_whole(right));
            if (sign->operation == ExpressionOperation::modulo && !whole)
                refuse_expression("% of numbers that are not whole");
            left = add({sign->operation, 0, 0, whole, {left, right, -1}});
        }
        return left;
    }
    int unary() {
        if (take("-")) {
            const int of = unary();
            return add({ExpressionOperation::negative, 0, 0, is_whole(of), {of, -1, -1}});
        }
        if (take("+")) return unary();
        if (take("!")) return add({ExpressionOperation::negated, 0, 0, true, {unary(), -1, -1}});
        if (take("(")) {
            const int inner = choice();
            expect(")");
            return inner;
        }
        return leaf();
    }
    int leaf() {
        if (at_ >= tokens_.size()) refuse_expression("expression that ends here");
        const EpilogueToken& token = tokens_[at_++];
        if (token.kind == EpilogueToken::Kind::number) return number(token.text);
        if (token.kind != EpilogueToken::Kind::word) refuse_expression("'" + token.text + "' here");
        if (token.operand >= 0) {
            if (take("[")) {
                expect("row");
                expect("]");
            }
            return add({ExpressionOperation::operand, 0, token.operand, false, {}});
        }
        if (token.text == "value") return add({ExpressionOperation::value, 0, 0, false, {}});
        if (token.text == "row") return add({ExpressionOperation::row, 0, 0, true, {}});
        if (const auto local = locals_.find(token.text); local != locals_.end())
            return add({ExpressionOperation::local, 0, local->second, false, {}});
        return call(token.text);
    }
    int number(const std::string& text) {
        char* end = nullptr;
        const double number = std::strtod(text.c_str(), &end);  // too large = infinity
        const std::string suffix = end;
        if (!(suffix.empty() || suffix == "f" || suffix == "F" || suffix == "l" || suffix == "L"))
            refuse_expression("number '" + text + "'");
        const bool whole = text.find_first_not_of("0123456789") == text.npos;
        return add({ExpressionOperation::number, number, 0, whole, {}});
    }
    int call(const std::string& name) {
        static const std::map<std::string, ExpressionOperation> functions{
            {"fabs", ExpressionOperation::fabs},
            {"fmin", ExpressionOperation::fmin},
            {"fmax", ExpressionOperation::fmax},
            {"sqrt", ExpressionOperation::sqrt}};
        const auto function = functions.find(name);
        if (function == functions.end()) refuse_expression("'" + name + "'");
        expect("(");
        const int first = choice();
        int second = -1;
        if (function->second == ExpressionOperation::fmin ||
            function->second == ExpressionOperation::fmax) {
            expect(",");
            second = choice();
        }
        expect(")");
        return add({function->second, 0, 0, false, {first, second, -1}});
    }

    const std::vector<EpilogueToken>& tokens_;
    const std::map<std::string, int>& locals_;
    std::size_t at_ = 0;
    std::vector<ExpressionNode> nodes_;
};

}  // namespace

std::vector<ExpressionNode> parse_expression(const EpilogueStatement& statement,
                                             const std::map<std::string, int>& locals) {
    return Parser(statement, locals).parse();
}

}  // namespace spmvgen
