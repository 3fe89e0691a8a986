#pragma once
#include <functional>
#include <string>
#include <vector>

#include "specializer/instantiation.hpp"
#include "specializer/kept_templates.hpp"
#include "specializer/pass_variables.hpp"
#include "specializer/simplify/simplify.hpp"
#include "specializer/syntax/front_end.hpp"

namespace spmvgen::specializer {

/// A template and what it is to be specialised for.
struct TemplateUse {
    Files files;  ///< the template and all it includes, by path: "dialect/cpu.hpp"
    std::string file;
    std::vector<std::string> functions;  ///< the steps, in order
    Bindings bindings;
    FrontEndOptions options;
    Helpers helpers = Helpers::inlined;
    std::vector<Variable> variables = {};  ///< that the templates declare; the steps get them
    std::string callees_file = {};         ///< that has what `rewrite` calls; "" = nothing
    std::vector<std::string> callees = {};
    /// What is done with the plain text, variables handed on, before it is simplified; empty =
    /// nothing. It may add functions, and gives the names of those that are steps.
    std::function<std::vector<std::string>(std::string& text)> rewrite = {};
};

struct Specialized {
    std::string description;                   ///< the comment that the template file begins with
    std::string text;                          ///< types, helpers and steps; not yet formatted
    std::vector<FunctionSignature> functions;  ///< the steps, those that were added last
};

/// The plain C++ text that the template becomes. Pure and thread safe: everything is read anew.
/// Throws Error(invalid_input) "templates/FILE:LINE: …" for a template that is not legal C++ or
/// breaks a rule of the dialect, Error(internal) when bindings and template do not fit.
Specialized specialize(const TemplateUse& use);

/// The same text, in less time where the template was read before.
Specialized specialize(const TemplateUse& use, KeptTemplates& kept);

}  // namespace spmvgen::specializer
