#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "spmvgen/spmvgen.hpp"
#include "store/key.hpp"
#include "store_fixture.hpp"

namespace spmvgen {
namespace {

using testing::IsEmpty;

using ListAndClear = StoreTest;

TEST_F(ListAndClear, ListTellsWhatIsThere) {
    StoreOptions options = sample_options(directory(), warnings_);
    options.clock = [] { return std::int64_t{1795215845}; };
    Store store(options);
    EXPECT_THAT(store.list(), IsEmpty());
    ASSERT_TRUE(store.put(sample_binary()));
    for (auto check : {Store::Check::header, Store::Check::everything}) {
        const auto entries = store.list(check);
        ASSERT_EQ(entries.size(), 1u);
        EXPECT_EQ(entries[0].path, path());
        EXPECT_EQ(entries[0].name, kernel_name(sample_signature()));
        EXPECT_EQ(entries[0].target, "x86-64-v4:tune=sapphirerapids");
        EXPECT_EQ(entries[0].bytes, static_cast<std::int64_t>(fs::file_size(path())));
        EXPECT_EQ(entries[0].compiler, "clang 19.1.7 (Debian)");
        EXPECT_EQ(entries[0].version, version());
        EXPECT_EQ(entries[0].created, "2026-11-20T23:04:05Z");
        EXPECT_TRUE(entries[0].current);
        EXPECT_EQ(entries[0].problem, "");
    }
}

TEST_F(ListAndClear, ListFindsDamageAndRemovesNothing) {
    Store store = open();
    ASSERT_TRUE(store.put(sample_binary()));
    std::string damaged = read_file(path());
    damaged[damaged.size() - sha256_bytes - 1] ^= 1;
    write_file(path(), damaged);
    EXPECT_EQ(store.list().at(0).problem, "") << "headers only";
    EXPECT_EQ(store.list(Store::Check::everything).at(0).problem, "its checksum does not match");
    write_file(path(), damaged.substr(0, 300));
    EXPECT_EQ(store.list().at(0).problem, "300 bytes are not what its lengths add up to");
    EXPECT_EQ(read_file(path()).size(), 300u);
}

TEST_F(ListAndClear, ClearRemovesEntriesAndNothingForeign) {
    Store store = open();
    ASSERT_TRUE(store.put(sample_binary()));
    const fs::path root = directory(), shard = fs::path(path()).parent_path();
    write_file(shard / (std::string(62, '0') + ".spmvk"), "a damaged entry");
    const std::vector<fs::path> foreign{root / "README",
                                        root / (std::string(62, '0') + ".spmvk"),
                                        root / "zz" / (std::string(62, '0') + ".spmvk"),
                                        root / "abc" / (std::string(62, '0') + ".spmvk"),
                                        shard / "notes.txt",
                                        shard / (std::string(61, '0') + ".spmvk"),
                                        shard / (std::string(62, 'A') + ".spmvk"),
                                        shard / (std::string(62, '0') + ".spmvk~"),
                                        shard / "tmp-1",
                                        shard / ("tmp-" + std::string(32, 'x'))};
    for (auto& file : foreign) {
        write_file(file, "foreign");
        set_mtime(file, 0);
    }
    write_file(root / choices_name, "a line\n");
    EXPECT_EQ(store.list().size(), 2u);
    EXPECT_EQ(store.clear(), 2);
    EXPECT_FALSE(fs::exists(root / choices_name));
    EXPECT_THAT(store.list(), IsEmpty());
    auto left = files_below(root);
    std::ranges::sort(left);
    auto expected = foreign;
    std::ranges::sort(expected);
    EXPECT_EQ(left, expected);
    EXPECT_TRUE(store.put(sample_binary()));
    EXPECT_TRUE(finds(store));
}

TEST_F(ListAndClear, ClearRemovesOnlyStaleTemporaryFiles) {
    StoreOptions options = sample_options(directory(), warnings_);
    options.clock = [] { return std::int64_t{1000000}; };
    Store store(options);
    ASSERT_TRUE(store.put(sample_binary()));
    const fs::path shard = fs::path(path()).parent_path();
    const auto temporary = [&](char digit) { return shard / ("tmp-" + std::string(32, digit)); };
    for (auto [digit, age] : {std::pair{'0', 3601}, {'1', 3599}, {'2', -100000}}) {
        write_file(temporary(digit), "torn");
        set_mtime(temporary(digit), 1000000 - age);
    }
    EXPECT_EQ(store.list().size(), 1u) << "what is being written is no entry";
    EXPECT_EQ(store.clear(), 1);
    EXPECT_FALSE(fs::exists(temporary('0')));
    EXPECT_TRUE(fs::exists(temporary('1'))) << "somebody may be writing it";
    EXPECT_TRUE(fs::exists(temporary('2'))) << "from a machine whose clock is ahead";
}

}  // namespace
}  // namespace spmvgen
