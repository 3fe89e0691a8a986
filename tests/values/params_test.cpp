#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "refusal.hpp"
#include "spmvgen/error.hpp"
#include "spmvgen/params.hpp"

namespace spmvgen {
namespace {

std::string text_of(const Params& params) {
    std::ostringstream text;
    for (const auto& [name, value] : params) text << name << '=' << value << ' ';
    return text.str();
}

TEST(Params, AreInAlphabeticalOrderWhateverComesFirst) {
    Params params{{"unroll", 4}, {"block", 128}};
    params["lanes"] = 8;
    params.try_emplace("alpha", 1);
    EXPECT_EQ(text_of(params), "alpha=1 block=128 lanes=8 unroll=4 ");
    EXPECT_EQ(params, (Params{{"lanes", 8}, {"alpha", 1}, {"unroll", 4}, {"block", 128}}));
    EXPECT_LT(ParamName("block"), ParamName("block_cols"));
    EXPECT_LT(ParamName("block_cols"), ParamName("block_rows"));
}

TEST(Params, KeepWhatIsThere) {
    Params params{{"block", 128}};
    EXPECT_FALSE(params.try_emplace("block", 256).second);
    EXPECT_FALSE(params.insert({"block", 256}).second);
    params.insert({{"block", 512}, {"lanes", 4}});
    params.merge({{"lanes", 8}, {"unroll", 2}});
    const std::map<std::string, std::int64_t> more{{"lanes", 16}, {"sigma", 1}};
    params.insert(more.begin(), more.end());
    EXPECT_EQ(text_of(params), "block=128 lanes=4 sigma=1 unroll=2 ");
}

TEST(Params, AreFoundChangedAndTakenAway) {
    Params params{{"block", 128}, {"lanes", 8}};
    EXPECT_EQ(params.at("lanes"), 8);
    EXPECT_EQ(params.count("lanes"), 1U);
    EXPECT_FALSE(params.contains("lane"));
    EXPECT_EQ(params.find("lanes_"), params.end());
    params["lanes"] = 16;
    EXPECT_EQ(params.find("lanes")->second, 16);
    EXPECT_EQ(params["new"], 0);
    EXPECT_EQ(params.erase("block"), 1U);
    EXPECT_EQ(params.erase("block"), 0U);
    params.erase(params.find("new"));
    EXPECT_EQ(text_of(params), "lanes=16 ");
    params.clear();
    EXPECT_TRUE(params.empty());
    EXPECT_THROW((void)params.at("lanes"), std::out_of_range);
}

TEST(Params, ComeFromAMap) {
    const std::map<std::string, std::int64_t> map{{"sigma", 256}, {"lanes", 8}};
    EXPECT_EQ(Params(map), (Params{{"lanes", 8}, {"sigma", 256}}));
}

TEST(Params, NamesThatNoKernelHasAreRefused) {
    EXPECT_EQ(ParamName("threads_per_row").view(), "threads_per_row");
    EXPECT_EQ(refusal([] { (void)ParamName("threads_per_rows"); }),
              "invalid_argument: no kernel has a parameter 'threads_per_rows'");
    const std::map<std::string, std::int64_t> map{{"a_name_that_is_too_long", 1}};
    EXPECT_THROW((void)Params(map), Error);
}

}  // namespace
}  // namespace spmvgen
