#include "command_line.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "spmvgen/error.hpp"
#include "spmvgen/spmvgen.hpp"
#include "text/verb.hpp"
#include "usage.hpp"

namespace spmvgen::cli {
namespace {

constexpr int done = 0, failed = 1, wrong_usage = 2;

constexpr const char* overview =
    "A kernel compiler for sparse matrix-vector products, y = αAx + βy.\n"
    "A matrix A.mtx is a file (Matrix Market, plain or .gz, or binary CSR) or a generated one:\n"
    "gallery:stencil5:nx=100 (see: spmvgen gallery list).";
constexpr const char* examples =
    "Examples:\n"
    "  spmvgen run A.mtx --check                     multiply, check and time\n"
    "  spmvgen analyze A.mtx                         what the matrix looks like\n"
    "  spmvgen emit --format csr --arch x86-64-v4    print a specialised kernel\n"
    "  spmvgen doctor                                what was found, what is missing\n"
    "\n"
    "Exit status: 0 done, 1 the work failed, 2 wrong usage.";

constexpr const char* first_example =
    "spmvgen multiplies sparse matrices with vectors: y = αAx + βy.\n"
    "It chooses a storage format and an algorithm for the matrix, and compiles that kernel.\n"
    "\n"
    "A first example, with a generated matrix:\n"
    "  spmvgen run gallery:stencil5:nx=100 --check      multiply, check and time\n"
    "  spmvgen run gallery:stencil5:nx=100 --explain    why this kernel was chosen\n"
    "  spmvgen emit --matrix gallery:stencil5:nx=100    print the kernel's source\n"
    "\n"
    "All commands: spmvgen --help. Options of one: spmvgen run --help.\n";

/// A verb: `add` gives its parser options and parts, and says what it does.
struct VerbEntry {
    const char* name;
    const char* summary;
    void (*add)(CLI::App* verb, Verbs& verbs);
};
constexpr VerbEntry all_verbs[] = {
    {"emit", "print or compile a specialised kernel", add_emit},
    {"analyze", "show what a matrix looks like", add_analyze},
    {"run", "multiply, check and time: y = αAx + βy", add_run},
    {"bench", "time kernels beside other libraries, every product checked", add_bench},
    {"report", "make a page (HTML, self-contained) of what bench --json wrote", add_report},
    {"tune", "measure on this device what the tuner chooses by", add_tune},
    {"convert", "write a matrix as Matrix Market or as binary CSR, which is read faster",
     add_convert},
    {"cache", "the kernels that are kept on disk", add_cache},
    {"pack", "kernel sets: kernels made ahead for machines without a compiler", add_pack},
    {"gallery", "deterministic test matrices", add_gallery},
    {"doctor", "show what was found, which versions, what is missing and how to get it",
     add_doctor},
};

/// Knows all verbs by name, and of those among the arguments the options, too.
struct CommandLine {
    CLI::App program{overview, "spmvgen"};
    Verbs verbs;

