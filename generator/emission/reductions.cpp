#include "emission/reductions.hpp"

#include <algorithm>
#include <array>

#include "emission/epilogue.hpp"
#include "emission/number_type.hpp"
#include "specializer/pass_variables.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr std::string_view join_step = "join_reductions";
const std::string parts_argument = "reduction_parts";
const std::string ended_argument = "blocks_ended";

struct Reduction {
    std::string name;
    bool maximum = false;
    std::string argument() const { return operand_argument(name); }
    /// What a thread begins with.
    const char* neutral() const { return maximum ? "-0x1.fffffffffffffp+1023" : "0.0"; }
    /// `a` and `b` joined, on a CPU.
    std::string joined(const std::string& a, const std::string& b) const {
        return maximum ? "__builtin_fmax(" + a + ", " + b + ")" : a + " + " + b;
    }
};

std::vector<Reduction> reductions_of(const Signature& s) {
    std::vector<Reduction> found;
    for (auto& [name, role] : parse_epilogue(s.epilogue).names)
        if (is_reduction(role)) found.push_back({name, role == OperandRole::maximum});
    return found;
}

struct Parameter {
    std::string declaration, name;
};

/// "const int* row_ptr, int thread" taken apart.
std::vector<Parameter> parameters_of(const std::string& list) {
    std::vector<Parameter> all;
    for (std::size_t at = 0; at < list.size();) {
        const auto comma = std::min(list.find(',', at), list.size());
        std::string one = list.substr(at, comma - at);
        one = one.substr(std::min(one.find_first_not_of(" \n"), one.size()));
        const auto end = one.find_last_not_of(" \n");
        if (end != one.npos) {
            one.erase(end + 1);
            const auto name = one.find_last_of(" *&");
            all.push_back({one, one.substr(name + 1)});
        }
        at = comma + 1;
    }
    return all;
}

/// Wraps the steps of a plain text that find parts of reductions.
class Joining {
  public:
    Joining(const Signature& signature, bool gpu)
        : signature_(signature), gpu_(gpu), reductions_(reductions_of(signature)) {}

    std::string rewrite(std::string text, const std::vector<std::string>& steps) {
        for (auto& step : steps) wrap(text, step);
        if (!gpu_) text += join_step_text();
        return text;
    }

  private:
    bool is_reduction(const std::string& name) const {
        return std::ranges::any_of(reductions_, [&](auto& r) { return r.argument() == name; });
    }

    void wrap(std::string& text, const std::string& step) {
        const std::string head = "static inline void " + step + "(";
        const auto at = text.find(head);
        if (at == text.npos) return;  // the step of another rewrite
        const auto begin = at + head.size();
        const auto parameters = parameters_of(text.substr(begin, text.find(')', begin) - begin));
        if (std::ranges::none_of(parameters, [&](auto& p) { return is_reduction(p.name); })) return;
        text.insert(begin - 1, "_rows");
        text += "/// " + step +
                "_rows, whose parts of what is reduced over all rows are joined.\n" + head +
                joined(wrapper_parameters(parameters), &Parameter::declaration) + ") {\n";
        for (auto& r : reductions_)
            text += "    double part_of_" + r.name + " = " + r.neutral() + ";\n";
        text += "    " + step + "_rows(" + arguments(parameters) + ");\n";
        const bool once = std::ranges::count(parameters, "thread", &Parameter::name) == 0;
        if (once && !gpu_ && first_)
            throw Error(ErrorCode::internal, "step " + step +
                                                 ", which runs once, is the first "
                                                 "that the epilogue's reductions know of");
        for (std::size_t i = 0; i < reductions_.size(); ++i)
            text +=
                gpu_ ? finish_on_gpu(reductions_[i], i) : finish_on_cpu(reductions_[i], i, once);
        text += "}\n\n";
        first_ = false;
        ++wrapped_;
    }

    std::string parts_name() const {
        return parts_argument + (gpu_ && wrapped_ > 0 ? std::to_string(wrapped_ + 1) : "");
    }

    /// The step's, where a GPU's takes the result in the place of a thread's part.
    std::vector<Parameter> wrapper_parameters(const std::vector<Parameter>& of_step) const {
        std::vector<Parameter> all, share;
        const std::string vector = number_type(signature_.value);
        for (auto& p : of_step) {
            if (p.name == "thread" || p.name == "threads")
                share.push_back(p);
            else if (!is_reduction(p.name))
                all.push_back(p);
            else if (gpu_)
                all.push_back({vector + "* __restrict__ " + p.name, p.name});
        }
        all.push_back({"double* __restrict__ " + parts_name(), parts_name()});
        if (gpu_) all.push_back({"unsigned* __restrict__ " + ended_argument, ended_argument});
        all.insert(all.end(), share.begin(), share.end());
        return all;
    }

    std::string arguments(const std::vector<Parameter>& of_step) const {
        std::vector<Parameter> all = of_step;
        for (auto& p : all)
            for (auto& r : reductions_)
                if (p.name == r.argument()) p.name = "part_of_" + r.name;
        return joined(all, &Parameter::name);
    }

    std::string finish_on_gpu(const Reduction& r, std::size_t number) const {
        const std::string count = std::to_string(number);
        return std::string("    finish_") + (r.maximum ? "maximum" : "sum") + "(part_of_" + r.name +
               (first_ ? ", true, " : ", false, ") + parts_name() +
               (number > 0 ? " + " + count + " * gridDim.x" : "") + ", " + ended_argument +
               (number > 0 ? " + " + count : "") + ", " + r.argument() + ");\n";
    }
    /// What runs once is the first thread's.
    std::string finish_on_cpu(const Reduction& r, std::size_t number, bool once) const {
        const std::string count = std::to_string(number);
        const std::string place =
            parts_name() + "[" +
            (once ? count : std::to_string(reductions_.size()) + " * thread + " + count) + "]";
        const std::string part = "part_of_" + r.name;
        return "    " + place + " = " + (first_ ? part : r.joined(place, part)) + ";\n";
    }

