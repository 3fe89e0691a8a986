#pragma once
#include <array>
#include <cstdio>
#include <string>

namespace spmvgen {

struct ProcessResult {
    int status;
    std::string output;
};

/// Runs a shell command; output is standard output (add 2>&1 where wanted).
inline ProcessResult run_process(const std::string& command) {
    ProcessResult result{-1, ""};
    FILE* pipe = popen(command.c_str(), "r");
    if (!pipe) return result;
    std::array<char, 4096> buffer{};
    while (auto n = std::fread(buffer.data(), 1, buffer.size(), pipe))
        result.output.append(buffer.data(), n);
    result.status = pclose(pipe);
    return result;
}

}  // namespace spmvgen
