#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

/// Texts for command lines that are wrong.
namespace spmvgen::cli {

/// Text about arguments that `app` does not take, with the option that an unknown one may mean.
std::string unexpected_arguments(const CLI::App& app, const std::vector<std::string>& arguments);

/// A message of the library, which speaks of options.memory_limit, in words of `app`, which has
/// --memory-limit; what it has no option for is "the memory limit".
std::string in_words_of(const CLI::App& app, std::string message);

}  // namespace spmvgen::cli
