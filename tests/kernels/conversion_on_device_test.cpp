// Conversions of CSR on the device but those to strips: the arrays are the host's, bit for bit.
#include <gmock/gmock.h>

#include <algorithm>

#include "conversion_on_device_fixture.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/suites/gallery.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

INSTANTIATE_TEST_SUITE_P(, ConversionOnDeviceTest, testing::Values("simt:sm_90", "simt:gfx906"),
                         [](auto& test) { return std::string(test.param).substr(5); });

/// The presets of a kernel of each format.
const std::vector<std::pair<const char*, Params>> every_format{
    {"csr_classical", {}}, {"csr_load_balance", {}},
    {"csr_by_length", {}}, {"csr_k_blocks", {}},
    {"coo", {}},           {"ell_groups", {}},
    {"sell_slices", {}},   {"bcsr_fused", {{"block_rows", 1}, {"block_cols", 1}}},
    {"tiles", {}}};

/// Whether the columns of each row rise.
bool rises(const fixtures::Fixture& f) {
    for (std::size_t row = 0; row + 1 < f.row_ptr.size(); ++row)
        for (auto k = f.row_ptr[row] + 1; k < f.row_ptr[row + 1]; ++k)
            if (f.col_idx[static_cast<std::size_t>(k)] <=
                f.col_idx[static_cast<std::size_t>(k - 1)])
                return false;
    return true;
}

TEST_P(ConversionOnDeviceTest, EveryFixtureInEveryFormat) {
    for (auto& fixture : fixtures::all()) {
        SCOPED_TRACE(fixture.name);
        if (fixture.nnz() == 0) continue;
        const fixtures::TypedMatrix<double, int, int> a(fixture);
        for (auto& [kernel, params] : every_format)
            if (kernel != std::string("bcsr_fused")) expect_equal(a.view(), kernel, params);
        expect_equal(a.view(), "ell_shuffle", {{"group", 4}});
        expect_equal(a.view(), "sell_slices", {{"sigma", 64}, {"threads_per_row", 4}});
    }
}

TEST_P(ConversionOnDeviceTest, SlicesAndWindows) {
    for (const char* spec : {"web:n=5000,max_row=300", "random:rows=4100,cols=900,per_row=3"}) {
        SCOPED_TRACE(spec);
        const CsrMatrix a = make_gallery_matrix(spec);
        expect_equal(a.view(), "sell_slices", {{"sigma", 4096}, {"slice", 64}});
        expect_equal(a.view(), "sell_slices", {{"sigma", 16384}});
        expect_equal(a.view(), "sell_slices", {{"sigma", 1024}, {"threads_per_row", 32}});
        expect_equal(a.view(), "sell_slices", {{"sigma", 256}, {"threads_per_row", 2}});
        expect_equal(a.view(), "sell_slices", {{"slice", 64}, {"threads_per_row", 16}});
    }
}

/// Windows in parts: the last one, and its last part, are not full; many rows are equally long.
TEST_P(ConversionOnDeviceTest, WindowsThatAreMerged) {
    const CsrMatrix a = make_gallery_matrix("web:n=38000,max_row=90");
    expect_equal(a.view(), "sell_slices", {{"sigma", 16384}});
    expect_equal(a.view(), "sell_slices",
                 {{"sigma", 16384}, {"slice", 64}, {"threads_per_row", 4}});
}

TEST_P(ConversionOnDeviceTest, WideRowsSideBySide) {
    const fixtures::TypedMatrix<double, int, int> a(fixtures::find("longer_than_a_block"));
    for (const std::int64_t group : {2, 32})
        expect_equal(a.view(), "ell_shuffle", {{"group", group}});
    expect_equal(a.view(), "ell_groups", {{"groups", 4}, {"blocks_per_row", 2}});
}

TEST_P(ConversionOnDeviceTest, Blocks) {
    const CsrMatrix dofs = make_gallery_matrix("fem_tri:nx=12,ny=12,dofs=3");
    // More rows of blocks than a part of a long scan has.
    const CsrMatrix many = make_gallery_matrix("stencil5:nx=60,ny=50");
    for (const std::int64_t width : {1, 2, 3, 8}) {
        expect_equal(dofs.view(), "bcsr_fused", {{"block_rows", 3}, {"block_cols", width}});
        expect_equal(many.view(), "bcsr_fused", {{"block_rows", 1}, {"block_cols", width}});
    }
    int equal = 0;
    for (auto& fixture : fixtures::all()) {
        SCOPED_TRACE(fixture.name);
        if (fixture.nnz() == 0) continue;
        const fixtures::Fixture rising = sorted(fixture);
        const fixtures::TypedMatrix<double, int, int> a(rising);
        for (const Params& params : {Params{{"block_rows", 1}, {"block_cols", 1}},
                                     Params{{"block_rows", 5}, {"block_cols", 7}},
                                     Params{{"block_rows", 8}, {"block_cols", 8}}}) {
            const Signature s = signature_of(*device_, a.view(), "bcsr_fused", params);
            if (rises(rising)) {
                expect_equal(a.view(), s);
                ++equal;
            } else {
                EXPECT_EQ(fault(a.view(), s), "rows whose columns do not rise, for blocks");
            }
        }
    }
    EXPECT_GT(equal, 9);
}