    /// What one thread does when all have ended.
    std::string join_step_text() const {
        std::vector<Parameter> parameters{
            {"const double* __restrict__ " + parts_argument, parts_argument}};
        for (auto& r : reductions_)
            parameters.push_back(
                {std::string(number_type(signature_.value)) + "* __restrict__ " + r.argument(),
                 r.argument()});
        parameters.push_back({"int threads", "threads"});
        std::string begin, loop, end;
        const std::string size = std::to_string(reductions_.size());
        for (std::size_t i = 0; i < reductions_.size(); ++i) {
            const Reduction& r = reductions_[i];
            const std::string place =
                parts_argument + "[" + size + " * t + " + std::to_string(i) + "]";
            begin += "    double " + r.name + "_of_all = " + r.neutral() + ";\n";
            loop +=
                "        " + r.name + "_of_all = " + r.joined(r.name + "_of_all", place) + ";\n";
            end += "    *" + r.argument() + " = static_cast<" + number_type(signature_.value) +
                   ">(" + r.name + "_of_all);\n";
        }
        return "/// Joins what the threads have of each reduction, in their order.\nstatic inline "
               "void " +
               std::string(join_step) + "(" + joined(parameters, &Parameter::declaration) +
               ") {\n" + begin + "    for (int t = 0; t < threads; ++t) {\n" + loop + "    }\n" +
               end + "}\n\n";
    }

    static std::string joined(const std::vector<Parameter>& parameters,
                              std::string Parameter::* part) {
        std::string text;
        for (auto& p : parameters) text += (text.empty() ? "" : ", ") + p.*part;
        return text;
    }

    const Signature signature_;
    const bool gpu_;
    const std::vector<Reduction> reductions_;
    bool first_ = true;
    int wrapped_ = 0;
};

bool is_parts(const std::string& name) {
    return name.starts_with(parts_argument);
}

const Argument* argument_where(const Step& step, bool (*wanted)(const std::string&)) {
    const auto found =
        std::ranges::find_if(step.arguments, [&](const Argument& a) { return wanted(a.name); });
    return found == step.arguments.end() ? nullptr : &*found;
}

std::int64_t count_reductions(const Signature& s) {
    return static_cast<std::int64_t>(reductions_of(s).size());
}

}  // namespace

void add_operands(specializer::TemplateUse& use, std::vector<StepTemplate>& steps,
                  const Signature& signature, bool gpu) {
    use.variables = epilogue_variables(signature);
    const auto reductions = reductions_of(signature);
    if (reductions.empty()) return;
    if (gpu) {
        use.callees_file = "dialect/gpu_reduction.hpp";
        const auto any = [&](bool maximum) {
            return std::ranges::count(reductions, maximum, &Reduction::maximum) > 0;
        };
        if (any(false)) use.callees.emplace_back("finish_sum");
        if (any(true)) use.callees.emplace_back("finish_maximum");
    }
    use.rewrite = [joining = Joining(signature, gpu), names = use.functions](
                      const std::string& text) mutable { return joining.rewrite(text, names); };
    if (gpu) return;
    steps.push_back({join_step, StepRule::once});
    use.added_steps.emplace_back(join_step);
}

void add_reduction_workspaces(LaunchDescription& launch, const Signature& signature, bool gpu) {
    const std::int64_t count = count_reductions(signature);
    if (count == 0) return;
    for (std::size_t i = 0; i < launch.steps.size(); ++i) {
        const Argument* const parts = argument_where(launch.steps[i], is_parts);
        if (parts == nullptr ||
            std::ranges::count(launch.workspace, parts->name, &Workspace::name) > 0)
            continue;
        if (gpu)
            launch.workspace.push_back({.name = parts->name,
                                        .bytes_per_thread = 0,
                                        .bytes_per_block = 8 * count,
                                        .of_step = static_cast<int>(i)});
        else
            launch.workspace.push_back({.name = parts->name, .bytes_per_thread = 8 * count});
    }
    if (gpu)
        launch.workspace.push_back({.name = ended_argument,
                                    .bytes_per_thread = 0,
                                    .bytes_per_block = 0,
                                    .of_step = 0,
                                    .bytes = 4 * count,
                                    .zeroed = true});
}

std::string operand_text(const Signature& signature, const LaunchDescription& launch,
                         const std::string& argument) {
    for (auto& [name, role] : parse_epilogue(signature.epilogue).names) {
        if (operand_argument(name) != argument) continue;
        const std::string what = std::string(to_string(role)) + " '" + name + "' of the epilogue";
        return argument + (is_vector(role) ? "[as y]: " : "[1]: ") + what;
    }
    const auto space = std::ranges::find(launch.workspace, argument, &Workspace::name);
    if (space == launch.workspace.end() || !(is_parts(argument) || argument == ended_argument))
        return "";
    const std::string count = std::to_string(count_reductions(signature));
    if (space->zeroed)
        return argument + "[" + count +
               "]: blocks that have ended; zeros when a launch begins, and again when it has ended";
    return argument + "[" + count + " * " +
           (space->bytes_per_block > 0 ? "blocks of launch " + std::to_string(space->of_step + 1)
                                       : "threads") +
           "]: workspace, needs no content";
}

}  // namespace spmvgen