    explicit CommandLine(const std::vector<std::string>& arguments) {
        program.set_version_flag("--version", std::string("spmvgen ") + version(),
                                 "show the version and exit");
        program.set_help_flag("-h,--help", "show this and exit");
        program.require_subcommand(1);
        program.footer(examples);
        for (auto& verb : all_verbs) {
            CLI::App* const parser = program.add_subcommand(verb.name, verb.summary);
            if (std::ranges::find(arguments, verb.name) != arguments.end()) verb.add(parser, verbs);
        }
    }
};

std::vector<const CLI::App*> parts_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
}

/// The innermost command that was given: `info` of `spmvgen cache info`.
CLI::App* deepest(CLI::App& program) {
    const auto given = program.get_subcommands();
    return given.empty() ? &program : deepest(*given.front());
}

/// "spmvgen cache info".
std::string path_of(const CLI::App* app) {
    return app->get_parent() == nullptr ? app->get_name()
                                        : path_of(app->get_parent()) + " " + app->get_name();
}

struct WrongCommand {
    std::string what;
    const CLI::App* where;  ///< whose help tells more
};

/// Whether the words before the first option name a verb with all its parts.
std::optional<WrongCommand> wrong_command(const CLI::App& program,
                                          const std::vector<std::string>& arguments) {
    const CLI::App* app = &program;
    for (std::size_t i = 0; !parts_of(*app).empty(); ++i) {
        std::string names;
        const CLI::App* next = nullptr;
        for (const CLI::App* part : parts_of(*app)) {
            names += (names.empty() ? "" : ", ") + part->get_name();
            if (i < arguments.size() && arguments[i] == part->get_name()) next = part;
        }
        // A verb that works by itself, too.
        if (next == nullptr && app->get_require_subcommand_min() == 0) return std::nullopt;
        if (i == arguments.size())
            return WrongCommand{"a command is missing: use one of " + names, app};
        if (next == nullptr && arguments[i].starts_with("-")) {
            if (app->get_option_no_throw(arguments[i]) != nullptr) return std::nullopt;
            return WrongCommand{unexpected_arguments(*app, {arguments[i]}), app};
        }
        if (next == nullptr)
            return WrongCommand{"unknown command '" + arguments[i] + "': use one of " + names, app};
        app = next;
    }
    return std::nullopt;
}

int usage_error(const std::string& what, const CLI::App* app, std::ostream& err) {
    err << "spmvgen: " << what << "\nsee: " << path_of(app) << " --help\n";
    return wrong_usage;
}

/// Parses; nothing when the verb's work is to be done, else the exit status.
std::optional<int> parse(CommandLine& line, const std::vector<std::string>& arguments,
                         std::ostream& out, std::ostream& err) {
    if (arguments.empty()) {
        err << first_example;
        return wrong_usage;
    }
    if (const auto wrong = wrong_command(line.program, arguments))
        return usage_error(wrong->what, wrong->where, err);
    try {
        line.program.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
        return std::nullopt;
    } catch (const CLI::CallForHelp&) {
        CLI::App* const app = deepest(line.program);
        out << app->help(app == &line.program ? "" : path_of(app->get_parent()));
        return done;
    } catch (const CLI::CallForVersion& version_text) {
        out << version_text.what() << "\n";
        return done;
    } catch (const CLI::ExtrasError&) {
        CLI::App* const app = deepest(line.program);
        return usage_error(unexpected_arguments(*app, line.program.remaining(true)), app, err);
    } catch (const CLI::ParseError& error) {
        return usage_error(error.what(), deepest(line.program), err);
    }
}

/// A message of the library, which speaks of options.memory_limit, in words of `app`, which has
/// --memory-limit; what it has no option for is "the memory limit".
std::string in_words_of(const CLI::App& app, std::string message) {
    constexpr std::string_view library = "options.";
    constexpr std::pair<std::string_view, std::string_view> other_names[] = {
        {"budget_ms", "budget"},
        {"expected_applies", "expect"},
        {"num_rhs", "rhs"},
        {"target", "arch"}};
    for (std::size_t at = 0; (at = message.find(library, at)) != std::string::npos; ++at) {
        const std::size_t begin = at + library.size();
        const std::size_t end = std::min(
            message.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", begin), message.size());
        std::string name = message.substr(begin, end - begin);
        for (auto& [of_library, of_app] : other_names)
            if (name == of_library) name = of_app;
        std::ranges::replace(name, '_', '-');
        const bool has_option = app.get_option_no_throw("--" + name) != nullptr;
        if (!has_option) std::ranges::replace(name, '-', ' ');
        message.replace(at, end - at, (has_option ? "--" : "the ") + name);
    }
    return message;
}

int work(CommandLine& line, Streams& streams) {
    const CLI::App* const given = deepest(line.program);
    streams.in_words = [given](std::string text) { return in_words_of(*given, std::move(text)); };
    try {
        for (auto& verb : line.verbs)
            if (verb.parser == given) verb.work(streams);
        return done;
    } catch (const UsageError& error) {
        return usage_error(error.what(), given, streams.err);
    } catch (const Error& error) {
        const std::string text = streams.in_words(error.what());
        // A message that begins with an option is about that.
        const bool of_option = std::string_view(error.what()).starts_with("options.");
        if (of_option && text.starts_with("--")) return usage_error(text, given, streams.err);
        streams.err << "spmvgen: " << text << "\n";
    } catch (const std::bad_alloc&) {
        streams.err << "spmvgen: not enough memory\n";
    } catch (const std::exception& error) {
        streams.err << "spmvgen: internal error: " << error.what() << "\n";
    }
    return failed;
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments, std::ostream& out,
                     std::ostream& err) {
    CommandLine line(arguments);
    std::ostringstream held;  // written at once, so that errno tells why it cannot be
    Streams streams{held, err, {}};
    const auto early = parse(line, arguments, held, err);
    const int status = early ? *early : work(line, streams);
    errno = 0;
    if (!(out << held.view() << std::flush) && status == done) {
        err << "spmvgen: cannot write to standard output"
            << (errno != 0 ? ": " + std::string(std::strerror(errno)) : "") << "\n";
        return failed;
    }
    return status;
}

}  // namespace spmvgen::cli
