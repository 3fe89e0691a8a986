#include "store/entry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "samples.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

const Provenance made{"9.8.7", 1795215845};  // 2026-11-20T23:04:05Z

Key sample_key() {
    return key_of(sample_signature(), BinaryKind::shared_object, sample_maker());
}

std::string sample_entry() {
    return encode_entry(sample_key(), sample_binary(), made);
}

/// The entry with a right checksum again: a forger's, or a defect of the writer.
std::string resealed(std::string entry) {
    entry.resize(entry.size() - sha256_bytes);
    return entry + sha256(entry);
}

/// The entry with another header of any length, sealed.
std::string with_header(const std::string& header) {
    const std::string entry = sample_entry();
    const auto old =
        static_cast<unsigned char>(entry[12]) + 256u * static_cast<unsigned char>(entry[13]);
    std::string changed =
        entry.substr(0, preamble_bytes) + header + entry.substr(preamble_bytes + old);
    changed[12] = static_cast<char>(header.size() & 0xff);
    changed[13] = static_cast<char>(header.size() >> 8);
    return resealed(changed);
}

std::string header_of(const std::string& entry) {
    const Preamble p = read_preamble(entry.substr(0, preamble_bytes), entry.size());
    return entry.substr(preamble_bytes, p.header_bytes);
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), by);
}

/// Why an entry is refused; "" when it is accepted.
std::string refusal(std::string_view entry, const Key& key = sample_key()) {
    try {
        decode_entry(entry, key);
        return "";
    } catch (const BadEntry& e) {
        return e.what();
    }
}

TEST(Entry, GoldenFilePinsTheFormat) {
    const std::string golden = read_file(SPMVGEN_GOLDEN "/entry_v2_abi3.spmvk");
    ASSERT_FALSE(golden.empty());
    EXPECT_EQ(sample_entry(), golden);
    KernelBinary read = decode_entry(golden, sample_key());
    read.signature = sample_signature();
    EXPECT_TRUE(same(read, sample_binary()));
}

TEST(Entry, RoundTripOfEveryField) {
    KernelBinary binary = sample_binary();
    binary.launch = {{{"s", StepRule::once, {{"x", "const float*"}}}, {"t", StepRule::once, {}}},
                     {{"w", 0},
                      {"v", std::int64_t{1} << 40},
                      {.name = "u", .bytes = 24, .zeroed = true},
                      {.name = "t", .bytes_per_block = 8, .of_step = 1}}};
    Step grid{.symbol = "g", .rule = StepRule::grid, .arguments = {{"y", "double*"}}};
    grid.grid = {"num_rows", 32, 4, 2};
    grid.block = 256;
    grid.shared_bytes = 1024;
    grid.overlaps = true;
    Step join = grid;
    join.symbol = "j";
    join.joins = {2, 512, 32};
    binary.launch.steps.push_back(grid);
    binary.launch.steps.push_back(join);
    binary.compiler = "\"quoted\" \\ \n β";
    binary.flags = "";
    KernelBinary read = decode_entry(encode_entry(sample_key(), binary, made), sample_key());
    read.signature = binary.signature;
    EXPECT_TRUE(same(read, binary));
}

TEST(Entry, EmptyPartsAreLegal) {
    KernelBinary binary;
    binary.signature = sample_signature();
    binary.source_digest = "known, though the source was not kept";
    KernelBinary read = decode_entry(encode_entry(sample_key(), binary, made), sample_key());
    read.signature = binary.signature;
    EXPECT_TRUE(same(read, binary));
}

TEST(Entry, HeaderAloneTellsWhatItIs) {
    const Summary s = read_summary(header_of(sample_entry()));
    EXPECT_EQ(s.key, sample_key());
    EXPECT_EQ(s.name, kernel_name(sample_signature()));
    EXPECT_EQ(s.target, "x86-64-v4:tune=sapphirerapids");
    EXPECT_EQ(s.compiler, "clang 19.1.7 (Debian)");
    EXPECT_EQ(s.version, "9.8.7");
    EXPECT_EQ(s.created, "2026-11-20T23:04:05Z");
}

TEST(Entry, WriterRefusesWhatContradictsItself) {
    KernelBinary binary = sample_binary();
    binary.source += " ";
    EXPECT_THROW(encode_entry(sample_key(), binary, made), Error);
    binary = sample_binary();
    binary.flags = "\xff is not UTF-8";
    EXPECT_THROW(encode_entry(sample_key(), binary, made), Error);
}

TEST(Entry, EveryFlippedBitIsRefused) {
    const std::string entry = sample_entry();
    for (std::size_t i = 0; i < entry.size(); ++i)
        for (int bit = 0; bit < 8; ++bit) {
            std::string flipped = entry;
            flipped[i] = static_cast<char>(flipped[i] ^ 1 << bit);
            ASSERT_NE(refusal(flipped), "") << "byte " << i << " bit " << bit;
        }
}

TEST(Entry, EveryLengthButTheRightOneIsRefused) {
    const std::string entry = sample_entry();
    for (std::size_t length = 0; length < entry.size(); ++length)
        ASSERT_NE(refusal(std::string_view(entry).substr(0, length)), "") << length;
    EXPECT_NE(refusal(entry + '\0'), "");
    EXPECT_NE(refusal(entry + entry), "");
    EXPECT_EQ(refusal(entry), "");
}

