#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "samples.hpp"
#include "store/store.hpp"

namespace spmvgen {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

TEST(Threads, OneStoreForAll) {
    const TemporaryDirectory directory;
    Warnings warnings;
    Store store(sample_options(directory.path().string(), warnings));
    constexpr int threads = 8, rounds = 40;
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> team;
    for (int t = 0; t < threads; ++t)
        team.emplace_back([&, t] {
            for (int round = 0; round < rounds; ++round) {
                KernelBinary binary = filled_binary(5000, static_cast<char>('A' + t));
                binary.signature.num_rhs = 1 + round % 4;
                wrong += !store.put(binary);
                const auto found = store.find(binary.signature);
                wrong +=
                    !found || !is_uniform(found->bytes) || found->signature != binary.signature;
            }
        });
    team.clear();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(store.counters().hits, threads * rounds);
    EXPECT_EQ(store.counters().written, threads * rounds);
    EXPECT_EQ(store.list(Store::Check::everything).size(), 4u);
    EXPECT_THAT(warnings.texts(), IsEmpty());
}

TEST(Threads, RemovedWhileOthersRead) {
    const TemporaryDirectory directory;
    Warnings warnings;
    const StoreOptions options = sample_options(directory.path().string(), warnings);
    Store store(options);
    ASSERT_TRUE(store.put(filled_binary(50000, 'a')));
    std::atomic<bool> done = false;
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> readers;
    for (int t = 0; t < 3; ++t)
        readers.emplace_back([&] {
            Store own(options);
            while (!done) {
                const auto found = own.find(sample_signature());
                wrong += found && !is_uniform(found->bytes);
                own.list(Store::Check::everything);
            }
            wrong += static_cast<int>(own.counters().rejected);
        });
    for (int round = 0; round < 300; ++round) {
        if (round % 2)
            fs::remove(store.path_of(sample_signature()));
        else
            EXPECT_LE(store.clear(), 1);
        EXPECT_TRUE(store.put(filled_binary(50000, static_cast<char>('a' + round % 26))));
    }
    done = true;
    readers.clear();
    EXPECT_EQ(wrong, 0);
    EXPECT_THAT(warnings.texts(), IsEmpty());
}

// One thread damages entries, the others must never take one.
TEST(Threads, DamagedWhileOthersRead) {
    const TemporaryDirectory directory;
    Warnings warnings;
    const StoreOptions options = sample_options(directory.path().string(), warnings);
    Store store(options);
    ASSERT_TRUE(store.put(filled_binary(50000, 'a')));
    const std::string path = store.path_of(sample_signature()), sound = read_file(path);
    std::atomic<bool> done = false;
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> readers;
    for (int t = 0; t < 2; ++t)
        readers.emplace_back([&] {
            while (!done) {
                const auto found = store.find(sample_signature());
                wrong += found && !is_uniform(found->bytes);
            }
        });
    for (std::size_t round = 0; round < 300; ++round) {
        write_file(path, sound.substr(0, round * sound.size() / 300));
        if (round % 3 == 0) {
            EXPECT_TRUE(store.put(filled_binary(50000, 'b')));
        }
    }
    done = true;
    readers.clear();
    EXPECT_EQ(wrong, 0);
    EXPECT_LE(warnings.texts().size(), 1u);
}

// Each with a store of its own, as the handles of a process have: one makes it.
TEST(Threads, OneMakesWhatAllMiss) {
    const TemporaryDirectory directory;
    Warnings warnings;
    std::atomic<int> made = 0, missing = 0;
    for (int round = 0; round < 20; ++round) {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 8; ++t)
            threads.emplace_back([&, round] {
                Store store(
                    sample_options((directory.path() / std::to_string(round)).string(), warnings));
                if (store.find(sample_signature())) return;
                const EntryLock lock = store.lock(sample_signature());
                if (store.find(sample_signature())) return;
                ++made;
                missing += !store.put(sample_binary());
            });
    }
    EXPECT_EQ(made, 20);
    EXPECT_EQ(missing, 0);
}

}  // namespace
}  // namespace spmvgen
