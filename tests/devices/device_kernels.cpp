#include "device_kernels.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

namespace spmvgen {

KernelBinary test_binary(const std::string& target, BinaryKind kind,
                         std::initializer_list<std::string> symbols) {
    static const std::map<std::string, std::vector<Argument>> arguments{
        {"axpy",
         {{"num_rows", "long"}, {"alpha", "double"}, {"x", "const double*"}, {"y", "double*"}}},
        {"block_sum", {{"out", "int*"}}},
        {"order", {{"out", "int*"}}},
        {"misuse", {{"out", "int*"}}}};
    KernelBinary binary;
    binary.signature.kernel = "test";
    binary.signature.target = parse_target(target);
    binary.kind = kind;
    std::ifstream file(DEVICE_TEST_KERNELS, std::ios::binary);
    binary.bytes.assign(std::istreambuf_iterator<char>(file), {});
    for (auto& symbol : symbols) {
        Step step;
        step.symbol = symbol;
        step.rule = StepRule::grid;
        step.grid = {"num_rows", 64, 0, 1};
        step.block = 64;
        if (const auto found = arguments.find(symbol); found != arguments.end())
            step.arguments = found->second;
        binary.launch.steps.push_back(step);
    }
    return binary;
}

ScopedEnv::ScopedEnv(std::string name, const char* value) : name_(std::move(name)) {
    const char* before = std::getenv(name_.c_str());
    was_set_ = before != nullptr;
    if (was_set_) before_ = before;
    value != nullptr ? setenv(name_.c_str(), value, 1) : unsetenv(name_.c_str());
}

ScopedEnv::~ScopedEnv() {
    was_set_ ? setenv(name_.c_str(), before_.c_str(), 1) : unsetenv(name_.c_str());
}

}  // namespace spmvgen
