// Code in docs/ behind the mark <!-- from FILE --> stands in that file, line for line.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

const std::filesystem::path source_dir = SOURCE_DIR;

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

struct Snippet {
    std::string page, file, text;
};

/// Appends those of the page.
void find_snippets(const std::filesystem::path& page, std::vector<Snippet>& snippets) {
    const std::string text = read(page), mark = "<!-- from ", end_of_mark = " -->\n```";
    for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
        const auto name = at + mark.size(), end_of_name = text.find(end_of_mark, name);
        ASSERT_NE(end_of_name, text.npos) << page << ": a mark without code behind it";
        const auto begin = text.find('\n', end_of_name + end_of_mark.size()) + 1;
        snippets.push_back({page.filename(), text.substr(name, end_of_name - name),
                            text.substr(begin, text.find("```", begin) - begin)});
    }
}

TEST(Snippets, StandInTestedFiles) {
    std::vector<Snippet> snippets;
    for (auto& entry : std::filesystem::recursive_directory_iterator(source_dir / "docs"))
        if (entry.path().extension() == ".md") find_snippets(entry.path(), snippets);
    ASSERT_GE(snippets.size(), 7u);
    for (auto& s : snippets)
        EXPECT_NE(read(source_dir / s.file).find(s.text), std::string::npos)
            << s.page << ": not so in " << s.file << ":\n"
            << s.text;
}

}  // namespace
