// Every real matrix has the sizes that the table in INDEX.md tells.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "matrix/read/reader.hpp"

namespace spmvgen {
namespace {

const std::filesystem::path real_folder = SPMVGEN_MATRICES;

struct IndexRow {
    std::int64_t rows, cols, nnz, stored;
    std::string header;
};

/// The table under "## real/": | file | rows | cols | nnz | stored | header | ….
std::map<std::string, IndexRow> read_index() {
    std::map<std::string, IndexRow> index;
    std::ifstream file(real_folder / "INDEX.md");
    bool in_section = false;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("## ")) in_section = line == "## real/";
        if (!in_section || line.find(".mtx.gz |") == std::string::npos) continue;
        std::vector<std::string> cells;
        std::istringstream text(line);
        for (std::string cell; std::getline(text, cell, '|');) {
            const auto begin = cell.find_first_not_of(' ');
            const auto end = cell.find_last_not_of(' ');
            cells.push_back(begin == std::string::npos ? "" : cell.substr(begin, end - begin + 1));
        }
        index[cells[1]] = {std::stoll(cells[2]), std::stoll(cells[3]), std::stoll(cells[4]),
                           std::stoll(cells[5]), cells[6]};
    }
    return index;
}

TEST(RealMatrices, HaveTheSizesOfTheIndex) {
    if (!std::filesystem::exists(real_folder / "INDEX.md"))
        GTEST_SKIP() << real_folder << " is not there";
    const auto index = read_index();
    std::size_t seen = 0;
    for (const auto& entry : std::filesystem::directory_iterator(real_folder / "real")) {
        const std::string name = entry.path().filename();
        SCOPED_TRACE(name);
        ASSERT_TRUE(index.contains(name));
        const IndexRow& row = index.at(name);
        FileHeader header;
        const CsrMatrix a = read_matrix(entry.path(), &header);
        validate(a.view());
        EXPECT_EQ(a.rows, row.rows);
        EXPECT_EQ(a.cols, row.cols);
        EXPECT_EQ(a.nnz, row.nnz);
        EXPECT_EQ(header.stored, row.stored);
        EXPECT_EQ(header.field + " " + header.symmetry, row.header);
        ++seen;
    }
    EXPECT_EQ(seen, index.size());
}

}  // namespace
}  // namespace spmvgen
