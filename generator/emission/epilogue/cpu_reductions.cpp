#include <algorithm>

#include "emission/epilogue/number_type.hpp"
#include "emission/epilogue/plain_step.hpp"
#include "emission/epilogue/reductions.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

const std::string join_step = "join_reductions";

std::string joined(const Reduction& r, const std::string& a, const std::string& b) {
    return r.maximum ? "__builtin_fmax(" + a + ", " + b + ")" : a + " + " + b;
}

/// Where a thread's part is; what runs once is the first thread's.
std::string place(std::size_t count, const std::string& thread, std::size_t number) {
    const std::string first = thread.empty() ? "" : std::to_string(count) + " * " + thread + " + ";
    return parts_argument + "[" + first + std::to_string(number) + "]";
}

/// The step in whose place this one comes keeps its parts to itself and stores what they come to.
std::string wrapper(const PlainStep& step, const std::vector<Reduction>& reductions, bool first) {
    const bool once = !step.takes("thread");
    if (once && first)
        throw Error(ErrorCode::internal, "step " + step.name +
                                             ", which runs once, is the first to "
                                             "have parts of reductions");
    std::vector<PlainParameter> parameters, share, arguments = step.parameters;
    for (auto& p : step.parameters) {
        const auto reduction = std::ranges::find(reductions, p.name, &Reduction::argument);
        if (p.name == "thread" || p.name == "threads")
            share.push_back(p);
        else if (reduction == reductions.end())
            parameters.push_back(p);
        else
            arguments[static_cast<std::size_t>(&p - step.parameters.data())].name =
                reduction->part();
    }
    parameters.push_back({"double* __restrict__ " + parts_argument, parts_argument});
    parameters.insert(parameters.end(), share.begin(), share.end());
    std::string text = "/// " + step.inner() +
                       ", and what its rows come to of each reduction.\nstatic inline void " +
                       step.name + "(" + declared(parameters) + ") {\n" +
                       part_declarations(reductions) + step.inner() + "(" + listed(arguments) +
                       ");\n";
    for (std::size_t i = 0; i < reductions.size(); ++i) {
        const std::string to = place(reductions.size(), once ? "" : "thread", i);
        const std::string part = reductions[i].part();
        text += to + " = " + (first ? part : joined(reductions[i], to, part)) + ";\n";
    }
    return text + "}\n\n";
}

/// What one thread does when all have ended.
std::string join_text(const std::vector<Reduction>& reductions, const std::string& type) {
    std::string loop, end;
    std::vector<PlainParameter> parameters{
        {"const double* __restrict__ " + parts_argument, parts_argument}};
    for (std::size_t i = 0; i < reductions.size(); ++i) {
        const Reduction& r = reductions[i];
        parameters.push_back({type + "* __restrict__ " + r.argument(), r.argument()});
        loop += r.part() + " = " + joined(r, r.part(), place(reductions.size(), "t", i)) + ";\n";
        end += "*" + r.argument() + " = static_cast<" + type + ">(" + r.part() + ");\n";
    }
    parameters.push_back({"int threads", "threads"});
    return "/// Joins what the threads have of each reduction, in their order.\n"
           "static inline void " +
           join_step + "(" + declared(parameters) + ") {\n" + part_declarations(reductions) +
           "for (int t = 0; t < threads; ++t) {\n" + loop + "}\n" + end + "}\n\n";
}

}  // namespace

std::vector<std::string> join_on_cpu(std::string& text, const std::vector<std::string>& steps,
                                     const Signature& signature) {
    const auto reductions = reductions_of(signature);
    if (reductions.empty()) return {};
    bool first = true;
    for (auto& name : steps) {
        const auto parameters = parameters_of_step(text, name);
        if (std::ranges::none_of(parameters, [&](auto& p) {
                return std::ranges::count(reductions, p.name, &Reduction::argument) > 0;
            }))
            continue;
        text += wrapper(rename_step(text, name), reductions, first);
        first = false;
    }
    text += join_text(reductions, number_type(signature.value));
    return {join_step};
}

}  // namespace spmvgen
