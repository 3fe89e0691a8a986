#include "store/key.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "registry.hpp"
#include "samples.hpp"

namespace spmvgen {
namespace {

std::string digest(const Signature& s, BinaryKind kind = BinaryKind::shared_object,
                   const Maker& maker = sample_maker()) {
    return key_of(s, kind, maker).digest();
}

// The digests come from golden/make_golden.py and `python3 -c` with hashlib, not from spmvgen.
TEST(Key, DigestIsPinned) {
    EXPECT_EQ(digest(sample_signature()),
              "a99fe2adb9f979bf92752ac5a695c6d067f00efb543412a1f1bb966242cedbf9");
    EXPECT_EQ(Key{}.digest(), "af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc");
}

TEST(Key, EveryFieldOfTheSignatureCounts) {
    const std::vector<std::function<void(Signature&)>> changes{
        [](auto& s) { s.kernel = "csr_rows"; },
        [](auto& s) { s.value = ValueType::c64; },
        [](auto& s) { s.value = ValueType::f32; },
        [](auto& s) { s.storage = ValueType::f32; },
        [](auto& s) { s.value = ValueType::f32, s.accumulator = ValueType::f64; },
        [](auto& s) { s.epilogue = "row"; },
        [](auto& s) { s.index = IndexType::i64; },
        [](auto& s) { s.offset = IndexType::i32; },
        [](auto& s) { s.alpha = Scale::one; },
        [](auto& s) { s.beta = Scale::general; },
        [](auto& s) { s.num_rhs = 3; },
        [](auto& s) { s.x_form = VectorForm::rows; },
        [](auto& s) { s.x_form = VectorForm::columns; },
        [](auto& s) { s.y_form = VectorForm::columns; },
        [](auto& s) { s.params["lanes"] = 4; },
        [](auto& s) { s.params["lanes"] = -8; },
        [](auto& s) { s.params["more"] = 0; },
        [](auto& s) { s.params.erase("unroll"); },
        [](auto& s) { s.target.arch = "x86-64-v3"; },
        [](auto& s) { s.target.tune = ""; },
        [](auto& s) { s.target.device_memory = true; },
        [](auto& s) { s.target = {"x86-64-v4:tune=sapphirerapids", ""}; }};
    std::set<std::string> digests{digest(sample_signature())};
    for (auto& change : changes) {
        Signature s = sample_signature();
        change(s);
        EXPECT_TRUE(digests.insert(digest(s)).second) << to_string(s);
    }
}

TEST(Key, KindAndMakerCount) {
    const Signature s = sample_signature();
    std::set<std::string> digests;
    for (auto kind :
         {BinaryKind::shared_object, BinaryKind::object, BinaryKind::assembly, BinaryKind::llvm_ir})
        EXPECT_TRUE(digests.insert(digest(s, kind)).second) << to_string(kind);
    for (const Maker& maker :
         {Maker{"other", "clang", "19.1"}, Maker{sample_maker().generator, "gcc", "19.1"},
          Maker{sample_maker().generator, "clang", "20.1"}})
        EXPECT_TRUE(digests.insert(digest(s, BinaryKind::shared_object, maker)).second);
}

// "ab" + "c" and "a" + "bc" are different fields; 1 and "1" are different values.
TEST(Key, FieldsAreTypedAndLengthPrefixed) {
    std::set<std::string> digests;
    for (const Key& key : {Key{{{"ab", "c"}}}, Key{{{"a", "bc"}}}, Key{{{"a", "b"}, {"c", ""}}},
                           Key{{{"a", std::int64_t{1}}}}, Key{{{"a", "1"}}},
                           Key{{{"a", std::string("\1\0\0\0\0\0\0\0", 8)}}}, Key{{{"a", ""}}}})
        EXPECT_TRUE(digests.insert(key.digest()).second);
}

TEST(Key, ThisMakerIsKnownWithoutACompiler) {
    EXPECT_EQ(this_maker(), (Maker{std::string(generator_digest()), "clang", "19.1"}));
}

TEST(CompiledDigest, DependsOnSourceFlagsAndCompiler) {
    std::set<std::string> digests{compiled_digest(sample_binary())};
    KernelBinary other = sample_binary();
    other.flags += " -g";
    EXPECT_TRUE(digests.insert(compiled_digest(other)).second);
    other = sample_binary();
    other.compiler = "clang 19.1.6 (Debian)";
    EXPECT_TRUE(digests.insert(compiled_digest(other)).second);
    other = sample_binary();
    other.source_digest = to_hex(sha256("int row;\n"));
    EXPECT_TRUE(digests.insert(compiled_digest(other)).second);
    other = sample_binary();
    other.bytes = "what came out does not count";
    EXPECT_FALSE(digests.insert(compiled_digest(other)).second);
}

// FIPS 180-2, appendix B.1.
TEST(Sha256, OfAbc) {
    EXPECT_EQ(to_hex(sha256("abc")),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace spmvgen