TEST_P(ConversionOnDeviceTest, Tiles) {
    for (const char* spec : {"stencil5:nx=60,ny=50", "web:n=5000,max_row=3000"}) {
        SCOPED_TRACE(spec);
        CsrMatrix a = make_gallery_matrix(spec);
        const bool has_gaps = features_of_rows(a.view()).empty_rows > 0;
        for (const std::int64_t items : {8, 16, 32})
            for (const std::int64_t run : {1, 4})
                for (const std::int64_t gaps : {0, 1})
                    if (gaps == 1 || !has_gaps)
                        expect_equal(a.view(), "tiles",
                                     {{"items", items}, {"run", run}, {"gaps", gaps}});
        auto* values = a.values.as<double>().data();
        for (std::int64_t k = 0; k < a.nnz; ++k) values[k] = static_cast<double>(k % 256) - 128;
        expect_equal(a.view(), "tiles", {{"value_code", 1}});
        for (std::int64_t k = 0; k < a.nnz; ++k) values[k] = -0.0;
        expect_equal(a.view(), "tiles", {{"value_code", 2}});
        for (const std::int64_t distinct : {1, 2, 5, 255}) {
            for (std::int64_t k = 0; k < a.nnz; ++k)
                values[k] = 0.1 * static_cast<double>(k % distinct) - 7;
            values[a.nnz / 2] = distinct < 255 ? -0.0 : values[0];
            expect_equal(a.view(), "tiles", {{"value_code", 3}});
            expect_equal(a.view(), "tiles", {{"value_code", 3}, {"items", 32}}, ValueType::f32);
        }
    }
}

/// Many columns are used equally often, some more often than the histogram tells apart, and there
/// are more and fewer hubs than used columns.
TEST_P(ConversionOnDeviceTest, TilesWithHubs) {
    const CsrMatrix web = make_gallery_matrix("web:n=5000,max_row=3000");
    const CsrMatrix few = make_gallery_matrix("random:rows=9000,cols=700,per_row=8");
    const CsrMatrix often = make_gallery_matrix("random:rows=5000,cols=600,per_row=550");
    for (const CsrMatrix* a : {&web, &few, &often})
        for (const std::int64_t hubs : {512, 4096})
            expect_equal(a->view(), "tiles_hubs", {{"hubs", hubs}, {"items", 16}});
    expect_equal(web.view(), "tiles_hubs", {{"hubs", 512}, {"warm", 4096}});
    const fixtures::TypedMatrix<std::complex<double>, long, long> b(fixtures::find("every_length"));
    expect_equal(b.view(), "tiles_hubs", {{"hubs", 512}}, ValueType::c32);
}

/// Most rows are empty, at both ends, too; one is as long as many runs; the last tile is full.
TEST_P(ConversionOnDeviceTest, TilesOfRowsThatAreEmptyOrLong) {
    for (const int long_row : {1, 5000}) {
        std::vector<int> row_ptr{0}, col_idx;
        for (int row = 0; row < 4000; ++row) {
            const int usual = row % 7 == 3 && row > 900 && row < 3000 ? row % 5 : 0;
            const int last = row == 2999 ? 2048 - row_ptr.back() % 2048 : usual;
            row_ptr.push_back(row_ptr.back() + (row == 1777 ? long_row : last));
        }
        ASSERT_EQ(row_ptr.back() % 2048, 0);
        std::vector<double> values;
        for (int k = 0; k < row_ptr.back(); ++k) {
            col_idx.push_back(k * 7 % 100);
            values.push_back(k);
        }
        const CsrView view = csr_view(4000, 100, row_ptr.data(), col_idx.data(), values.data());
        for (const char* kernel : {"tiles", "coo", "csr_by_length", "sell_slices"})
            expect_equal(view, kernel, {});
    }
}

TEST_P(ConversionOnDeviceTest, FindsWhatIsWrong) {
    fixtures::TypedMatrix<double, int, int> a(fixtures::find("one_dense_row"));
    for (auto& [kernel, params] : every_format) {
        SCOPED_TRACE(kernel);
        const Signature s = signature_of(*device_, a.view(), kernel, params);
        const Signature narrow = signature_of(*device_, a.view(), kernel, params, ValueType::f32);
        EXPECT_EQ(fault(a.view(), s), "");
        for (const int wrong : {-1, static_cast<int>(a.view().cols)}) {
            const int right = std::exchange(a.col_idx[40], wrong);
            EXPECT_EQ(fault(a.view(), s), "columns that the matrix has not");
            a.col_idx[40] = right;
        }
        for (const double wide : {1e39, -1e300}) {
            const double value = std::exchange(a.values[17], wide);
            EXPECT_EQ(fault(a.view(), s), "");
            EXPECT_EQ(fault(a.view(), narrow), "values too large for their type");
            a.values[17] = value;
        }
        const double value = std::exchange(a.values[17], std::numeric_limits<double>::infinity());
        EXPECT_EQ(fault(a.view(), narrow), "");
        a.values[17] = value;
    }
    EXPECT_EQ(fault(a.view(), signature_of(*device_, a.view(), "tiles", {{"value_code", 1}})),
              "values that the value code has not");
}

