// Lines that processes share in a file.
#include "store/shared_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "samples.hpp"

namespace spmvgen {
namespace {

namespace fs = std::filesystem;

class SharedLinesTest : public testing::Test {
  protected:
    fs::path directory() const { return temporary_.path() / "cache"; }
    SharedLines open(bool writable = true) const {
        return {{directory().string(), true}, "lines", writable};
    }
    std::string bytes() const { return read_file(directory() / "lines"); }

  private:
    TemporaryDirectory temporary_;
};

TEST_F(SharedLinesTest, AreReadAsTheyWereAdded) {
    SharedLines lines = open();
    EXPECT_EQ(lines.read(), "");
    lines.append("one\n");
    lines.append("two\n");
    EXPECT_EQ(open(false).read(), "one\ntwo\n");
    struct stat seen{};
    ASSERT_EQ(::stat((directory() / "lines").c_str(), &seen), 0);
    EXPECT_EQ(seen.st_mode & 0777, 0600u);
}

TEST_F(SharedLinesTest, WithoutAFileOrForReadingNothingIsWritten) {
    SharedLines none;
    none.append("one\n");
    EXPECT_EQ(none.read(), "");
    SharedLines reading = open(false);
    reading.append("one\n");
    EXPECT_FALSE(fs::exists(directory()));
}

TEST_F(SharedLinesTest, AFileThatGrewIsCutToItsLastLines) {
    std::string all;
    for (int i = 0; all.size() <= SharedLines::most_bytes; ++i)
        all += std::to_string(i) + " of many lines\n";
    write_file(directory() / "lines", all);
    ::chmod(directory().c_str(), 0700);
    const std::string unchanged = open(false).read();
    EXPECT_EQ(bytes(), all);
    const std::string left = open().read();
    EXPECT_EQ(left, unchanged);
    EXPECT_EQ(bytes(), left);
    EXPECT_LE(left.size(), SharedLines::most_bytes / 2);
    EXPECT_GT(left.size(), SharedLines::most_bytes / 2 - 100);
    EXPECT_TRUE(all.ends_with("\n" + left));
}

TEST_F(SharedLinesTest, GoIntoTheFileThatIsThereWhenOthersCutOrRemoveIt) {
    SharedLines lines = open();
    const std::string line = std::string(1000, 'x') + "\n";
    for (std::size_t size = 0; size <= SharedLines::most_bytes; size += line.size())
        lines.append(line);
    EXPECT_LE(open().read().size(), SharedLines::most_bytes / 2);
    lines.append("after the cut\n");
    EXPECT_TRUE(bytes().ends_with("x\nafter the cut\n"));
    fs::remove(directory() / "lines");
    lines.append("a new file\n");
    EXPECT_EQ(bytes(), "a new file\n");
}

TEST_F(SharedLinesTest, WhatOthersMayWriteToIsNotUsed) {
    open().append("one\n");
    ASSERT_EQ(::chmod((directory() / "lines").c_str(), 0666), 0);
    SharedLines lines = open();
    EXPECT_EQ(lines.read(), "");
    lines.append("two\n");
    EXPECT_EQ(bytes(), "one\n");
    ASSERT_EQ(::chmod((directory() / "lines").c_str(), 0600), 0);
    ASSERT_EQ(::chmod(directory().c_str(), 0777), 0);
    SharedLines others = open();
    EXPECT_EQ(others.read(), "");
    others.append("two\n");
    EXPECT_EQ(bytes(), "one\n");
}

TEST_F(SharedLinesTest, WhatIsNoFileIsLeft) {
    fs::create_directories(directory() / "lines");
    ::chmod(directory().c_str(), 0700);
    SharedLines lines = open();
    lines.append("one\n");
    EXPECT_EQ(lines.read(), "");
    fs::remove(directory() / "lines");
    fs::create_symlink("elsewhere", directory() / "lines");
    open().append("one\n");
    EXPECT_EQ(open().read(), "");
    EXPECT_FALSE(fs::exists(directory() / "elsewhere"));
}

TEST_F(SharedLinesTest, OfManyWritersAreWhole) {
    constexpr int writers = 4, each = 200;
    const std::string text(300, 'x');
    std::vector<std::thread> threads;
    for (int i = 0; i < writers; ++i)
        threads.emplace_back([&, i] {
            SharedLines lines = open();
            for (int k = 0; k < each; ++k)
                lines.append(std::to_string(i) + text + std::to_string(i) + "\n");
        });
    for (auto& thread : threads) thread.join();
    const std::string all = open().read();
    EXPECT_EQ(std::ranges::count(all, '\n'), writers * each);
    std::string_view rest = all;
    for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
        EXPECT_EQ(rest.substr(1, end - 2), text);
        EXPECT_EQ(rest[0], rest[end - 1]);
        rest.remove_prefix(end + 1);
    }
}

}  // namespace
}  // namespace spmvgen
