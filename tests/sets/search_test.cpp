// Where sets are looked for, and which code serves for which target.
#include "sets/search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "set_samples.hpp"
#include "sets/compatible.hpp"

namespace spmvgen {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> compatible(const char* target, BinaryKind kind) {
    std::vector<std::string> texts;
    for (auto& t : compatible_targets(parse_target(target), kind)) texts.push_back(to_string(t));
    return texts;
}

TEST(Compatible, TargetsComeInOrder) {
    EXPECT_THAT(
        compatible("x86-64-v4:tune=sapphirerapids", BinaryKind::shared_object),
        ElementsAre("x86-64-v4:tune=sapphirerapids", "x86-64-v4", "x86-64-v3", "x86-64-v2"));
    EXPECT_THAT(compatible("x86-64-v2", BinaryKind::shared_object), ElementsAre("x86-64-v2"));
    EXPECT_THAT(compatible("aarch64", BinaryKind::shared_object), ElementsAre("aarch64"));
    EXPECT_THAT(
        compatible("gfx90a:sramecc+:xnack-", BinaryKind::hsaco),
        ElementsAre("gfx90a:sramecc+:xnack-", "gfx90a:sramecc+", "gfx90a:xnack-", "gfx90a"));
    EXPECT_THAT(compatible("gfx1030:wave=64", BinaryKind::hsaco), ElementsAre("gfx1030:wave=64"));
    EXPECT_THAT(compatible("gfx90a:xnack-:memory=device", BinaryKind::hsaco),
                ElementsAre("gfx90a:xnack-:memory=device", "gfx90a:memory=device", "gfx90a:xnack-",
                            "gfx90a"));
    EXPECT_THAT(compatible("sm_89", BinaryKind::cubin), ElementsAre("sm_89", "sm_86", "sm_80"));
    EXPECT_THAT(compatible("sm_90", BinaryKind::cubin), ElementsAre("sm_90"));
    EXPECT_THAT(compatible("sm_90", BinaryKind::ptx),
                ElementsAre("sm_90", "sm_89", "sm_86", "sm_80", "sm_75"));
    EXPECT_THAT(compatible("sm_120", BinaryKind::ptx), testing::Contains("sm_100"));
    EXPECT_THAT(compatible("sm_90", BinaryKind::simt), ElementsAre("sm_90"));
}

class Search : public testing::Test {
  protected:
    void SetUp() override { unsetenv("SPMVGEN_KERNEL_SETS"); }
    void TearDown() override { unsetenv("SPMVGEN_KERNEL_SETS"); }

    std::string put(const std::string& name, const std::string& bytes) {
        const auto path = directory_.path() / name;
        write_file(path, bytes);
        return path.string();
    }
    std::string set_of(const std::string& name, const std::vector<KernelBinary>& binaries) {
        SetEntries entries;
        for (auto& binary : binaries) add_entry(entries, binary);
        return put(name, encode_set(header_for(entries, name), entries));
    }
    /// The targets and files of all that are offered for a signature, in order.
    std::vector<std::string> offered(const std::string& list, const Signature& signature,
                                     const std::vector<BinaryKind>& kinds) {
        std::vector<std::string> texts;
        search_sets(
            find_sets(list), signature, kinds, this_maker(),
            [&](const FoundInSet& found) {
                texts.push_back(to_string(found.binary.kind) + std::string(" ") +
                                to_string(found.binary.signature.target));
                return false;
            },
            [&](const std::string& text) { warnings_.push_back(text); });
        return texts;
    }

