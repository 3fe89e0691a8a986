#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace spmvgen::cli {

/// Where a verb writes: results to `out`, messages and progress to `err`.
struct Streams {
    std::ostream& out;
    std::ostream& err;
    /// What the library says, in the words of the verb that was given (in_words_of).
    std::function<std::string(std::string)> in_words;
};

/// One verb: its parser and what it does. `work` throws spmvgen::Error when the work fails (exit
/// status 1) and UsageError for options that are wrong (exit status 2).
struct Verb {
    CLI::App* parser;
    std::function<void(Streams&)> work;
};
using Verbs = std::vector<Verb>;

class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Each gives one verb its options and its work; to add another: a file, a line here and one in
/// command_line.cpp.
void add_analyze(CLI::App* verb, Verbs& verbs);
void add_bench(CLI::App* verb, Verbs& verbs);
void add_cache(CLI::App* verb, Verbs& verbs);
void add_convert(CLI::App* verb, Verbs& verbs);
void add_doctor(CLI::App* verb, Verbs& verbs);
void add_emit(CLI::App* verb, Verbs& verbs);
void add_gallery(CLI::App* verb, Verbs& verbs);
void add_pack(CLI::App* verb, Verbs& verbs);
void add_report(CLI::App* verb, Verbs& verbs);
void add_run(CLI::App* verb, Verbs& verbs);
void add_tune(CLI::App* verb, Verbs& verbs);

}  // namespace spmvgen::cli
