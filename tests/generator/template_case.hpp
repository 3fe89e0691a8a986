#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "specializer/specialize.hpp"
#include "specializer/syntax/formatter.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::specializer {

/// Value bound to double, and numbers to what they say.
inline const Bindings f64{{{"Value", "double"}}, {}, {}};

inline Bindings numbers(std::map<std::string, std::string> constants) {
    return {{{"Value", "double"}}, std::move(constants), {}};
}

/// A template as a string, in the virtual file cpu/test.hpp.
inline TemplateUse template_use(const std::string& text, Bindings bindings,
                                std::vector<std::string> functions = {"kernel"}) {
    TemplateUse use;
    use.helpers = Helpers::stay;
    use.files = {{"cpu/test.hpp", text}};
    use.file = "cpu/test.hpp";
    use.functions = std::move(functions);
    use.bindings = std::move(bindings);
    return use;
}

/// What it becomes, formatted.
inline std::string specialised(const std::string& text, const Bindings& bindings,
                               const std::vector<std::string>& functions = {"kernel"}) {
    return format(specialize(template_use(text, bindings, functions)).text);
}

/// "CODE: message" of the refusal; "" when the template is taken.
inline std::string refusal(const TemplateUse& use) {
    try {
        specialize(use);
        return "";
    } catch (const Error& e) {
        return std::string(to_string(e.code())) + ": " + e.what();
    }
}

}  // namespace spmvgen::specializer
