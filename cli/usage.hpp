#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

/// Texts for command lines that are wrong, and what they are about.
namespace spmvgen::cli {

/// The innermost command that was given: `info` of `spmvgen cache info`.
CLI::App* deepest(CLI::App& program);

/// "spmvgen cache info".
std::string path_of(const CLI::App* app);

struct WrongCommand {
    std::string what;
    const CLI::App* where;  ///< whose help tells more
};

/// Whether the words before the first option name a verb with all its parts.
std::optional<WrongCommand> wrong_command(const CLI::App& program,
                                          const std::vector<std::string>& arguments);

/// Text about arguments that `app` does not take, with the option that an unknown one may mean.
std::string unexpected_arguments(const CLI::App& app, const std::vector<std::string>& arguments);

/// A message of the library, which speaks of options.memory_limit, in words of `app`, which has
/// --memory-limit. What it has no option for stays.
std::string in_words_of(const CLI::App& app, std::string message);

}  // namespace spmvgen::cli
