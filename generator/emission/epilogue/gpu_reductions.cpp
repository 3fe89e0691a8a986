#include <algorithm>

#include "emission/epilogue/number_type.hpp"
#include "emission/epilogue/plain_step.hpp"
#include "emission/epilogue/reductions.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

/// Writes the functions around one step after another.
class GpuSteps {
  public:
    explicit GpuSteps(const Signature& signature)
        : reductions_(reductions_of(signature)),
          type_(number_type(signature.value)),
          // Of products that transpose, y has an element for each column.
          prefetches_(signature.alpha != Scale::zero &&
                      !kernel_entry(signature.kernel).transposes) {
        for (auto& [name, role] : parse_epilogue(signature.epilogue).names)
            if (is_vector(role)) vectors_.push_back(operand_argument(name));
    }

    /// Takes over the step where it has to do with operands; gives the steps that it adds.
    std::vector<std::string> wrap(std::string& text, const std::string& name) {
        const auto parameters = parameters_of_step(text, name);
        const auto takes = [&](const std::string& argument) {
            return std::ranges::count(parameters, argument, &PlainParameter::name) > 0;
        };
        const bool reduces = std::ranges::any_of(
            reductions_, [&](const Reduction& r) { return takes(r.argument()); });
        std::string early;
        for (auto& vector : vectors_)
            if (prefetches_ && takes("num_rows") && takes(vector))
                early += "prefetch_share(" + vector + ", num_rows);\n";
        if (!reduces && early.empty()) return {};
        const PlainStep step = rename_step(text, name);
        text += wrapper(step, early, reduces);
        if (!reduces) return {};
        text += join_text(step);
        ++reducing_;
        return {step.name + "_join"};
    }

  private:
    bool is_first() const { return reducing_ == 0; }
    /// Each reducing step has numbers of its own.
    std::string parts() const {
        return parts_argument + (is_first() ? "" : std::to_string(reducing_ + 1));
    }
    PlainParameter result_of(const Reduction& r) const {
        return {type_ + "* __restrict__ " + r.argument(), r.argument()};
    }

    std::string wrapper(const PlainStep& step, const std::string& early, bool reduces) const {
        std::vector<PlainParameter> parameters = step.parameters, arguments = step.parameters;
        for (std::size_t i = 0; i < parameters.size(); ++i)
            for (auto& r : reductions_)
                if (parameters[i].name == r.argument()) {
                    arguments[i].name = r.part();
                    parameters[i] = result_of(r);
                }
        std::string end;
        if (reduces) {
            parameters.push_back({"double* __restrict__ " + parts(), parts()});
            parameters.push_back({"unsigned* __restrict__ " + ended_argument, ended_argument});
            for (std::size_t i = 0; i < reductions_.size(); ++i)
                end += std::string(reductions_[i].maximum ? "finish_maximum(" : "finish_sum(") +
                       reductions_[i].part() + ", " + std::to_string(i) + "u, " +
                       (is_first() ? "true" : "false") + ", " + parts() + ", " + ended_argument +
                       ", " + reductions_[i].argument() + ");\n";
        }
        return "/// " + step.inner() + ", with what the epilogue needs around it.\n" +
               "static inline void " + step.name + "(" + declared(parameters) + ") {\n" + early +
               (reduces ? part_declarations(reductions_) : "") + step.inner() + "(" +
               listed(arguments) + ");\n" + end + "}\n\n";
    }

    std::string join_text(const PlainStep& step) const {
        std::vector<PlainParameter> parameters{{"const double* __restrict__ " + parts(), parts()}};
        std::string body;
        for (std::size_t i = 0; i < reductions_.size(); ++i) {
            parameters.push_back(result_of(reductions_[i]));
            body += std::string(reductions_[i].maximum ? "join_maximum(" : "join_sum(") +
                    std::to_string(i) + "u, " + (is_first() ? "true" : "false") + ", " + parts() +
                    ", " + block_parts_argument + ", " + ended_argument + ", " +
                    reductions_[i].argument() + ");\n";
        }
        parameters.push_back(
            {"double* __restrict__ " + block_parts_argument, block_parts_argument});
        parameters.push_back({"unsigned* __restrict__ " + ended_argument, ended_argument});
        return "/// Joins what many blocks have of each reduction.\nstatic inline void " +
               step.name + "_join(" + declared(parameters) + ") {\n" + body + "}\n\n";
    }

    const std::vector<Reduction> reductions_;
    const std::string type_;
    const bool prefetches_;
    std::vector<std::string> vectors_;
    int reducing_ = 0;  ///< steps so far that reduce
};

}  // namespace

std::vector<std::string> join_on_gpu(std::string& text, const std::vector<std::string>& steps,
                                     const Signature& signature) {
    GpuSteps around(signature);
    std::vector<std::string> added;
    for (auto& step : steps)
        for (auto& name : around.wrap(text, step)) added.push_back(name);
    return added;
}

}  // namespace spmvgen
