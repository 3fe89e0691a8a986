#include "usage.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace spmvgen::cli {
namespace {

/// Single-character edits, and exchanges of neighbours, that turn a into b.
std::size_t edits(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> least(a.size() + 1,
                                                std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                least[i][j] = i + j;
                continue;
            }
            least[i][j] = std::min({least[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1),
                                    least[i - 1][j] + 1, least[i][j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                least[i][j] = std::min(least[i][j], least[i - 2][j - 2] + 1);
        }
    return least.back().back();
}

/// Edits that a word of so many letters may be away from what was meant: a typing error or two, and
/// never so many that another word comes out.
std::size_t most_edits(std::size_t letters) {
    return letters < 3 ? 0 : letters < 6 ? 1 : 2;
}

/// Whether the option can be given once more.
bool is_free(const CLI::Option& option) {
    if (option.get_group().empty()) return false;  // hidden
    if (option.count() > 0 && option.get_items_expected_max() <= 1) return false;
    return std::ranges::none_of(option.get_excludes(),
                                [](const CLI::Option* other) { return other->count() > 0; });
}

/// The long option of `app` that `word` is a misspelling of and that can be given, or "".
std::string nearest_option(const CLI::App& app, const std::string& word) {
    std::string nearest;
    std::size_t fewest = 3;
    for (const CLI::Option* option : app.get_options()) {
        if (!is_free(*option)) continue;
        for (auto& name : option->get_lnames()) {
            const auto n = edits(word, "--" + name);
            if (n > most_edits(std::min(word.size() - 2, name.size())) || n >= fewest) continue;
            fewest = n;
            nearest = "--" + name;
        }
    }
    return nearest;
}

}  // namespace

std::string unexpected_arguments(const CLI::App& app, const std::vector<std::string>& arguments) {
    if (arguments.empty()) return "too many arguments";
    const std::string& first = arguments.front();
    if (!first.starts_with("-")) return "unexpected argument '" + first + "'";
    const std::string name = first.substr(0, first.find('='));
    const std::string meant = name.starts_with("--") ? nearest_option(app, name) : "";
    return "unknown option '" + name + "'" + (meant.empty() ? "" : ": did you mean " + meant + "?");
}

}  // namespace spmvgen::cli
