// Options vectors, accumulator, storage and epilogue of a handle on the host: what is refused, what
// info() tells, and that the generic kernel, without any compiler, gives the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "fakes.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

namespace {

using testing::HasSubstr;

/// [ 2 0.1 ] in any type.
template <typename Value>
struct OneRow {
    std::vector<int> row_ptr{0, 2}, col_idx{0, 1};
    std::vector<Value> values{Value(2), Value(0.1F)};
    CsrView view() const { return csr_view(1, 2, row_ptr.data(), col_idx.data(), values.data()); }
};

template <typename Value>
std::string refusal(const Options& options, FakeKernels& fake) {
    try {
        const OneRow<Value> row;
        make_handle(row.view(), options, fake.provider);
    } catch (const Error& error) {
        return std::string(to_string(error.code())) + ": " + error.what();
    }
    return "none";
}

class NumberTypes : public testing::Test {
  protected:
    template <typename Value = double>
    std::string refused(const std::function<void(Options&)>& change) {
        Options o;
        o.cache = CacheMode::off;
        change(o);
        return refusal<Value>(o, fake);
    }
    FakeKernels fake;
};

TEST_F(NumberTypes, AreRefusedWhereTheyDoNotFit) {
    EXPECT_EQ(
        refused([](Options& o) { o.vectors = "f32"; }),
        "invalid_argument: options.vectors f32 is narrower than the matrix's values, f64: set "
        "options.storage to f32 to round them, or leave options.vectors out");
    EXPECT_EQ(refused([](Options& o) { o.vectors = "c64"; }),
              "invalid_argument: options.vectors is c64, but the matrix is f64: real and complex "
              "numbers do not mix; give the matrix's values as c64");
    EXPECT_EQ(refused<float>([](Options& o) { o.vectors = "bf16"; }),
              "invalid_argument: options.vectors is bf16, a storage type: use f32 or f64 vectors, "
              "and options.storage bf16");
    EXPECT_EQ(refused([](Options& o) { o.accumulator = "f32"; }),
              "invalid_argument: options.accumulator f32 is not wider than the vectors, f64: use "
              "f64 for f32, c64 for c32, or leave it out");
    EXPECT_EQ(refused<float>([](Options& o) { o.storage = "f64"; }),
              "invalid_argument: options.storage f64 is not a narrower type of the numbers that "
              "the matrix has, f32: use f16 or bf16 for f32; these or f32 for f64; c32 for c64");
    EXPECT_EQ(refused([](Options& o) { o.vectors = "f8"; }),
              "invalid_argument: options.vectors: unknown value type 'f8': use one of f32, f64, "
              "c32, c64, f16, bf16");
    EXPECT_EQ(refused([](Options& o) { o.accumulator = "long double"; }),
              "invalid_argument: options.accumulator: unknown value type 'long double': use one of "
              "f32, f64, c32, c64, f16, bf16");
    EXPECT_EQ(
        refused([](Options& o) { o.epilogue = "value"; }),
        "invalid_argument: options.epilogue cannot be had with cache mode off (options.cache, "
        "SPMVGEN_CACHE), which always runs the generic CSR kernel: use another mode");
}

TEST_F(NumberTypes, ApplyTakesTheVectors) {
    Options o;
    o.cache = CacheMode::off;
    o.vectors = "f64";
    const OneRow<float> row;
    const Handle handle = make_handle(row.view(), o, fake.provider);
    EXPECT_EQ(handle.info().storage, "f32");
    EXPECT_EQ(handle.info().vectors, "f64");
    EXPECT_EQ(handle.info().accumulator, "f64");
    EXPECT_EQ(handle.info().bytes, 2 * (4 + 4) + 2 * 4 + (1 + 2) * 8);
    const std::vector<double> x{1, 1e-9};
    double y = 1;
    handle.apply(1.0, x.data(), 1.0, &y);
    EXPECT_EQ(y, 1 + (2 + static_cast<double>(0.1F) * 1e-9));
    try {
        const float wrong = 1;
        float out = 0;
        handle.apply(1.0F, &wrong, 0.0F, &out);
        ADD_FAILURE() << "taken";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(),
                     "apply: the handle's vectors are f64, but α, x, β and y are f32; use f64");
    }
}

TEST_F(NumberTypes, TheGenericKernelRoundsAsStored) {
    Options o;
    o.cache = CacheMode::off;
    o.storage = "bf16";
    const OneRow<double> row;
    const Handle handle = make_handle(row.view(), o, fake.provider);
    EXPECT_EQ(handle.info().storage, "bf16");
    EXPECT_EQ(handle.info().matrix_bytes, 2 * (4 + 4) + 2 * 4);  // kept as f32
    const std::vector<double> x{0, 1};
    double y = 0;
    handle.apply(1.0, x.data(), 0.0, &y);
    EXPECT_EQ(y, 0.10009765625);
}

TEST_F(NumberTypes, TheGenericKernelServesWhereNoneCanBeMade) {
    fake.generator.failure = "no compiler today";
    Options o;
    o.kernel = "csr_rows";
    o.vectors = "f64";
    const OneRow<float> row;
    const Handle handle = make_handle(row.view(), o, fake.provider);
    EXPECT_EQ(handle.info().kernel, "generic_csr");
    EXPECT_THAT(handle.info().warning, HasSubstr("no compiler today"));
    const std::vector<double> x{1, 1e-9};
    double y = 0;
    handle.apply(1.0, x.data(), 0.0, &y);
    EXPECT_EQ(y, 2 + static_cast<double>(0.1F) * 1e-9);
}

TEST_F(NumberTypes, NothingServesInPlaceOfAnEpilogue) {
    fake.generator.failure = "no compiler today";
    Options o;
    o.kernel = "csr_rows";
    o.epilogue = "value + 1";
    EXPECT_THAT(refusal<double>(o, fake), HasSubstr("no compiler today"));
    EXPECT_THAT(refusal<double>(o, fake), testing::StartsWith("compile: "));
}

TEST_F(NumberTypes, AMatrixMayBeWiderThanItsVectorsWhenItIsRounded) {
    Options o;
    o.cache = CacheMode::off;
    o.vectors = o.storage = "f32";
    o.accumulator = "f64";
    const OneRow<double> row;
    const Handle handle = make_handle(row.view(), o, fake.provider);
    const std::vector<float> x{1, 1};
    float y = 0;
    handle.apply(1.0F, x.data(), 0.0F, &y);
    EXPECT_EQ(y, static_cast<float>(2 + static_cast<double>(0.1F)));
    EXPECT_EQ(handle.info().accumulator, "f64");
}

}  // namespace
}  // namespace spmvgen
