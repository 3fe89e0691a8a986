// The bytes of a kernel set: golden file, damage of every kind.
#include "sets/set_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <system_error>

#include "set_samples.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string golden() {
    return read_file(SPMVGEN_GOLDEN "/set_v1.spmvset");
}

/// What opening says of bytes that are no set.
std::string refusal(const std::string& bytes) {
    try {
        set_from_bytes(bytes);
        return "none";
    } catch (const BadSet& e) {
        return e.what();
    }
}

void set_number(std::string& bytes, std::size_t at, std::uint64_t number, int count) {
    for (int i = 0; i < count; ++i)
        bytes[at + static_cast<std::size_t>(i)] = static_cast<char>(number >> (8 * i) & 0xff);
}

std::uint64_t number(const std::string& bytes, std::size_t at, int count) {
    std::uint64_t n = 0;
    for (int i = 0; i < count; ++i)
        n |= std::uint64_t{static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)])}
             << (8 * i);
    return n;
}

/// A front that was changed, with a checksum that fits: who damages a file need not be an accident.
std::string signed_again(std::string bytes) {
    const std::uint64_t header = number(bytes, 12, 4), count = number(bytes, 16, 8);
    const std::string front = bytes.substr(64, header + 48 * count);
    const std::string checksum = sha256(bytes.substr(0, 32) + front);
    return bytes.replace(32, 32, checksum);
}

TEST(SetFile, ReadsTheGoldenFile) {
    const KernelSet set = set_from_bytes(golden());
    EXPECT_EQ(set.header().name, "golden");
    EXPECT_EQ(set.header().version, "9.8.7");
    EXPECT_EQ(set.header().launch_abi, 3);
    EXPECT_EQ(set.header().maker, sample_maker());
    EXPECT_THAT(set.header().targets, ElementsAre("x86-64-v3"));
    ASSERT_EQ(set.size(), 2u);
    EXPECT_EQ(set.digest(0), "436526fe1e904cae814cd51314022ba37ce552b7babaa78b8c83e8a019f2bc38");
    EXPECT_EQ(set.digest(1), "bff20c025278a7df959f761b02cbbbf33dea752bcdfe1804fd6b82cd32c9b345");
    EXPECT_EQ(set.entry_bytes(0), 979u);
    EXPECT_THAT(set.problems(), IsEmpty());
    std::vector<std::string> payloads;
    for (std::size_t i = 0; i < 2; ++i) {
        const auto found = set.find(summary_of_entry(set.entry(i)).key);
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->source, "// kernel\n");
        payloads.push_back(found->bytes);
    }
    using namespace std::string_literals;
    EXPECT_THAT(payloads, testing::UnorderedElementsAre("\x7f"
                                                        "ELF first"s,
                                                        "\x7f"
                                                        "ELF the second\0"s));
}

TEST(SetFile, WritesTheGoldenFile) {
    const KernelSet set = set_from_bytes(golden());
    SetEntries entries;
    for (std::size_t i = 0; i < set.size(); ++i) entries[set.digest(i)] = set.entry(i);
    EXPECT_EQ(encode_set(set.header(), entries), golden());
}

TEST(SetFile, FindsEveryEntryAndNothingElse) {
    const KernelSet set = set_from_bytes(small_set());
    EXPECT_EQ(set.size(), 3u);
    for (const Scale beta : {Scale::zero, Scale::one, Scale::general}) {
        const auto found = set.find(key_here(small_signature(beta)));
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->bytes, small_binary(beta).bytes);
        EXPECT_EQ(found->launch, small_binary(beta).launch);
    }
    EXPECT_FALSE(set.find(key_here(small_signature(Scale::one, "x86-64-v4"))).has_value());
    EXPECT_FALSE(set.find(key_here(small_signature(Scale::one), BinaryKind::object)).has_value());
}

TEST(SetFile, MayBeEmpty) {
    const std::string bytes = encode_set(header_for({}, "nothing"), {});
    EXPECT_EQ(bytes.size() % 16, 0u);
    const KernelSet set = set_from_bytes(bytes);
    EXPECT_EQ(set.size(), 0u);
    EXPECT_FALSE(set.find(key_here(small_signature(Scale::one))).has_value());
}

TEST(SetFile, CutAnywhereItIsNoSet) {
    const std::string whole = small_set();
    for (std::size_t length = 0; length < whole.size(); ++length)
        ASSERT_NE(refusal(whole.substr(0, length)), "none") << length;
    EXPECT_EQ(refusal(whole + "x"), "it has " + std::to_string(whole.size() + 1) +
                                        " bytes, but was written with " +
                                        std::to_string(whole.size()));
}

