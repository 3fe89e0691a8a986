#include <gtest/gtest.h>

#include "specializer/dialect_check.hpp"
#include "template_case.hpp"
#include "template_texts.hpp"

namespace spmvgen::specializer {
namespace {

struct RuleCase {
    const char* name;
    const char* text;     ///< `kernel` in it is a template with the parameter n
    const char* message;  ///< behind "invalid_input: templates/"
};

void PrintTo(const RuleCase& c, std::ostream* os) {
    *os << c.name;
}

class DialectRule : public testing::TestWithParam<RuleCase> {};

// clang-format off
const RuleCase rule_cases[] = {
    {"include_system", "#include <cmath>\ntemplate <int n> void kernel() {}\n",
     "cpu/test.hpp:1: rule 1: #include <cmath>; only headers below dialect/ can be included"},
    {"include_other", "\n#include \"cpu/test.hpp\"\ntemplate <int n> void kernel() {}\n",
     "cpu/test.hpp:2: rule 1: #include \"cpu/test.hpp\"; only headers below dialect/ can be included"},
    {"include_absent", "#include \"dialect/absent.hpp\"\ntemplate <int n> void kernel() {}\n",
     "cpu/test.hpp:1: rule 1: #include \"dialect/absent.hpp\"; only headers below dialect/ can be included"},
    {"define", "template <int n> void kernel() {}\n#define TWICE (2 * n)\n",
     "cpu/test.hpp:2: rule 2: #define; write a constexpr value or a function template"},
    {"macro_use", "template <int n> void kernel(long* y) {\n    y[0] = __LINE__;\n}\n",
     "cpu/test.hpp:2: rule 2: a macro is used; write a constexpr value or a function"},
    {"conditional", "#if defined(__AVX2__)\n#endif\ntemplate <int n> void kernel() {}\n",
     "cpu/test.hpp:1: rule 3: #if; make it a template parameter and use if constexpr"},
    {"pragma", "template <int n> void kernel(long* y) {\n#pragma unroll\n    for (int i = 0; i < 9; ++i) y[i] = n;\n}\n",
     "cpu/test.hpp:2: rule 4: #pragma unroll; use one of once, GCC unroll N, GCC ivdep, omp simd …"},
    {"pack", "template <int... i> inline int sum() { return (i + ...); }\ntemplate <int n> void kernel(int* y) { y[0] = sum<n, 1>(); }\n",
     "cpu/test.hpp:1: rule 5: a parameter pack; write the cases out or loop up to a constant"},
    {"variadic", "inline void f(int a, ...) {}\ntemplate <int n> void kernel() {}\n",
     "cpu/test.hpp:1: rule 5: 'f' is variadic"},
    {"generic_lambda", "template <int n> void kernel(long* y) {\n    auto f = [](auto v) { return v + n; };\n    y[0] = f(1);\n}\n",
     "cpu/test.hpp:2: rule 6: a generic lambda; give its parameters types or make it a function template"},
    {"virtual_function", "struct s {\n    virtual void f() {}\n};\ntemplate <int n> void kernel() {}\n",
     "cpu/test.hpp:2: rule 7: 's' has a member function; structs hold data only"},
    {"base_class", "struct a {};\nstruct b : a {};\ntemplate <int n> void kernel() {}\n",
     "cpu/test.hpp:2: rule 7: 'b' has a base class; structs hold data only"},
    {"throw", "template <int n> void kernel() { throw n; }\n",
     "cpu/test.hpp:1: rule 8: throw; kernels have no way to fail"},
    {"try", "template <int n> void kernel(int* y) {\n    try {\n        y[0] = n;\n    } catch (int e) {\n    }\n}\n",
     "cpu/test.hpp:2: rule 8: try; kernels have no way to fail"},
    {"static_local", "template <int n> void kernel(int* y) {\n    static int calls = 0;\n    y[0] = ++calls;\n}\n",
     "cpu/test.hpp:2: rule 9: 'calls' outlives the call; keep state in arguments"},
    {"global", "int calls = 0;\ntemplate <int n> void kernel() {}\n",
     "cpu/test.hpp:1: rule 9: 'calls' is a global variable; only constexpr is allowed"},
    {"constant_table", "constexpr double table[] = {1, 2};\ntemplate <int n> void kernel() {}\n",
     "cpu/test.hpp:1: rule 9: 'table' is no number; constants are constexpr integers"},
    {"goto", "template <int n> void kernel(int* y) {\nagain:\n    if (++y[0] < n) goto again;\n}\n",
     "cpu/test.hpp:3: rule 10: goto; use loops, if and return"},
    {"asm", "template <int n> void kernel() {\n    asm volatile(\"nop\");\n}\n",
     "cpu/test.hpp:2: rule 10: asm; use loops, if and return"},
    {"recursion", "inline long f(long i) {\n    return i > 0 ? f(i - 1) : 0;\n}\ntemplate <int n> void kernel(long* y) { y[0] = f(n); }\n",
     "cpu/test.hpp:1: rule 11: function 'f' calls itself; write a loop, or a bound that ends it"},
    {"unnamed_parameter", "inline void f(int) {}\ntemplate <int n> void kernel() {}\n",
     "cpu/test.hpp:1: rule 12: a parameter without a name; one that is not used is dropped by itself"},
    {"unnamed_template_parameter", "template <int> inline void f() {}\ntemplate <int n> void kernel() {}\n",
     "cpu/test.hpp:1: rule 12: a template parameter without a name; parameters are bound by name"},
    {"operator", "struct s {\n    int a;\n};\ninline s operator+(s a, s b) { return {a.a + b.a}; }\ntemplate <int n> void kernel() {}\n",
     "cpu/test.hpp:4: rule 13: an overloaded operator; give the operation a name"},
    {"namespace", "namespace detail {\n}\ntemplate <int n> void kernel() {}\n",
     "cpu/test.hpp:1: rule 14: a namespace; emitted text is flat, so names are unique instead"},
    {"function_specialisation", "template <typename T> inline T one() { return 1; }\ntemplate <> inline int one<int>() { return 2; }\ntemplate <int n> void kernel() {}\n",
     "cpu/test.hpp:2: rule 15: 'one' is specialised explicitly; use if constexpr"},
    {"step_returns", "template <int n> int kernel() { return n; }\n",
     "cpu/test.hpp:1: rule 16: step 'kernel' must return void"},
    {"step_reference", "template <int n> void kernel(const long& m) {}\n",
     "cpu/test.hpp:1: rule 16: step 'kernel' takes 'm' by reference; take values and pointers"},
    {"step_share_last", "template <int n> void kernel(int thread, int threads,\n                             long m) {}\n",
     "cpu/test.hpp:2: rule 16: step 'kernel' takes 'm' behind thread, threads; these come last"},
    {"step_share_type", "template <int n> void kernel(long thread) {}\n",
     "cpu/test.hpp:1: rule 16: step 'kernel' takes 'thread' that is not an int"},
    {"new", "template <int n> void kernel(int** y) {\n    y[0] = new int[n];\n}\n",
     "cpu/test.hpp:2: rule 17: new; kernels need no run-time library: memory comes from the caller"},
    {"undefined_function", "extern \"C\" double sqrt_of(double v);\ntemplate <int n> void kernel(double* y) { y[0] = sqrt_of(n); }\n",
     "cpu/test.hpp:1: rule 17: function 'sqrt_of' has no definition; kernels call only what the dialect defines"},
    {"template_template", "template <template <typename T> class C> inline void f() {}\ntemplate <int n> void kernel() {}\n",
     "cpu/test.hpp:1: rule 18: a template template parameter; take types and numbers"},
};
// clang-format on

TEST_P(DialectRule, IsEnforced) {
    const auto use = template_use(GetParam().text, {{}, {{"n", "4"}}, {}});
    EXPECT_EQ(refusal(use), std::string("invalid_input: templates/") + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(All, DialectRule, testing::ValuesIn(rule_cases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Dialect, ChecksIncludedHeadersToo) {
    auto use = template_use("#include \"dialect/a.hpp\"\ntemplate <int n> void kernel() {}\n",
                            {{}, {{"n", "4"}}, {}});
    use.files["dialect/a.hpp"] = "#pragma once\n#include \"dialect/b.hpp\"\n";
    use.files["dialect/b.hpp"] = "#pragma once\n\n#ifdef X\n#endif\n";
    EXPECT_EQ(refusal(use),
              "invalid_input: templates/dialect/b.hpp:3: rule 3: #ifdef; make it a template "
              "parameter and use if constexpr");
    use.files["dialect/b.hpp"] = "#pragma once\ninline int unused(int a) { return a; }\n";
    EXPECT_EQ(refusal(use), "");
}

TEST(Dialect, IgnoresDirectivesInComments) {
    EXPECT_EQ(
        refusal(template_use("/*\n#define A\n*/\n// #if 1\ntemplate <int n> void kernel() {}\n",
                             {{}, {{"n", "4"}}, {}})),
        "");
}

TEST(Dialect, TellsWhereTheSyntaxIsWrong) {
    EXPECT_EQ(refusal(template_use("template <int n>\nvoid kernel(long* y) {\n    y[0] = n\n}\n",
                                   {{}, {{"n", "4"}}, {}})),
              "invalid_input: templates/cpu/test.hpp:3: expected ';' after expression");
    EXPECT_EQ(refusal(template_use("template <typename T>\nvoid kernel(T* y) {\n"
                                   "    y[0] = y[0].re;\n}\n",
                                   {{{"T", "double"}}, {}, {}})),
              "invalid_input: templates/cpu/test.hpp:3: member reference base type 'double' is not "
              "a structure or union");
    EXPECT_EQ(refusal(template_use("template <int n>\nvoid kernel() {\n"
                                   "    static_assert(n > 4, \"too few lanes\");\n}\n",
                                   {{}, {{"n", "4"}}, {}})),
              "invalid_input: templates/cpu/test.hpp:3: static assertion failed due to requirement "
              "'4 > 4': too few lanes");
}

TEST(Bindings, MustFitTheTemplate) {
    const std::string text =
        "enum class scale { zero, one };\ntemplate <typename T, int n, scale s>\nvoid kernel() "
        "{}\n";
    const Bindings good{{{"T", "double"}}, {{"n", "4"}, {"s", "scale::one"}}, {}};
    EXPECT_EQ(refusal(template_use(text, good)), "");

    Bindings b = good;
    b.constants.erase("n");
    EXPECT_EQ(refusal(template_use(text, b)),
              "internal: templates/cpu/test.hpp:2: template parameter 'n' of kernel is bound by "
              "nothing: add it to the registry entry");
    b = good;
    b.constants["lanes"] = "8";
    EXPECT_EQ(
        refusal(template_use(text, b)),
        "internal: templates/cpu/test.hpp: no function has a template parameter 'lanes', which "
        "is bound");
    b.optional = {"lanes"};
    EXPECT_EQ(refusal(template_use(text, b)), "");
    b = good;
    b.types["T"] = "complex_f64";
    EXPECT_EQ(refusal(template_use(text, b)),
              "internal: the bindings do not fit the template: bindings.cpp:2: unknown type name "
              "'complex_f64'");
    b = good;
    b.constants["s"] = "1";
    EXPECT_EQ(refusal(template_use(text, b)),
              "internal: binding 's' does not fit its template parameter");
    EXPECT_EQ(refusal(template_use(text, good, {"kernel", "other"})),
              "internal: templates/cpu/test.hpp has no function template 'other'");
    auto use = template_use(text, good);
    use.file = "cpu/absent.hpp";
    EXPECT_EQ(refusal(use), "internal: there is no template file templates/cpu/absent.hpp");
}

// An emission reads the bodies that it reaches; this is where all are read.
TEST(Dialect, TemplatesKeepTheRulesWhole) {
    const Files files = template_texts();
    int kernels = 0;
    for (auto& [file, text] : files) {
        if (file.starts_with("dialect/")) continue;
        SCOPED_TRACE(file);
        ++kernels;
        FrontEndOptions options;
        if (file.starts_with("gpu/")) options.gpu_builtins = files.at(gpu_builtins_file);
        Parsed parsed(files, file, options);
        EXPECT_FALSE(parsed.failed()) << to_string(parsed.diagnostics());
        EXPECT_NO_THROW(check_directives(files, file));
        EXPECT_NO_THROW(check_declarations(parsed.context(), {}));
    }
    EXPECT_GT(kernels, 30);
}

TEST(Dialect, BodiesOnDemandAreThoseThatAreReached) {
    const std::string unreached = "template <int n> void other(int* y) { y[0] = absent; }\n";
    auto use = template_use(unreached + "template <int n> void kernel(int* y) { y[0] = n; }\n",
                            {{}, {{"n", "7"}}, {}});
    EXPECT_THROW(specialize(use), Error);
    use.options.bodies_on_demand = true;
    EXPECT_NE(specialize(use).text.find("y[0] = 7;"), std::string::npos);
}

TEST(FrontEnd, WarningsAreFoundWhenLookedFor) {
    const Files text{{"kernel.cpp", "int f(int n) {\n    int unused = 3;\n    return 1;\n}\n"}};
    FrontEndOptions options;
    EXPECT_EQ(to_string(Parsed(text, "kernel.cpp", options).diagnostics()), "");
    options.warnings = true;
    EXPECT_EQ(to_string(Parsed(text, "kernel.cpp", options).diagnostics()),
              "kernel.cpp:2: unused variable 'unused'\nkernel.cpp:1: unused parameter 'n'");
}

TEST(FrontEnd, ClangsFunctionsAreKnownByName) {
    const Files text{{"kernel.cpp",
                      "void f(float* a) { __builtin_prefetch(a); }\n"
                      "void g(float* a) { __builtin_prefetc(a); }\n"}};
    const Parsed parsed(text, "kernel.cpp", {});
    EXPECT_EQ(to_string(parsed.diagnostics()),
              "kernel.cpp:2: use of undeclared identifier '__builtin_prefetc'; did you mean "
              "'__builtin_prefetch'?");
}

}  // namespace
}  // namespace spmvgen::specializer
