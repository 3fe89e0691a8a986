#include "emission/epilogue/plain_step.hpp"

#include <algorithm>

namespace spmvgen {
namespace {

std::string head_of(const std::string& name) {
    return "static inline void " + name + "(";
}

std::string joined(const std::vector<PlainParameter>& parameters,
                   std::string PlainParameter::* part) {
    std::string text;
    for (auto& p : parameters) text += (text.empty() ? "" : ", ") + p.*part;
    return text;
}

}  // namespace

bool PlainStep::takes(const std::string& parameter) const {
    return std::ranges::count(parameters, parameter, &PlainParameter::name) > 0;
}

std::vector<PlainParameter> parameters_of_step(const std::string& text, const std::string& name) {
    const std::string head = head_of(name);
    const auto at = text.find(head);
    if (at == text.npos) return {};
    const auto first = at + head.size();
    const std::string list = text.substr(first, text.find(')', first) - first);
    std::vector<PlainParameter> all;
    for (std::size_t begin = 0; begin < list.size();) {
        const auto comma = std::min(list.find(',', begin), list.size());
        std::string one = list.substr(begin, comma - begin);
        one.erase(0, std::min(one.find_first_not_of(" \n"), one.size()));
        one.erase(one.find_last_not_of(" \n") + 1);
        if (!one.empty()) all.push_back({one, one.substr(one.find_last_of(" *&") + 1)});
        begin = comma + 1;
    }
    return all;
}

PlainStep rename_step(std::string& text, const std::string& name) {
    PlainStep step{name, parameters_of_step(text, name)};
    const std::string head = head_of(name);
    text.replace(text.find(head), head.size(), head_of(step.inner()));
    return step;
}

std::string declared(const std::vector<PlainParameter>& parameters) {
    return joined(parameters, &PlainParameter::declaration);
}

std::string listed(const std::vector<PlainParameter>& parameters) {
    return joined(parameters, &PlainParameter::name);
}

}  // namespace spmvgen