TEST(SetFile, EveryFlippedBitIsFound) {
    const std::string whole = small_set();
    const std::vector<Scale> betas{Scale::zero, Scale::one, Scale::general};
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << at % 8);
        if (refusal(bytes) != "none") continue;
        const KernelSet set = set_from_bytes(bytes);
        ASSERT_THAT(set.problems(), SizeIs(1)) << at;
        // One entry is damaged, or the bytes between two; the others are served.
        int damaged = 0;
        for (const Scale beta : betas) try {
                ASSERT_TRUE(set.find(key_here(small_signature(beta))).has_value());
            } catch (const BadEntry&) {
                ++damaged;
            }
        ASSERT_LE(damaged, 1) << at;
    }
}

TEST(SetFile, LengthsThatLieAreRefusedBeforeTheyAreUsed) {
    const std::string whole = small_set();
    const std::uint64_t absurd[] = {0, 1, 15, 16, whole.size(), UINT32_MAX, INT64_MAX, UINT64_MAX};
    const std::size_t row = 64 + number(whole, 12, 4);
    for (const std::uint64_t length : absurd)
        for (const auto& [at, count] :
             std::vector<std::pair<std::size_t, int>>{{12, 4},        // header
                                                      {16, 8},        // entries
                                                      {24, 8},        // file
                                                      {row + 32, 8},  // offset
                                                      {row + 40, 8}}) {
            std::string bytes = whole;
            set_number(bytes, at, length, count);
            if (bytes == whole) continue;
            EXPECT_NE(refusal(bytes), "none") << at << " " << length;
            if (at < row) continue;
            EXPECT_THAT(refusal(signed_again(bytes)), HasSubstr("its index gives entry "))
                << length;
        }
}

TEST(SetFile, SaysWhatIsWrong) {
    const std::string whole = small_set();
    EXPECT_EQ(refusal(""), "0 bytes are too few for a kernel set");
    EXPECT_EQ(refusal(std::string(100, 'x')), "it does not begin as a kernel set does");
    std::string later = whole;
    set_number(later, 8, 2, 4);
    EXPECT_EQ(refusal(later), "its format version is 2, this spmvgen reads 1");
    set_number(later, 8, 0, 4);
    EXPECT_EQ(refusal(later), "no format version 0");
    std::string flipped = whole;
    flipped[70] ^= 1;
    EXPECT_EQ(refusal(flipped), "the checksum of its index does not match");
    EXPECT_THAT(refusal(signed_again(flipped)), HasSubstr("bad header"));
    std::string unsorted = whole;
    const std::size_t row = 64 + number(whole, 12, 4);
    unsorted.replace(row, 32, std::string(32, '\xff'));
    EXPECT_EQ(refusal(signed_again(unsorted)), "its index is not sorted");
}

TEST(SetFile, AnEntryUnderAnotherKeyIsNotServed) {
    SetEntries entries;
    add_entry(entries, small_binary(Scale::one));
    const std::string other = entries.begin()->second;
    const Key wanted = key_here(small_signature(Scale::zero));
    const KernelSet set =
        set_from_bytes(encode_set(header_for({}, "swapped"), {{wanted.digest(), other}}));
    EXPECT_THROW(set.find(wanted), BadEntry);
    EXPECT_THAT(set.problems(),
                ElementsAre(HasSubstr("its place in the index is not the digest of its key")));
}

TEST(SetFile, HeadersOfOtherTypesAreRefused) {
    const std::string whole = small_set();
    for (const std::string text : {"launch_abi\":3", "version\":\""}) {
        std::string bytes = whole;
        const std::size_t at = bytes.find(text);
        ASSERT_NE(at, bytes.npos);
        bytes[at + text.size() - 1] = text.back() == '3' ? '"' : '1';
        EXPECT_NE(refusal(signed_again(bytes)), "none");
    }
}

TEST(SetFile, ADigestThatIsNoneIsADefect) {
    EXPECT_THROW(encode_set({}, {{"abc", ""}}), Error);
}

TEST(SetFile, FilesAreOpenedThroughLinksButFifosAreNot) {
    const TemporaryDirectory directory;
    const auto file = directory.path() / "a b µ.spmvset";
    write_file(file, small_set());
    const auto link = directory.path() / "link.spmvset";
    std::filesystem::create_symlink(file, link);
    EXPECT_EQ(open_set(link.string()).size(), 3u);
    EXPECT_THROW(open_set((directory.path() / "none").string()), std::system_error);
    EXPECT_THROW(open_set(directory.path().string()), BadSet);
    const auto fifo = directory.path() / "fifo.spmvset";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    EXPECT_THROW(open_set(fifo.string()), BadSet);
    std::filesystem::permissions(file, std::filesystem::perms::others_write,
                                 std::filesystem::perm_options::add);
    EXPECT_THROW(open_set(file.string()), BadSet);
}

TEST(SetFile, OneThatIsCutWhileItIsOpenHarmsNobody) {
    const TemporaryDirectory directory;
    const auto file = directory.path() / "a.spmvset";
    write_file(file, small_set());
    const KernelSet set = open_set(file.string());
    std::filesystem::resize_file(file, 200);
    EXPECT_THROW(set.find(key_here(small_signature(Scale::one))), BadEntry);
}

}  // namespace
}  // namespace spmvgen
