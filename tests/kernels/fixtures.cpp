#include "fixtures.hpp"

#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <stdexcept>

namespace spmvgen::fixtures {
namespace {

Fixture named(const char* name, const char* oddity, std::int64_t cols) {
    Fixture f;
    f.name = name;
    f.oddity = oddity;
    f.cols = cols;
    return f;
}

/// `count` different columns, spread over `cols`; falling when `step` is negative.
std::vector<std::int64_t> spread(std::int64_t count, std::int64_t cols, std::int64_t start,
                                 std::int64_t step) {
    std::vector<std::int64_t> columns;
    for (std::int64_t i = 0; i < count; ++i)
        columns.push_back(((start + i * step) % cols + cols) % cols);
    return columns;
}

std::vector<std::int64_t> range(std::int64_t count) {
    std::vector<std::int64_t> columns(static_cast<std::size_t>(count));
    std::iota(columns.begin(), columns.end(), 0);
    return columns;
}

void add_degenerate(std::vector<Fixture>& list) {
    list.push_back(named("zero_by_zero", "0×0", 0));
    list.push_back(named("zero_by_three", "no rows", 3));
    Fixture no_cols = named("three_by_zero", "no columns", 0);
    for (int i = 0; i < 3; ++i) no_cols.row({});
    list.push_back(no_cols);
    Fixture one = named("one_by_one", "1×1", 1);
    one.row({0});
    list.push_back(one);
    Fixture none = named("no_entries", "nnz = 0", 5);
    for (int i = 0; i < 21; ++i) none.row({});
    list.push_back(none);
    Fixture two = named("two_by_two", "fewer rows than threads", 2);
    two.row({0, 1});
    two.row({1});
    list.push_back(two);
}

void add_empty_rows(std::vector<Fixture>& list) {
    Fixture leading = named("leading_empty_rows", "20 empty rows first", 9);
    for (int i = 0; i < 20; ++i) leading.row({});
    for (int i = 0; i < 13; ++i) leading.row(spread(1 + i % 5, 9, i, 2));
    list.push_back(leading);
    Fixture trailing = named("trailing_empty_rows", "20 empty rows last", 9);
    for (int i = 0; i < 13; ++i) trailing.row(spread(1 + i % 5, 9, i, 2));
    for (int i = 0; i < 20; ++i) trailing.row({});
    list.push_back(trailing);
    Fixture holes = named("many_empty_rows", "one row in seven has entries", 40);
    for (int i = 0; i < 90; ++i) holes.row(i % 7 == 3 ? spread(1 + i % 19, 40, i, 1) : range(0));
    list.push_back(holes);
}

void add_long_rows(std::vector<Fixture>& list) {
    Fixture dense_row = named("one_dense_row", "row 11 is full, the others have two entries", 300);
    for (int i = 0; i < 33; ++i) dense_row.row(i == 11 ? range(300) : spread(2, 300, i, 17));
    list.push_back(dense_row);
    Fixture only_row = named("single_long_row", "one row for all threads", 257);
    only_row.row(range(257));
    list.push_back(only_row);
    Fixture dense_column = named("one_dense_column", "column 4 in every row", 60);
    for (int i = 0; i < 60; ++i)
        dense_column.row(i == 4 ? spread(1, 60, 4, 1) : spread(2, 60, 4, i - 4));
    list.push_back(dense_column);
    Fixture all_long = named("all_rows_long", "every row longer than any vector", 200);
    for (int i = 0; i < 19; ++i) all_long.row(spread(67 + i, 200, i, 3));
    list.push_back(all_long);
    Fixture beyond = named("longer_than_a_block", "a row of 2500 entries between short ones", 2600);
    for (int i = 0; i < 70; ++i) beyond.row(i == 33 ? range(2500) : spread(i % 4, 2600, i, 37));
    list.push_back(beyond);
    Fixture lengths = named("every_length", "rows of 0 … 40 entries", 101);
    for (int i = 0; i <= 40; ++i) lengths.row(spread(i * 17 % 41, 101, i, 5));
    list.push_back(lengths);
}

void add_order(std::vector<Fixture>& list) {
    Fixture unsorted = named("unsorted_columns", "columns fall within rows", 50);
    for (int i = 0; i < 23; ++i) unsorted.row(spread(3 + i % 11, 50, 49 - i, -3));
    list.push_back(unsorted);
    Fixture duplicates = named("duplicates", "a column several times in a row: they add up", 8);
    for (int i = 0; i < 17; ++i) duplicates.row({i % 8, 3, i % 8, 3, 3});
    list.push_back(duplicates);
    Fixture stencil = named("regular", "all rows of one length, as many as fill whole slices", 64);
    for (int i = 0; i < 64; ++i) stencil.row(spread(5, 64, i, 7));
    list.push_back(stencil);
}

void add_special(std::vector<Fixture>& list) {
    for (auto [name, special] :
         {std::pair("infinite_x", Special::infinite), std::pair("nan_x", Special::nan)}) {
        Fixture f = named(name, "x[0] is not finite and meets rows 5 and 30 only", 30);
        for (int i = 0; i < 37; ++i)
            f.row(i == 5 || i == 30 ? spread(4, 30, 0, 6) : spread(i % 6, 30, 1 + i % 3, 4));
        f.first_x = special;
        list.push_back(f);
    }
}

std::vector<Fixture> make_all() {
    std::vector<Fixture> list;
    add_degenerate(list);
    add_empty_rows(list);
    add_long_rows(list);
    add_order(list);
    add_special(list);
    return list;
}

struct TemporaryFolder {
    std::string path = (std::filesystem::temp_directory_path() / "spmvgen-run-XXXXXX").string();
    TemporaryFolder() {
        if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no directory for " + path);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
};

}  // namespace

const std::string& cache_of_this_run() {
    static const TemporaryFolder folder;
    return folder.path;
}

const std::vector<Fixture>& all() {
    static const std::vector<Fixture> list = make_all();
    return list;
}

const Fixture& find(const std::string& name) {
    for (auto& f : all())
        if (f.name == name) return f;
    throw std::invalid_argument("no fixture " + name);
}

Fixture squared(Fixture f) {
    while (f.rows < f.cols) f.row({});
    f.cols = f.rows;
    return f;
}

}  // namespace spmvgen::fixtures
