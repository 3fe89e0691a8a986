#pragma once
#include <string>
#include <vector>

namespace spmvgen {

/// A parameter of a step in a plain text: "double* __restrict__ y", "y".
struct PlainParameter {
    std::string declaration, name;
};

/// A step of a plain text that was given another name, so that another function may have its own.
struct PlainStep {
    std::string name;  ///< that it had; it is now called inner()
    std::vector<PlainParameter> parameters;

    std::string inner() const { return name + "_rows"; }
    bool takes(const std::string& parameter) const;
};

/// The parameters of that step; empty where the text has none of that name.
std::vector<PlainParameter> parameters_of_step(const std::string& text, const std::string& name);
/// Renames it.
PlainStep rename_step(std::string& text, const std::string& name);

/// "double* y, int thread", "y, thread".
std::string declared(const std::vector<PlainParameter>& parameters);
std::string listed(const std::vector<PlainParameter>& parameters);

}  // namespace spmvgen
