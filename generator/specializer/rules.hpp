#pragma once
#include <string>

namespace spmvgen::specializer {

/// The rules of the template dialect, by their numbers in docs/explanation/dialect.md.
enum class Rule {
    include = 1,
    macro = 2,
    conditional = 3,
    pragma = 4,
    pack = 5,
    generic_lambda = 6,
    plain_struct = 7,
    exception = 8,
    state = 9,
    jump = 10,
    recursion = 11,
    named_parameter = 12,
    operator_overload = 13,
    name_space = 14,
    full_specialisation = 15,
    step = 16,
    runtime_library = 17,
    template_argument = 18,
    two_meanings = 19,
    view = 20
};

/// Throws Error(invalid_input) "templates/PLACE: rule N: WHAT"; `place` is "cpu/x.hpp:12".
[[noreturn]] void refuse(Rule rule, const std::string& place, const std::string& what);

}  // namespace spmvgen::specializer
