#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include "store/quantities.hpp"
#include "store_fixture.hpp"

namespace spmvgen {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t now = 1'000'000'000, day = 86400;

class Prune : public StoreTest {
  protected:
    Store at(std::int64_t time, std::int64_t max_bytes = 0) {
        StoreOptions options = sample_options(directory(), warnings_);
        options.clock = [time] { return time; };
        options.max_bytes = max_bytes;
        return Store(options);
    }
    static KernelBinary numbered(int number, std::size_t size = 1000) {
        KernelBinary binary = filled_binary(size, 'a');
        binary.signature.num_rhs = number;
        return binary;
    }
    std::string path_of(int number) { return open().path_of(numbered(number).signature); }
    /// Puts entry `number` that was used at `used`.
    void keep(int number, std::int64_t used) {
        ASSERT_TRUE(at(now).put(numbered(number)));
        set_mtime(path_of(number), used);
    }
    std::int64_t bytes_of(int number) {
        return static_cast<std::int64_t>(fs::file_size(path_of(number)));
    }
    std::vector<int> left(int last) {
        std::vector<int> numbers;
        for (int number = 1; number <= last; ++number)
            if (fs::exists(path_of(number))) numbers.push_back(number);
        return numbers;
    }
    std::int64_t stamp() {
        struct stat s{};
        return ::stat((directory() + "/" + prune_stamp).c_str(), &s) == 0 ? s.st_mtime : -1;
    }
};

TEST_F(Prune, BySizeRemovesWhatWasNotUsedForLongest) {
    keep(1, now - 2 * day);
    keep(2, now - 4 * day);
    keep(3, now - 1 * day);
    keep(4, now - 3 * day);
    const std::int64_t each = bytes_of(1);
    Store store = at(now);
    EXPECT_EQ(store.prune({.bytes = 2 * each}),
              (Store::Pruned{.entries = 2, .bytes = 2 * each, .left = 2, .left_bytes = 2 * each}));
    EXPECT_THAT(left(4), ElementsAre(1, 3));
    EXPECT_EQ(store.prune({.bytes = 2 * each}).entries, 0) << "a limit may be reached";
    EXPECT_EQ(store.prune({.bytes = 2 * each - 1}).entries, 1);
    EXPECT_THAT(left(4), ElementsAre(3));
    EXPECT_THAT(warnings_.texts(), IsEmpty());
}

TEST_F(Prune, ByAgeRemovesWhatWasNotUsedForThatLong) {
    keep(1, now - 90 * day - 1);
    keep(2, now - 90 * day);
    EXPECT_EQ(at(now).prune({.age_seconds = 90 * day}).entries, 1);
    EXPECT_THAT(left(2), ElementsAre(2));
}

TEST_F(Prune, NothingIsRemovedWithoutALimit) {
    keep(1, 0);
    EXPECT_EQ(at(now).prune({}).entries, 0);
    EXPECT_THAT(left(1), ElementsAre(1));
}

TEST_F(Prune, WhatIsYoungStays) {
    keep(1, now - 599);
    keep(2, now - 600);
    keep(3, now + 599);   // of a machine whose clock is ahead
    keep(4, now + 7000);  // never young again, but the last to go
    const auto done = at(now).prune({.bytes = 0});
    EXPECT_EQ(done.entries, 2);
    EXPECT_EQ(done.young, 2);
    EXPECT_EQ(done.left, 2);
    EXPECT_THAT(left(4), ElementsAre(1, 3));
}

TEST_F(Prune, CleansWhatCrashedWritersLeftAndNothingForeign) {
    keep(1, now - day);
    const fs::path shard = fs::path(path_of(1)).parent_path();
    const fs::path stale = shard / ("tmp-" + std::string(32, '0')),
                   fresh = shard / ("tmp-" + std::string(32, '1')), foreign = shard / "notes.txt";
    for (auto& file : {stale, fresh, foreign}) write_file(file, "text");
    set_mtime(stale, now - 3601);
    set_mtime(fresh, now - 3599);
    set_mtime(foreign, 0);
    EXPECT_EQ(at(now).prune({.bytes = 1'000'000}).temporary, 1);
    EXPECT_FALSE(fs::exists(stale));
    EXPECT_TRUE(fs::exists(fresh) && fs::exists(foreign) && fs::exists(path_of(1)));
}

TEST_F(Prune, AFindIsAUseButWritesOnceADay) {
    keep(1, now - 10 * day);
    keep(2, now - 5 * day);
    const auto used = [&](int number) {
        struct stat s{};
        EXPECT_EQ(::stat(path_of(number).c_str(), &s), 0);
        return std::int64_t{s.st_mtime};
    };
    EXPECT_TRUE(at(now).find(numbered(1).signature));
    EXPECT_EQ(used(1), now);
    EXPECT_TRUE(at(now + day - 1).find(numbered(1).signature));
    EXPECT_EQ(used(1), now);
    StoreOptions readonly = sample_options(directory(), warnings_);
    readonly.writable = false;
    EXPECT_TRUE(Store(readonly).find(numbered(2).signature));
    EXPECT_EQ(used(2), now - 5 * day) << "a store that is not writable touches nothing";
    EXPECT_EQ(at(now + 2 * day).prune({.bytes = bytes_of(1)}).entries, 1);
    EXPECT_THAT(left(2), ElementsAre(1));
}

TEST_F(Prune, APutPrunesWhatExceedsTheLimit) {
    keep(1, now - 2 * day);
    keep(2, now - 1 * day);
    const std::int64_t each = bytes_of(1);
    EXPECT_TRUE(at(now, 2 * each).put(numbered(3)));
    set_mtime(path_of(3), now);  // the file system's clock is not the test's
    EXPECT_THAT(left(3), ElementsAre(2, 3));
    EXPECT_EQ(stamp(), now);
}

TEST_F(Prune, APutPrunesAtMostEveryTenMinutes) {
    keep(1, now - 3 * day);
    const std::int64_t each = bytes_of(1);
    EXPECT_TRUE(at(now, 10 * each).put(numbered(2)));
    EXPECT_EQ(stamp(), now);
    EXPECT_TRUE(at(now + 599, 1).put(numbered(3)));
    EXPECT_THAT(left(3), ElementsAre(1, 2, 3));
    EXPECT_EQ(stamp(), now);
    EXPECT_TRUE(at(now + 600, each).put(numbered(3)));
    EXPECT_FALSE(fs::exists(path_of(1)));
    EXPECT_EQ(stamp(), now + 600);
    EXPECT_TRUE(at(now - 600, each).put(numbered(3))) << "a clock that goes back does no harm";
    EXPECT_EQ(stamp(), now - 600);
}

TEST_F(Prune, APutLeavesItToTheProcessThatIsAtIt) {
    keep(1, now - 3 * day);
    write_file(directory() + "/" + prune_stamp, "");
    set_mtime(directory() + "/" + prune_stamp, now - day);
    const File other(::open((directory() + "/" + prune_stamp).c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::flock(other.get(), LOCK_EX | LOCK_NB), 0);
    EXPECT_TRUE(at(now, 1).put(numbered(2)));
    EXPECT_THAT(left(2), ElementsAre(1, 2));
    ASSERT_EQ(::flock(other.get(), LOCK_UN), 0);
    EXPECT_TRUE(at(now, 1).put(numbered(2)));
    EXPECT_FALSE(fs::exists(path_of(1)));
}

TEST_F(Prune, AFindNeverPrunes) {
    keep(1, now - 3 * day);
    keep(2, now - 3 * day);
    EXPECT_TRUE(at(now, 1).find(numbered(1).signature));
    EXPECT_FALSE(at(now, 1).find(numbered(3).signature));
    EXPECT_THAT(left(2), ElementsAre(1, 2));
    EXPECT_EQ(stamp(), -1);
}

TEST_F(Prune, AStampThatIsNoFileDoesNoHarm) {
    keep(1, now - 3 * day);
    for (const bool link : {false, true}) {
        fs::remove(directory() + "/" + prune_stamp);
        if (link)
            fs::create_symlink(temporary_.path() / "elsewhere", directory() + "/" + prune_stamp);
        else
            fs::create_directory(directory() + "/" + prune_stamp);
        EXPECT_TRUE(at(now, 1).put(numbered(2)));
    }
    EXPECT_FALSE(fs::exists(temporary_.path() / "elsewhere"));
    EXPECT_THAT(left(2), ElementsAre(1, 2));
}

TEST_F(Prune, AReadOnlyStoreRemovesNothing) {
    keep(1, now - 3 * day);
    EXPECT_EQ(open(false).prune({.bytes = 0}), Store::Pruned{});
    EXPECT_THAT(left(1), ElementsAre(1));
    EXPECT_THAT(warnings_.texts(), ElementsAre("kernel cache " + directory() +
                                               " is not pruned: it is open for reading only"));
}

TEST_F(Prune, TheLimitIsAnOptionAndAnEnvironmentVariable) {
    StoreOptions options = sample_options(directory(), warnings_);
    ::unsetenv("SPMVGEN_CACHE_MAX_SIZE");
    EXPECT_EQ(Store(options).max_bytes(), 1'000'000'000);
    ::setenv("SPMVGEN_CACHE_MAX_SIZE", "200M", 1);
    EXPECT_EQ(Store(options).max_bytes(), 200'000'000);
    options.max_bytes = 5;
    EXPECT_EQ(Store(options).max_bytes(), 5);
    options.max_bytes.reset();
    ::setenv("SPMVGEN_CACHE_MAX_SIZE", "much", 1);
    EXPECT_EQ(Store(options).max_bytes(), 1'000'000'000);
    ::unsetenv("SPMVGEN_CACHE_MAX_SIZE");
    EXPECT_THAT(warnings_.texts(),
                ElementsAre("SPMVGEN_CACHE_MAX_SIZE is 'much': use a size such as 200M or 1.5G, or "
                            "0 for no limit; 1G is taken"));
}

TEST_F(Prune, VerifyRemovesWhatIsDamagedAndNothingElse) {
    keep(1, now);
    keep(2, now);
    keep(3, now);
    std::string damaged = read_file(path_of(1)), later = read_file(path_of(2));
    damaged[damaged.size() - sha256_bytes - 1] ^= 1;
    later[8] = 3;
    write_file(path_of(1), damaged);
    write_file(path_of(2), later);
    for (const bool remove : {false, true}) {
        int wrong = 0, removed = 0, problems = 0;
        for (auto& entry : at(now).verify(remove)) {
            wrong += entry.damaged;
            removed += entry.removed;
            problems += entry.problem != "";
        }
        EXPECT_EQ(wrong, 1);
        EXPECT_EQ(problems, 2);
        EXPECT_EQ(removed, remove ? 1 : 0);
        EXPECT_EQ(fs::exists(path_of(1)), !remove);
    }
    EXPECT_EQ(read_file(path_of(2)), later);
    EXPECT_TRUE(at(now).find(numbered(3).signature));
    EXPECT_FALSE(open(false).verify(true).empty());
}

TEST(Quantities, Sizes) {
    for (auto& [text, bytes] : std::initializer_list<std::pair<const char*, std::int64_t>>{
             {"0", 0},
             {"500000", 500000},
             {"200M", 200'000'000},
             {"1.5G", 1'500'000'000},
             {"3k", 3000},
             {"2T", 2'000'000'000'000},
             {"1Ki", 1024},
             {"2Mi", 2 << 20},
             {"1Gi", 1 << 30},
             {"1Ti", std::int64_t{1} << 40}})
        EXPECT_EQ(parse_size(text), bytes) << text;
    for (const char* text : {"", "M", "-1", "1e3", "1 M", "1MB", "1m", "nan", "inf", "1M ", " 1",
                             "9223372036854775808", "1e", "0x10", "1,5G"})
        EXPECT_EQ(parse_size(text), std::nullopt) << text;
}

TEST(Quantities, Ages) {
    for (auto& [text, seconds] :
         std::initializer_list<std::pair<const char*, std::int64_t>>{{"45s", 45},
                                                                     {"30m", 1800},
                                                                     {"12h", 43200},
                                                                     {"90d", 90 * day},
                                                                     {"2w", 14 * day},
                                                                     {"0d", 0},
                                                                     {"1.5h", 5400}})
        EXPECT_EQ(parse_age(text), seconds) << text;
    for (const char* text : {"", "90", "d", "-1d", "1y", "1 d", "99999999999999999999w"})
        EXPECT_EQ(parse_age(text), std::nullopt) << text;
}

}  // namespace
}  // namespace spmvgen
