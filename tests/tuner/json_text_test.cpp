// JSON of tuning_db: the reader of usual texts gives what nlohmann's parser gives, or leaves it to
// it.
#include "tuner/files/json_text.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "spmvgen/error.hpp"
#include "tuner/files/tuning_files.hpp"

namespace spmvgen {
namespace {

using Json = nlohmann::ordered_json;

std::optional<Json> parsed(const std::string& text) {
    try {
        return parse_json_text(text);
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "it is not JSON");
        return std::nullopt;
    }
}

/// Types too: 1 is another number than 1.0.
void expect_as_parsed(const std::string& text) {
    const Json expected = Json::parse(text, nullptr, false);
    const auto found = parsed(text);
    ASSERT_EQ(found.has_value(), !expected.is_discarded()) << text;
    if (found) {
        EXPECT_EQ(found->dump(-1, ' ', true), expected.dump(-1, ' ', true)) << text;
        EXPECT_EQ(found->type(), expected.type()) << text;
    }
}

TEST(JsonText, IsThatOfTheParserForWhatShips) {
    const auto files = tuning_files_of(SPMVGEN_SHIPPED, "d");
    EXPECT_GT(files.size(), 10U);
    for (auto& file : files) expect_as_parsed(file.readable_text());
}

TEST(JsonText, IsThatOfTheParserForWhatIsUnusual) {
    for (const char* text : {"{}",
                             "[]",
                             " [ ] ",
                             "0",
                             "-0",
                             "-0.0",
                             "1",
                             "-1",
                             "1.5",
                             "1e3",
                             "1E-3",
                             "1.25e+2",
                             "18446744073709551615",
                             "18446744073709551616",
                             "123456789012345678901234567890",
                             "1e400",
                             "1e-400",
                             "4.9e-324",
                             "true",
                             "[false, null]",
                             "\"\"",
                             "\"a\\nb\"",
                             "\"\\u00e9\"",
                             "\"é\"",
                             "{\"a\": 1, \"a\": 2}",
                             "{\"a\": {\"b\": [1, 2.0, {}]}}",
                             "\r\n\t{\"a\":[[],[[]]]}\n"})
        expect_as_parsed(text);
}

TEST(JsonText, IsRefusedAsByTheParser) {
    for (const char* text :
         {"",     " ",         "01",        "1.",    ".5",   "1e",       "1e+",
          "-",    "+1",        "1 2",       "[1,]",  "[,1]", "[1 2]",    "{\"a\":1,}",
          "{,}",  "{\"a\" 1}", "{\"a\":}",  "{a:1}", "\"a",  "\"\x01\"", "\"\xff\"",
          "[1",   "{\"a\":1",  "]",         "nul",   "0x10", "inf",      "NaN",
          "1.e3", "--1",       "\"a\"\"b\""})
        expect_as_parsed(text);
}

TEST(JsonText, IsRefusedOrTakenWhereverItIsCut) {
    const std::string text =
        "{\"a\": [1, 2.5e-3, \"b\"], \"c\": {\"d\": -4, \"e\": [[], {}]}, \"f\": 0.5}";
    for (std::size_t size = 0; size <= text.size(); ++size) expect_as_parsed(text.substr(0, size));
}

TEST(JsonText, NestsNoDeeperThanAnyFile) {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    EXPECT_TRUE(parsed(nested(64)).has_value());
    try {
        parse_json_text(nested(65));
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "it nests too deeply for a file of tuning_db");
    }
}

}  // namespace
}  // namespace spmvgen
