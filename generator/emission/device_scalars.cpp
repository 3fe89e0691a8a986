#include "emission/device_scalars.hpp"

#include <algorithm>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using specializer::FunctionSignature;

/// In `text`, of the function: its parameter `number` becomes a pointer that it reads first.
void read_first(std::string& text, FunctionSignature& function, const std::string& number) {
    const auto parameter =
        std::ranges::find(function.parameters, number, &specializer::FunctionParameter::name);
    if (parameter == function.parameters.end()) return;
    const std::string pointer = number + "_at";
    const std::string type = parameter->type;
    const auto head = text.find("static inline void " + function.name + "(");
    const auto body = text.find('{', head);
    const auto place = text.find(type + " " + number, head);
    if (head == text.npos || body == text.npos || place > body)
        throw Error(ErrorCode::internal,
                    "no parameter " + number + " in the text of " + function.name);
    text.insert(body + 1, "\n    const " + type + " " + number + " = *" + pointer + ";");
    text.replace(place, type.size() + 1 + number.size(),
                 "const " + type + "* __restrict__ " + pointer);
    *parameter = {"const " + type + "*", pointer};
}

}  // namespace

void read_device_scalars(specializer::Specialized& text, const Signature& signature) {
    for (FunctionSignature& function : text.functions) {
        if (signature.beta == Scale::device) read_first(text.text, function, "beta");
        if (signature.alpha == Scale::device) read_first(text.text, function, "alpha");
    }
}

}  // namespace spmvgen