// With a checksum that is right, so that each check is seen to work alone.
TEST(Entry, SealedButWrongIsRefused) {
    const std::string entry = sample_entry();
    std::string other = entry;
    other[0] = 's';
    EXPECT_EQ(refusal(resealed(other)), "it does not begin as an entry does");
    other = entry;
    other[8] = 0;
    EXPECT_EQ(refusal(resealed(other)), "no format version 0");
    for (std::size_t at : {12, 15, 16, 23, 24, 31}) {
        other = entry;
        other[at] = static_cast<char>(other[at] ^ 0x80);
        EXPECT_EQ(refusal(resealed(other)),
                  std::to_string(entry.size()) + " bytes are not what its lengths add up to")
            << at;
    }
    other = entry;
    other[other.size() - sha256_bytes - 1] = '?';
    EXPECT_EQ(refusal(other), "its checksum does not match");
    EXPECT_EQ(refusal(resealed(other)), "") << "the payload is not ours to judge";
    other = replaced(entry, "int row", "int col");
    EXPECT_EQ(refusal(resealed(other)), "its source is not the one that was compiled");
    other = replaced(entry, "-O3", "-O2");
    EXPECT_EQ(refusal(resealed(other)), "its source, flags and compiler do not belong together");
}

// 2⁶³ + (2⁶³ + source + payload) is the right sum in 64 bits.
TEST(Entry, LengthsThatWrapAroundAreRefused) {
    std::string entry = sample_entry();
    const auto parts = sample_binary().source.size() + sample_binary().bytes.size();
    ASSERT_LT(parts, 256u);
    for (int i = 16; i < 32; ++i) entry[static_cast<std::size_t>(i)] = '\0';
    entry[23] = entry[31] = '\x80';
    entry[24] = static_cast<char>(parts);
    EXPECT_THAT(refusal(resealed(entry)), HasSubstr("lengths"));
}

TEST(Entry, NewerVersionIsToldApart) {
    std::string entry = sample_entry();
    entry[8] = 3;
    try {
        decode_entry(resealed(entry), sample_key());
        FAIL();
    } catch (const BadEntry& e) {
        EXPECT_STREQ(e.what(), "its format version is 3, this spmvgen reads 2");
        EXPECT_TRUE(e.newer());
    }
    EXPECT_EQ(
        refusal("SPMVGEN\n and then nothing that we know of, for a good many bytes more, yes"),
        "its format version is 1684955424, this spmvgen reads 2");
}

TEST(Entry, EntryOfAnotherKeyIsRefused) {
    for (const char* field : {"kernel", "arch", "tune", "generator", "compiler_series", "binary",
                              "value", "index", "offset", "alpha", "beta"}) {
        Key asked = sample_key();
        asked.fields[field] = "other";
        EXPECT_EQ(refusal(sample_entry(), asked), "it is the entry of another kernel") << field;
    }
    for (const char* field : {"num_rhs", "param.lanes", "launch_abi", "format"}) {
        Key asked = sample_key();
        asked.fields[field] = std::int64_t{77};
        EXPECT_EQ(refusal(sample_entry(), asked), "it is the entry of another kernel") << field;
        asked.fields[field] = "77";
        EXPECT_EQ(refusal(sample_entry(), asked), "it is the entry of another kernel") << field;
    }
    Key more = sample_key();
    more.fields["param.more"] = std::int64_t{0};
    EXPECT_EQ(refusal(sample_entry(), more), "it is the entry of another kernel");
}

TEST(Entry, BrokenHeadersAreRefused) {
    for (const char* header : {"", "{", "[]", "null", "{}", "\"key\"", "{\"key\":{}}", "\xff\xfe",
                               "{\"key\":[]}", "{\"key\":{\"a\":1.5}}", "{\"key\":{\"a\":null}}"})
        EXPECT_NE(refusal(with_header(header)), "") << header;
    const std::string header = header_of(sample_entry());
    ASSERT_EQ(refusal(with_header(header)), "");
    const std::vector<std::pair<std::string, std::string>> changes{
        {"\"per_thread\"", "\"per_theatre\""},
        {"\"per_thread\"", "1"},
        {"\"bytes_per_thread\":8", "\"bytes_per_thread\":\"8\""},
        {"\"bytes_per_thread\":8", "\"bytes_per_thread\":8.5"},
        {"\"bytes_per_thread\":8", "\"bytes_per_thread\":true"},
        {"\"bytes_per_thread\"", "\"bytes\""},
        {"\"symbol\":\"carry\"", "\"symbol\":null"},
        {"\"arguments\":[]", "\"arguments\":{}"},
        {"\"arguments\":[]", "\"arguments\":[1]"},
        {"\"steps\":", "\"step\":"},
        {"\"flags\":", "\"flag\":"},
        {"\"num_rhs\":2", "\"num_rhs\":2.0"},
        {"\"num_rhs\":2", "\"num_rhs\":\"2\""},
        {"\"compiler\":\"clang 19", "\"compiler\":\"clang 20"}};
    for (auto& [what, by] : changes)
        EXPECT_NE(refusal(with_header(replaced(header, what, by))), "") << what << " → " << by;
}

TEST(Entry, DeeplyNestedHeaderIsRefusedQuietly) {
    EXPECT_NE(refusal(with_header(std::string(60000, '['))), "");
    EXPECT_NE(
        refusal(with_header("{\"key\":" + std::string(30000, '[') + std::string(30000, ']') + "}")),
        "");
}

// Later versions may tell more in the header without a new format version.
TEST(Entry, FieldsThatAreNotKnownAreAllowed) {
    const std::string header = header_of(sample_entry());
    EXPECT_EQ(refusal(with_header(replaced(header, "\"facts\":{}", "\"facts\":{},\"more\":[1]"))),
              "");
}

}  // namespace
}  // namespace spmvgen
