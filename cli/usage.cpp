#include "usage.hpp"

#include <algorithm>
#include <numeric>

namespace spmvgen::cli {
namespace {

/// Levenshtein's distance: single-character edits that turn a into b.
std::size_t edits(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

/// The long option of `app` that is at most three edits from `word`, or "".
std::string nearest_option(const CLI::App& app, const std::string& word) {
    std::string nearest;
    std::size_t fewest = 4;
    for (const CLI::Option* option : app.get_options())
        for (auto& name : option->get_lnames())
            if (const auto n = edits(word, "--" + name); n < fewest) {
                fewest = n;
                nearest = "--" + name;
            }
    return nearest;
}

std::vector<const CLI::App*> parts_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
}

}  // namespace

CLI::App* deepest(CLI::App& program) {
    const auto given = program.get_subcommands();
    return given.empty() ? &program : deepest(*given.front());
}

std::string path_of(const CLI::App* app) {
    return app->get_parent() == nullptr ? app->get_name()
                                        : path_of(app->get_parent()) + " " + app->get_name();
}

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

std::string unexpected_arguments(const CLI::App& app, const std::vector<std::string>& arguments) {
    if (arguments.empty()) return "too many arguments";
    const std::string& first = arguments.front();
    if (!first.starts_with("-")) return "unexpected argument '" + first + "'";
    const std::string name = first.substr(0, first.find('='));
    const std::string meant = nearest_option(app, name);
    return "unknown option '" + name + "'" + (meant.empty() ? "" : ": did you mean " + meant + "?");
}

}  // namespace spmvgen::cli
