#include "spmvgen/epilogue.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr std::size_t longest = 2000;
using Kind = EpilogueStatement::Kind;
using Tokens = std::vector<EpilogueToken>;

[[noreturn]] void refuse_epilogue(const std::string& why, const std::string& advice) {
    throw Error(ErrorCode::invalid_argument, "epilogue: " + why + "; " + advice);
}

[[noreturn]] void refuse_epilogue(const std::string& why) {
    refuse_epilogue(why, "write one expression of value and row, as in value > 0 ? value : 0");
}

bool begins_word(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool continues_word(char c) {
    return begins_word(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

void check_characters(const std::string& text) {
    if (text.find_first_not_of(' ') == text.npos) refuse_epilogue("the expression is empty");
    if (text.size() > longest)
        refuse_epilogue("the expression has more than " + std::to_string(longest) + " characters");
    constexpr auto allowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ .,+-*/%<>=!&|^~?:()[];";
    if (const auto at = text.find_first_not_of(allowed); at != text.npos)
        refuse_epilogue("character " + std::to_string(at + 1) + " cannot be part of an expression");
    for (const char* comment : {"//", "/*"})
        if (text.find(comment) != text.npos) refuse_epilogue("comments are not taken");
}

/// Where the number that begins at `at` ends: digits, letters and points, and a sign behind an
/// exponent's letter.
std::size_t end_of_number(const std::string& text, std::size_t at) {
    const bool hexadecimal = text.compare(at, 2, "0x") == 0 || text.compare(at, 2, "0X") == 0;
    std::size_t end = at;
    while (end < text.size()) {
        const char c = text[end];
        const char before = end > at ? text[end - 1] : ' ';
        const bool exponent =
            hexadecimal ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
        if (!continues_word(c) && c != '.' && !(exponent && (c == '+' || c == '-'))) break;
        ++end;
    }
    return end;
}

std::size_t end_of_sign(const std::string& text, std::size_t at) {
    constexpr std::array longer{"<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "==",
                                "!=",  "<=",  ">=", "&&", "||", "<<", ">>", "++", "--", "->", "::"};
    for (const std::string_view sign : longer)
        if (text.compare(at, sign.size(), sign) == 0) return at + sign.size();
    return at + 1;
}

Tokens tokens_of(const std::string& text) {
    Tokens tokens;
    for (std::size_t at = 0; at < text.size();) {
        const auto begin = text.find_first_not_of(' ', at);
        if (begin == text.npos) break;
        const char c = text[begin];
        const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0 ||
                            (c == '.' && begin + 1 < text.size() &&
                             std::isdigit(static_cast<unsigned char>(text[begin + 1])) != 0);
        EpilogueToken token;
        token.space = text.substr(at, begin - at);
        std::size_t end = begin;
        if (number) {
            token.kind = EpilogueToken::Kind::number;
            end = end_of_number(text, begin);
        } else if (begins_word(c)) {
            token.kind = EpilogueToken::Kind::word;
            while (end < text.size() && continues_word(text[end])) ++end;
        } else {
            end = end_of_sign(text, begin);
        }
        token.text = text.substr(begin, end - begin);
        tokens.push_back(std::move(token));
        at = end;
    }
    return tokens;
}

void check_brackets(const Tokens& tokens) {
    std::string open;
    for (auto& t : tokens) {
        if (t.text == "(" || t.text == "[") open += t.text;
        if (t.text != ")" && t.text != "]") continue;
        if (open.empty() || open.back() != (t.text == ")" ? '(' : '['))
            refuse_epilogue("the parentheses do not match");
        open.pop_back();
    }
    if (!open.empty()) refuse_epilogue("the parentheses do not match");
}

/// Words that stand for no operand.
bool is_reserved(const std::string& word) {
    static const std::set<std::string> words{
        "value",  "row",   "Value",  "double",   "float",    "int",         "long",
        "short",  "char",  "bool",   "unsigned", "signed",   "const",       "auto",
        "true",   "false", "sizeof", "alignof",  "decltype", "static_cast", "nullptr",
        "struct", "enum",  "class",  "return",   "if",       "else",        "for",
        "while",  "do",    "new",    "delete",   "goto",     "operator",    "volatile"};
    return words.contains(word);
}

/// Reads the statements one after another, and notes what their names are.
class Reader {
  public:
    EpilogueProgram read(const Tokens& tokens) {
        std::vector<Tokens> parts(1);
        for (auto& t : tokens) {
            if (t.text == ";")
                parts.emplace_back();
            else
                parts.back().push_back(t);
        }
        for (auto& part : parts) check_brackets(part);
        if (parts.back().empty())
            refuse_epilogue("no expression follows the last ';'",
                            "end with what y gets, as in w[row] = 2 * value; value");
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) read_statement(parts[i], i + 1);
        if (is_statement(parts.back()))
            refuse_epilogue("the last part is a statement",
                            "end with what y gets, as in w[row] = 2 * value; value");
        add({Kind::result, "", std::move(parts.back())});
        return std::move(program_);
    }

  private:
    static bool has(const Tokens& t, std::size_t at, std::string_view text) {
        return at < t.size() && t[at].text == text;
    }
    static bool is_store(const Tokens& t, std::string_view index) {
        return has(t, 1, "[") && has(t, 2, index) && has(t, 3, "]") && has(t, 4, "=");
    }
    static bool is_maximum(const Tokens& t) { return has(t, 1, "max") && has(t, 2, "="); }
    static bool is_statement(const Tokens& t) {
        return !t.empty() && t[0].kind == EpilogueToken::Kind::word &&
               (has(t, 1, "=") || has(t, 1, "+=") || is_maximum(t) || is_store(t, "row") ||
                is_store(t, "0"));
    }

    void read_statement(const Tokens& t, std::size_t number) {
        if (!is_statement(t))
            refuse_epilogue("statement " + std::to_string(number) + " assigns nothing",
                            "write name = …, name[row] = …, name[0] = …, name += … or name max= …");
        const std::string& target = t[0].text;
        if (is_reserved(target))
            refuse_epilogue("'" + target + "' cannot be assigned", "use a name of your own");
        const Kind kind = is_store(t, "row") ? Kind::store
                          : is_store(t, "0") ? Kind::number
                          : is_maximum(t)    ? Kind::maximum
                          : has(t, 1, "+=")  ? Kind::sum
                                             : Kind::local;
        const std::size_t head = kind == Kind::store || kind == Kind::number ? 5
                                 : kind == Kind::maximum                     ? 3
                                                                             : 2;
        if (t.size() == head)
            refuse_epilogue("statement " + std::to_string(number) + " has no expression",
                            "write what '" + target + "' gets");
        add({kind, target, Tokens(t.begin() + static_cast<std::ptrdiff_t>(head), t.end())});
    }

    void add(EpilogueStatement statement) {
        read_names(statement.expression);
        switch (statement.kind) {
            case Kind::local:
                if (program_.find(statement.target) >= 0 ||
                    !locals_.insert(statement.target).second)
                    refuse_epilogue("'" + statement.target + "' gets a value twice",
                                    "give the second value another name");
                break;
            case Kind::store:
                enter(statement.target, OperandRole::written);
                break;
            case Kind::number:
                enter(statement.target, OperandRole::number);
                break;
            case Kind::sum:
                enter(statement.target, OperandRole::sum);
                break;
            case Kind::maximum:
                enter(statement.target, OperandRole::maximum);
                break;
            case Kind::result:
                break;
        }
        program_.statements.push_back(std::move(statement));
    }

    void read_names(Tokens& t) {
        for (std::size_t i = 0; i < t.size(); ++i) {
            if (const auto& sign = t[i].text;
                t[i].kind == EpilogueToken::Kind::sign &&
                (sign == "=" || sign == "++" || sign == "--" || sign == "->" ||
                 (sign.size() > 1 && sign.back() == '=' && sign != "==" && sign != "!=" &&
                  sign != "<=" && sign != ">=")))
                refuse_epilogue("'" + sign + "' is within an expression",
                                "assign in a statement of its own, in front of it");
            const bool member = i > 0 && (t[i - 1].text == "." || t[i - 1].text == "::");
            if (t[i].kind != EpilogueToken::Kind::word || member || is_reserved(t[i].text) ||
                has(t, i + 1, "(") || has(t, i + 1, "::") || locals_.contains(t[i].text))
                continue;
            const bool indexed = has(t, i + 1, "[");
            if (indexed && !(has(t, i + 2, "row") && has(t, i + 3, "]")))
                refuse_epilogue("'" + t[i].text + "' has another index than row",
                                "an operand is read as " + t[i].text + "[row]");
            t[i].operand = enter(t[i].text, indexed ? OperandRole::vector : OperandRole::scalar);
        }
    }

    /// Takes over that the name is used so; gives its number.
    int enter(const std::string& name, OperandRole role) {
        if (locals_.contains(name))
            refuse_epilogue("'" + name + "' is a value of a statement before", "use another name");
        const int known = program_.find(name);
        if (known < 0) {
            if (program_.names.size() == most_operands)
                refuse_epilogue(
                    "there are more than " + std::to_string(most_operands) + " operands",
                    "split the work between two products");
            program_.names.push_back({name, role});
            return static_cast<int>(program_.names.size()) - 1;
        }
        OperandRole& before = program_.names[static_cast<std::size_t>(known)].role;
        if (is_vector(before) && is_vector(role)) {
            if (role == OperandRole::written) before = role;
        } else if (before != role) {
            refuse_epilogue(
                "'" + name + "' is used as " + to_string(before) + " and as " + to_string(role),
                "use two names");
        }
        return known;
    }

    EpilogueProgram program_;
    std::set<std::string> locals_;
};

}  // namespace

const char* to_string(OperandRole role) {
    switch (role) {
        case OperandRole::vector:
            return "vector";
        case OperandRole::written:
            return "written vector";
        case OperandRole::scalar:
            return "number";
        case OperandRole::number:
            return "written number";
        case OperandRole::sum:
            return "sum";
        case OperandRole::maximum:
            return "maximum";
    }
    return "?";
}

bool EpilogueProgram::has_reductions() const {
    return std::ranges::any_of(names, [](auto& n) { return is_reduction(n.role); });
}

int EpilogueProgram::count_accesses() const {
    int count = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!is_vector(names[i].role)) continue;
        const bool is_read = std::ranges::any_of(statements, [&](const EpilogueStatement& s) {
            return std::ranges::count(s.expression, static_cast<int>(i), &EpilogueToken::operand) >
                   0;
        });
        count += (is_read ? 1 : 0) + (is_written(names[i].role) ? 1 : 0);
    }
    return count;
}

int EpilogueProgram::find(std::string_view name) const {
    const auto known = std::ranges::find(names, name, &EpilogueName::name);
    return known == names.end() ? -1 : static_cast<int>(known - names.begin());
}

EpilogueProgram parse_epilogue(const std::string& text) {
    if (text.empty()) return {};
    check_characters(text);
    const Tokens tokens = tokens_of(text);
    return Reader().read(tokens);
}

std::string operand_argument(std::string_view name) {
    return "operand_" + std::string(name);
}

bool has_operands(const std::string& epilogue) {
    return !epilogue.empty() && !parse_epilogue(epilogue).names.empty();
}

}  // namespace spmvgen
