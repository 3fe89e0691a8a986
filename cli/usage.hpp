#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

/// Texts for command lines that are wrong.
namespace spmvgen::cli {

/// Text about arguments that `app` does not take, with the option that an unknown one may mean.
std::string unexpected_arguments(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace spmvgen::cli