TEST_P(ConversionOnDeviceTest, TakesNoMoreThanItMay) {
    const fixtures::TypedMatrix<double, int, int> a(sorted(fixtures::find("every_length")));
    const OnDevice there(*device_, a.view());
    for (auto& [kernel, params] : every_format) {
        SCOPED_TRACE(kernel);
        const Signature s = signature_of(*device_, a.view(), kernel, params);
        std::size_t bytes = 0;
        for (auto& memory : begin(there, a.view(), s)->store(s, 0).memory) bytes += memory->bytes();
        const auto limit = static_cast<std::int64_t>(bytes);
        EXPECT_NO_THROW(begin(there, a.view(), s)->store(s, limit));
        EXPECT_THROW(begin(there, a.view(), s)->store(s, limit - 1), TooLarge);
    }
}

TEST_P(ConversionOnDeviceTest, RefusesEmptyRowsWhereThereAreToBeNone) {
    const fixtures::TypedMatrix<double, int, int> a(fixtures::find("many_empty_rows"));
    const Signature s = signature_of(*device_, a.view(), "tiles", {{"gaps", 0}});
    const OnDevice there(*device_, a.view());
    const auto conversion = begin(there, a.view(), s);
    EXPECT_EQ(conversion->fault(), "");
    EXPECT_THROW(conversion->store(s, 0), Error);
    Signature fitted = s;
    conversion->fit(fitted, [](const char*) { return true; });
    EXPECT_EQ(fitted.params.at("gaps"), 1);
}

TEST(ConversionOnDevice, IsForSignaturesThatAreStoredAlike) {
    const auto device = open_device("simt:sm_90");
    const fixtures::TypedMatrix<double, int, int> a(fixtures::find("regular"));
    const auto of = [&](const char* kernel, const Params& params) {
        return ConversionOnDeviceTest::signature_of(*device, a.view(), kernel, params);
    };
    const Signature converter = conversion_to(of("sell_slices", {{"sigma", 64}}), a.view());
    const auto is_for = [&](const Signature& s) { return converts_for(converter, s, a.view()); };
    EXPECT_TRUE(is_for(of("sell_slices", {{"sigma", 64}, {"block", 512}, {"unroll", 8}})));
    EXPECT_FALSE(is_for(of("sell_slices", {})));
    EXPECT_FALSE(is_for(of("sell_slices", {{"sigma", 16384}})));
    EXPECT_FALSE(is_for(of("hyb", {})));
    EXPECT_FALSE(is_for(of("csr_classical", {})));
}

TEST(ConversionOnDevice, SaysWhatItDoesNotMake) {
    const auto device = open_device("simt:sm_90");
    const fixtures::TypedMatrix<double, int, int> a(fixtures::find("regular"));
    const auto why = [&](const char* kernel, const Params& params, std::int64_t longest = 5,
                         std::optional<ValueType> storage = {}) {
        return why_not_on_device(
            {a.view(), a.view(), longest},
            ConversionOnDeviceTest::signature_of(*device, a.view(), kernel, params, storage));
    };
    EXPECT_EQ(why("hyb", {}), "hyb");
    EXPECT_EQ(why("tiles", {{"value_code", 3}}), "");
    EXPECT_EQ(why("sell_slices", {{"sigma", 16384}}, (1 << 18) - 3), "");
    EXPECT_EQ(why("sell_slices", {{"sigma", 16384}}, (1 << 18) - 2),
              "rows of 262142 entries in windows of 16384");
    EXPECT_EQ(why("strips", {{"sigma", 16384}}), "sigma=16384");
    EXPECT_EQ(why("sell_slices", {{"sigma", 4096}}, (1 << 20) - 3), "");
    EXPECT_EQ(why("sell_slices", {{"sigma", 4096}}, (1 << 20) - 2),
              "rows of 1048574 entries in windows of 4096");
    EXPECT_EQ(why("coo", {}, 5, ValueType::bf16), "");
    // What is given in 64 bits is narrowed first.
    const fixtures::TypedMatrix<double, long, long> large(fixtures::find("regular"));
    EXPECT_EQ(why_not_on_device({large.view(), large.view(), 5},
                                ConversionOnDeviceTest::signature_of(*device, a.view(), "coo", {})),
              "");
    Signature wide = ConversionOnDeviceTest::signature_of(*device, a.view(), "coo", {});
    wide.index = IndexType::i64;
    EXPECT_EQ(why_not_on_device({a.view(), a.view(), 5}, wide),
              "i64 columns and i32 offsets made of i32 and i32");
}

}  // namespace
}  // namespace spmvgen
