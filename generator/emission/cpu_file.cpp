#include <algorithm>
#include <string_view>

#include "emission/argument_text.hpp"
#include "emission/kernel_file.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr std::string_view nontemporal_store = "__builtin_nontemporal_store";
constexpr std::string_view nontemporal_store_text =
    R"(#if !defined(__clang__) && !defined(SPMVGEN_OWN_INSTRUCTIONS)
/// Stores a vector of 64 bytes that the caches need not keep; a builtin of Clang.
template <typename Line>
static inline void __builtin_nontemporal_store(const Line& line, Line* to) {
#if defined(__AVX512F__)
    typedef double Part __attribute__((vector_size(64), may_alias));
    __builtin_ia32_movntpd512(reinterpret_cast<double*>(to), *reinterpret_cast<const Part*>(&line));
#elif defined(__AVX__)
    typedef double Part __attribute__((vector_size(32), may_alias));
    for (int i = 0; i < 2; ++i) {
        __builtin_ia32_movntpd256(reinterpret_cast<double*>(to) + 4 * i,
                                  reinterpret_cast<const Part*>(&line)[i]);
    }
#elif defined(__SSE2__)
    typedef double Part __attribute__((vector_size(16), may_alias));
    for (int i = 0; i < 4; ++i) {
        __builtin_ia32_movntpd(reinterpret_cast<double*>(to) + 2 * i,
                               reinterpret_cast<const Part*>(&line)[i]);
    }
#else
    *to = line;
#endif
}
#endif

)";

std::string joined(const std::vector<std::string>& items) {
    std::string text;
    for (auto& i : items) text += (text.empty() ? "" : ", ") + i;
    return text;
}

const specializer::FunctionSignature& step_function(const KernelFile& f, std::size_t step) {
    return f.specialized.functions[step];
}

bool takes(const specializer::FunctionSignature& function, const std::string& name) {
    return std::ranges::any_of(function.parameters, [&](auto& p) { return p.name == name; });
}

/// `*static_cast<const int* const*>(arguments[1])`
std::string unpacked(const std::string& type, std::size_t index) {
    const std::string stored = type.ends_with("*") ? type + " const" : "const " + type;
    return "*static_cast<" + stored + "*>(arguments[" + std::to_string(index) + "])";
}

/// The function that the runtime calls: takes the arguments out of the array.
std::string entry_point(const KernelFile& f, std::size_t index) {
    const auto& function = step_function(f, index);
    const Step& step = f.launch.steps[index];
    std::vector<std::string> values;
    std::size_t next = 0;
    for (auto& p : function.parameters)
        values.push_back(is_share(p.name) ? p.name : unpacked(p.type, next++));
    const auto share = [&](const std::string& name) {
        return "int" + (takes(function, name) ? " " + name : "");
    };
    return "/// Runs " + function.name + " with the arguments that `arguments` points to.\n" +
           "extern \"C\" void " + step.symbol + "(void* const*" +
           (step.arguments.empty() ? "" : " arguments") + ", " + share("thread") + ", " +
           share("threads") + ") {\n" + function.name + "(" + joined(values) + ");\n}\n\n";
}

/// Every argument of the steps, once, in order.
std::vector<Argument> driver_arguments(const LaunchDescription& launch) {
    std::vector<Argument> all;
    for (auto& step : launch.steps)
        for (auto& a : step.arguments) {
            const auto known = std::ranges::find(all, a.name, &Argument::name);
            if (known == all.end()) {
                all.push_back(a);
            } else if (a.type == "const " + known->type) {
                continue;  // written by one step, read by another
            } else if (known->type == "const " + a.type) {
                known->type = a.type;
            } else if (known->type != a.type) {
                throw Error(ErrorCode::internal,
                            "argument '" + a.name +
                                "' has two types in one kernel: " + known->type + " and " + a.type);
            }
        }
    return all;
}

std::string call(const KernelFile& f, std::size_t index) {
    std::vector<std::string> values;
    for (auto& p : step_function(f, index).parameters) values.push_back(p.name);
    return step_function(f, index).name + "(" + joined(values) + ");\n";
}

/// The parallel region: steps in order, a barrier between; a step that runs once is the first
/// thread's.
std::string parallel_region(const KernelFile& f) {
    bool thread = false;
    bool threads = false;
    std::string calls;
    for (std::size_t i = 0; i < f.launch.steps.size(); ++i) {
        const bool once = f.launch.steps[i].rule == StepRule::once;
        thread |= once || takes(step_function(f, i), "thread");
        threads |= takes(step_function(f, i), "threads");
        if (i > 0) calls += "#pragma omp barrier\n";
        calls += once ? "if (thread == 0) {\n" + call(f, i) + "}\n" : call(f, i);
    }
    return "#pragma omp parallel\n{\n" +
           std::string(thread ? "const int thread = omp_get_thread_num();\n" : "") +
           (threads ? "const int threads = omp_get_num_threads();\n" : "") + calls + "}\n";
}

std::string driver(const KernelFile& f) {
    const auto arguments = driver_arguments(f.launch);
    std::vector<std::string> parameters;
    std::string region = parallel_region(f);
    std::string declarations;
    for (auto* function : {"omp_get_thread_num", "omp_get_num_threads"})
        if (region.find(function) != region.npos)
            declarations += std::string("extern \"C\" int ") + function + "(void);\n";
    std::string text = "#ifdef _OPENMP\n" + declarations +
                       "\n/// y = " + product_text(f.signature) +
                       ", with all threads of OpenMP. Array sizes count elements.\n";
    for (auto& a : arguments) {
        text += argument_lines(f, a.name);
        parameters.push_back(a.type + (a.type.ends_with("*") ? " __restrict__ " : " ") + a.name);
    }
    return text + "extern \"C\" void " + kernel_symbol(f.signature) + "(" + joined(parameters) +
           ") {\n" + region + "}\n#endif\n";
}

}  // namespace

std::string cpu_text(const KernelFile& f) {
    std::string text = f.specialized.text;
    for (std::size_t i = 0; i < f.launch.steps.size(); ++i) text += entry_point(f, i);
    const bool stores = text.find(nontemporal_store) != text.npos;
    return std::string(stores ? nontemporal_store_text : "") + text + driver(f);
}

}  // namespace spmvgen
