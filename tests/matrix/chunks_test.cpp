#include "matrix/chunks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "matrix/features/distinct.hpp"

namespace spmvgen {
namespace {

TEST(Chunks, EachIsTakenOnceByAnyTeam) {
    for (const int threads : {0, 1, 2, 3})
        for (const std::int64_t count : {0, 1, 2, 100}) {
            SCOPED_TRACE(testing::Message() << count << " chunks, " << threads << " threads");
            std::vector<std::atomic<int>> taken(static_cast<std::size_t>(count));
            for_chunks(count, threads, [&](std::int64_t chunk, int thread) {
                EXPECT_GE(thread, 0);
                EXPECT_LT(thread, thread_count(threads));
                ++taken[static_cast<std::size_t>(chunk)];
            });
            for (auto& times : taken) EXPECT_EQ(times, 1);
        }
}

TEST(Chunks, AThrowEndsThem) {
    for (const int threads : {1, 2}) {
        SCOPED_TRACE(testing::Message() << threads << " threads");
        std::atomic<int> begun{0};
        const auto body = [&](std::int64_t chunk, int) {
            ++begun;
            if (chunk == 3) throw std::runtime_error("chunk 3");
        };
        try {
            for_chunks(1000, threads, body);
            ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "chunk 3");
        }
        if (threads == 1) {
            EXPECT_EQ(begun, 4);
        }
    }
}

TEST(Chunks, PartsHaveTheLengthThatIsAskedFor) {
    for (const int threads : {1, 2}) {
        std::vector<std::int64_t> lengths(3);
        for_parts(25, 10, threads, [&](std::int64_t begin, std::int64_t end, int) {
            lengths[static_cast<std::size_t>(begin / 10)] = end - begin;
        });
        EXPECT_EQ(lengths, (std::vector<std::int64_t>{10, 10, 5}));
    }
}

// In a table of 16 slots the first three keys begin at the last one, and the next two at the first.
TEST(Renumbered, NumbersKeysAsTheyCome) {
    Renumbered number(8);
    std::vector<std::int64_t> keys{8, 21, 42, 0, 13, -1, INT64_MAX, 16};
    for (std::uint32_t i = 0; i < keys.size(); ++i) {
        EXPECT_EQ(number(keys[i]), i);
        EXPECT_EQ(number(keys[0]), 0U);
        EXPECT_EQ(number.count(), i + 1);
    }
    for (std::uint32_t i = 0; i < keys.size(); ++i) EXPECT_EQ(number(keys[i]), i);
}

}  // namespace
}  // namespace spmvgen