    TemporaryDirectory directory_;
    std::vector<std::string> warnings_;
};

TEST_F(Search, ListsFilesAndFoldersInOrder) {
    const std::string b = put("folder/b.spmvset", ""), a = put("folder/a.spmvset", "");
    put("folder/c.txt", "");
    const std::string folder = directory_.path() / "folder";
    EXPECT_THAT(set_files("/none.spmvset:" + folder + "::" + b),
                ElementsAre("/none.spmvset", a, b, b));
    EXPECT_THAT(set_files(""), IsEmpty());
}

TEST_F(Search, OptionComesBeforeVariableAndEachFileOnce) {
    const std::string a = put("a.spmvset", small_set()), b = put("b.spmvset", small_set());
    setenv("SPMVGEN_KERNEL_SETS", (b + ":" + a).c_str(), 1);
    const std::vector<NamedSet> sets = find_sets(a);
    ASSERT_GE(sets.size(), 2u);
    EXPECT_EQ(sets[0].path, a);
    EXPECT_EQ(sets[1].path, b);
    EXPECT_EQ(sets[0].problem, "");
}

TEST_F(Search, WhatIsOfNoUseIsSaidOnce) {
    Maker other = this_maker();
    other.generator = std::string(64, 'a');
    SetHeader header = header_for({}, "foreign");
    header.maker = other;
    header.version = "9.9.9";
    const std::string foreign = put("foreign.spmvset", encode_set(header, {}));
    header = header_for({}, "abi");
    ++header.launch_abi;
    const std::string abi = put("abi.spmvset", encode_set(header, {}));
    const std::string broken = put("broken.spmvset", "nonsense");
    const std::string list = foreign + ":" + abi + ":" + broken + ":/none.spmvset";
    std::vector<std::string> warned;
    OpenedSets opened;
    for (int i = 0; i < 2; ++i)
        opened.of(list, [&](const std::string& text) { warned.push_back(text); });
    ASSERT_THAT(warned, SizeIs(4));
    EXPECT_EQ(warned[0],
              "kernel set " + foreign +
                  " is not used: it was made by another spmvgen (version 9.9.9, clang " +
                  this_maker().compiler_series +
                  "), whose kernels are not those of this one: make it anew with spmvgen pack "
                  "build");
    EXPECT_THAT(warned[1], HasSubstr("made by another spmvgen"));
    EXPECT_EQ(warned[2],
              "kernel set " + broken + " is not used: 8 bytes are too few for a kernel set");
    EXPECT_EQ(warned[3], "kernel set /none.spmvset is not used: No such file or directory");
}

TEST_F(Search, OffersTheBestKindThenTargetThenSet) {
    KernelBinary ptx80 = small_binary(Scale::one, "sm_80"),
                 cubin90 = small_binary(Scale::one, "sm_90"),
                 ptx89 = small_binary(Scale::one, "sm_89");
    ptx80.kind = ptx89.kind = BinaryKind::ptx;
    cubin90.kind = BinaryKind::cubin;
    const std::string list =
        set_of("a.spmvset", {ptx80}) + ":" + set_of("b.spmvset", {cubin90, ptx89});
    EXPECT_THAT(
        offered(list, small_signature(Scale::one, "sm_90"), {BinaryKind::cubin, BinaryKind::ptx}),
        ElementsAre("cubin sm_90", "ptx sm_89", "ptx sm_80"));
    EXPECT_THAT(offered(list, small_signature(Scale::zero, "sm_90"), {BinaryKind::cubin}),
                IsEmpty());
    EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(Search, ADamagedEntryIsPassedOver) {
    std::string bytes = small_set();
    bytes[bytes.size() - 40] ^= 1;  // in the last entry
    const std::string damaged = put("a.spmvset", bytes), sound = put("b.spmvset", small_set());
    int offers = 0;
    for (const Scale beta : {Scale::zero, Scale::one, Scale::general})
        offers += static_cast<int>(
            offered(damaged + ":" + sound, small_signature(beta), {BinaryKind::shared_object})
                .size());
    EXPECT_EQ(offers, 5);
    ASSERT_THAT(warnings_, SizeIs(1));
    EXPECT_THAT(warnings_[0], HasSubstr("is passed over: its checksum does not match"));
}

}  // namespace
}  // namespace spmvgen
