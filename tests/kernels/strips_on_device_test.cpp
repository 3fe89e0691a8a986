// Conversion to strips on the device: the arrays are the host's, bit for bit.
#include "handle/conversion/kinds/strips_on_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <cstring>
#include <numeric>
#include <set>
#include <span>

#include "fixtures.hpp"
#include "formats/value_encoding.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/features/features.hpp"
#include "matrix/suites/gallery.hpp"
#include "matrix_on_device.hpp"
#include "modes.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

KernelPolicy policy() {
    return {.mode = CacheMode::on, .directory = fixtures::cache_of_this_run()};
}

Signature strips_signature(const Device& device, const CsrView& a, Params params,
                           std::optional<ValueType> storage = {}) {
    Signature s;
    s.kernel = "strips";
    s.value = a.value_type;
    s.storage = storage;
    s.index = a.index_type;
    s.offset = a.offset_type;
    s.params = std::move(params);
    s.target = device.facts().target;
    return complete(s);
}

/// Elements that an array has, and bytes of each; what is not read has none.
struct Extent {
    std::int64_t count;
    std::size_t element;
};

std::map<std::string, Extent> extents(const StoredMatrix& m, const Signature& s) {
    const auto of = [&](const char* name) { return m.scalars.at(name); };
    const std::int64_t lanes = of("num_slices") * s.params.at("slice");
    const auto last = [&](const char* array, std::int64_t at) -> std::int64_t {
        return dispatch(s.offset, [&]<typename Offset>(Offset) -> std::int64_t {
            return static_cast<const Offset*>(m.arrays.at(array))[at];
        });
    };
    const std::size_t index = size_of(s.index), offset = size_of(s.offset);
    const std::int64_t code = s.params.at("value_code"), r = s.params.at("block_rows");
    const std::int64_t block_rows = (of("num_rows") + r - 1) / r;
    std::map<std::string, Extent> arrays{
        {"slice_ptr", {of("num_slices") + 1, offset}},
        {"slice_info", {of("num_slices"), 4}},
        {"delta_ptr", {of("num_slices") + 1, offset}},
        {"bases", {of("num_strips"), index}},
        {"deltas", {last("delta_ptr", of("num_slices")) * s.params.at("slice") + 64, 1}},
        {"lengths", {s.params.at("ragged") == 1 ? lanes : 0, 2}},
        {"places", {s.params.at("sigma") > 1 ? block_rows : 0, 2}},
        {"values",
         {code == 0   ? m.stored
          : code == 2 ? 1
          : code == 3 ? 256
                      : 0,
          size_of(storage_type(s))}},
        {"coded_values", {code % 2 == 1 ? m.stored : 0, 1}},
        {"long_row", {of("num_long"), index}},
        {"long_ptr", {of("num_long") + 1, offset}},
        {"long_col", {last("long_ptr", of("num_long")), index}},
        {"chunk_ptr", {of("num_long") + 1, offset}},
        {"chunk_row", {of("num_chunks"), index}},
    };
    if (s.params.at("any_order") == 1) arrays["row_order"] = {of("num_rows"), index};
    return arrays;
}

/// Converts on the device and on the host and compares.
void expect_equal(std::shared_ptr<Device> device, const CsrView& a, Signature s,
                  std::span<const std::int32_t> order = {}) {
    SCOPED_TRACE(to_string(s));
    const OnDevice there(*device, a);
    MatrixOnDevice matrix{there.view(), a, features_of_rows(a).max_row};
    matrix.on_host.col_idx = matrix.on_host.values = nullptr;
    matrix.row_order = order;
    matrix.dictionary = required_encoding(a, s).dictionary;
    ASSERT_EQ(why_not_on_device(matrix, s), "");
    const auto converter =
        KernelProvider::process().get(conversion_to(s, a), policy(), device).kernel;
    StripsOnDevice strips(*device, *converter->loaded, matrix, s);
    ASSERT_EQ(strips.fault(), "");
    const StripsPlan plan = plan_strips(a, s);
    if (s.params.at("codes") == 15) {
        EXPECT_EQ(strips.plan(), plan);
        s.params["codes"] = plan.codes() & ~1 ? plan.codes() & ~1 : 1;  // without the narrowest
        strips.use_codes(s.params["codes"]);
    }
    s.params["fill"] = plan.filled_slices > 0 ? 1 : 0;
    s.params["ragged"] = plan.ragged_slices > 0 ? 1 : 0;
    const StoredMatrix host = convert(a, s, false, 1 << 30, order);
    const GpuMatrix gpu = strips.store(s, 1 << 30);
    EXPECT_EQ(gpu.stored.scalars, host.scalars);
    EXPECT_EQ(gpu.stored.stored, host.stored);
    EXPECT_EQ(gpu.stored.bytes, host.bytes);
    std::set<std::string> names;
    for (auto& [name, extent] : extents(host, s)) {
        names.insert(name);
        const std::size_t bytes = static_cast<std::size_t>(extent.count) * extent.element;
        std::vector<unsigned char> made(bytes);
        device->copy_to_host(made.data(), gpu.stored.arrays.at(name), bytes);
        const auto* expected = static_cast<const unsigned char*>(host.arrays.at(name));
        const auto wrong = std::mismatch(made.begin(), made.end(), expected).first - made.begin();
        EXPECT_EQ(wrong, static_cast<std::ptrdiff_t>(bytes)) << name << " differs at that byte";
    }
    for (auto& [name, array] : host.arrays) EXPECT_TRUE(names.contains(name)) << name;
}

/// The same with the columns of each row in rising order.
fixtures::Fixture rising(fixtures::Fixture f) {
    for (std::size_t row = 0; row + 1 < f.row_ptr.size(); ++row)
        std::sort(f.col_idx.begin() + f.row_ptr[row], f.col_idx.begin() + f.row_ptr[row + 1]);
    return f;
}

class StripsOnDeviceTest : public testing::TestWithParam<const char*> {
  protected:
    std::shared_ptr<Device> device_ = open_device(GetParam());
};
INSTANTIATE_TEST_SUITE_P(, StripsOnDeviceTest, testing::Values("simt:sm_90", "simt:gfx906"),
                         [](auto& test) { return std::string(test.param).substr(5); });

TEST_P(StripsOnDeviceTest, EveryFixtureAsTheHostMakesIt) {
    for (auto& fixture : fixtures::all()) {
        SCOPED_TRACE(fixture.name);
        if (fixture.nnz() == 0) continue;
        const fixtures::TypedMatrix<double, int, int> a(fixture);
        for (const Params& params :
             {Params{}, Params{{"sigma", 64}}, Params{{"threads_per_row", 4}, {"long_from", 32}},
              Params{{"sigma", 64}, {"threads_per_row", 2}, {"long_from", 32}, {"codes", 12}}})
            expect_equal(device_, a.view(), strips_signature(*device_, a.view(), params));
    }
}

TEST_P(StripsOnDeviceTest, Blocks) {
    const CsrMatrix dofs = make_gallery_matrix("fem_tri:nx=12,ny=12,dofs=3");
    const Params three{{"block_rows", 3}, {"block_cols", 3}};
    expect_equal(device_, dofs.view(), strips_signature(*device_, dofs.view(), three));
    Params sorted = three;
    sorted.insert({{"sigma", 64}, {"threads_per_row", 2}});
    expect_equal(device_, dofs.view(), strips_signature(*device_, dofs.view(), sorted));
    for (const char* name : {"regular", "every_length", "many_empty_rows", "one_dense_column"}) {
        SCOPED_TRACE(name);
        const fixtures::TypedMatrix<double, int, int> a(rising(fixtures::find(name)));
        for (const Params& params : {Params{{"block_rows", 2}, {"block_cols", 1}},
                                     Params{{"block_rows", 1}, {"block_cols", 4}, {"sigma", 64}},
                                     Params{{"block_rows", 5}, {"block_cols", 7}}})
            expect_equal(device_, a.view(), strips_signature(*device_, a.view(), params));
    }
}

TEST_P(StripsOnDeviceTest, RowsInAnyOrder) {
    const auto& fixture = fixtures::find("every_length");
    std::vector<std::int32_t> backwards(static_cast<std::size_t>(fixture.rows));
    std::iota(backwards.rbegin(), backwards.rend(), 0);
    const fixtures::TypedMatrix<double, int, int> a(fixture);
    const fixtures::TypedMatrix<double, long, int> wide(fixture);
    for (const CsrView& view : {a.view(), wide.view()}) {
        const Signature s = strips_signature(*device_, view, {{"any_order", 1}, {"sigma", 64}});
        expect_equal(device_, view, s);
        expect_equal(device_, view, s, backwards);
    }
}

TEST_P(StripsOnDeviceTest, OtherTypes) {
    const auto& fixture = fixtures::find("every_length");
    const fixtures::TypedMatrix<float, int, long> a(fixture);
    expect_equal(device_, a.view(), strips_signature(*device_, a.view(), {{"sigma", 64}}));
    const fixtures::TypedMatrix<std::complex<double>, long, long> b(fixture);
    expect_equal(device_, b.view(), strips_signature(*device_, b.view(), {{"codes", 8}}));
    expect_equal(device_, b.view(), strips_signature(*device_, b.view(), {}, ValueType::c32));
    const fixtures::TypedMatrix<double, long, int> c(fixture);
    expect_equal(device_, c.view(), strips_signature(*device_, c.view(), {}, ValueType::f32));
}

TEST_P(StripsOnDeviceTest, WindowsAndCodesOfLargerMatrices) {
    for (const char* spec : {"stencil5:nx=90,ny=40", "random:rows=5000,cols=70000,per_row=3"}) {
        SCOPED_TRACE(spec);
        const CsrMatrix a = make_gallery_matrix(spec);
        for (const std::int64_t sigma : {1, 256, 4096})
            expect_equal(device_, a.view(),
                         strips_signature(*device_, a.view(), {{"sigma", sigma}}));
    }
}

TEST_P(StripsOnDeviceTest, HolesInDiagonals) {
    const std::int64_t widest = device_->facts().target.wavefront;
    for (const char* spec :
         {"stencil7:nx=9,ny=8,nz=7", "mesh3d:nx=7,ny=7,nz=7,points=15,dofs=1,keep=0.9",
          "stencil5:nx=31,ny=40"}) {
        SCOPED_TRACE(spec);
        CsrMatrix a = make_gallery_matrix(spec);
        for (const std::int64_t slice : std::set{std::int64_t{32}, widest})
            for (const std::int64_t value_code : {0, 1, 2, 3}) {
                auto* values = a.values.as<double>().data();
                for (std::int64_t k = 0; k < a.nnz; ++k)
                    values[k] = value_code == 2 ? 2 : static_cast<double>(k % 5 + 1);
                const Signature s = strips_signature(
                    *device_, a.view(),
                    {{"slice", slice}, {"value_code", value_code}, {"fill", 1}, {"codes", 13}});
                EXPECT_GT(plan_strips(a.view(), s).hole_mask_bytes, 0);
                expect_equal(device_, a.view(), s);
            }
    }
}

TEST_P(StripsOnDeviceTest, RowsThatTakeTurns) {
    const std::int64_t widest = device_->facts().target.wavefront;
    for (const char* spec :
         {"curl_curl:nx=7,ny=6,nz=5,keep=0.85", "arrow:n=700", "random:rows=500"}) {
        SCOPED_TRACE(spec);
        const CsrMatrix a = make_gallery_matrix(spec);
        for (const std::int64_t slice : std::set{std::int64_t{32}, widest})
            for (const std::int64_t period : {2, 3, 4, 6})
                for (const std::int64_t fill : {0, 1}) {
                    // With holes the period of curl_curl and one that is not its; without, its
                    // multiples.
                    const bool is_telling = period == 3 || (period == 4 ? fill == 1 : fill == 0);
                    if (!is_telling && !fixtures::is_every_mode_wanted()) continue;
                    const Signature s = strips_signature(
                        *device_, a.view(),
                        {{"slice", slice}, {"period", period}, {"fill", fill}, {"codes", 15}});
                    const bool has_holes = plan_strips(a.view(), s).hole_mask_bytes > 0;
                    EXPECT_TRUE(fill == 1 || !has_holes);
                    EXPECT_TRUE(period != 3 || fill == 0 || spec[0] != 'c' || has_holes);
                    expect_equal(device_, a.view(), s);
                }
    }
}

TEST_P(StripsOnDeviceTest, CodedValues) {
    fixtures::TypedMatrix<double, int, int> a(fixtures::find("longer_than_a_block"));
    for (std::size_t k = 0; k < a.values.size(); ++k)
        a.values[k] = static_cast<double>(k % 256) - 128.0;
    expect_equal(device_, a.view(), strips_signature(*device_, a.view(), {{"value_code", 1}}));
    for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] = -0.0;
    expect_equal(device_, a.view(), strips_signature(*device_, a.view(), {{"value_code", 2}}));
}

TEST_P(StripsOnDeviceTest, Dictionaries) {
    fixtures::TypedMatrix<double, int, int> a(fixtures::find("longer_than_a_block"));
    fixtures::TypedMatrix<std::complex<double>, int, int> b(fixtures::find("one_dense_row"));
    CsrMatrix dofs = make_gallery_matrix("fem_tri:nx=12,ny=12,dofs=3");
    for (std::size_t k = 0; k < a.values.size(); ++k)
        a.values[k] = 0.3 * static_cast<double>(k % 255);
    for (std::size_t k = 0; k < b.values.size(); ++k)
        b.values[k] = {static_cast<double>(k % 3), -0.5 * static_cast<double>(k % 4)};
    for (std::int64_t k = 0; k < dofs.nnz; ++k)
        dofs.values.as<double>()[static_cast<std::size_t>(k)] = static_cast<double>(k % 5) - 0.1;
    for (const Params& params : {Params{}, Params{{"long_from", 512}, {"long_rows", 1}},
                                 Params{{"sigma", 256}, {"threads_per_row", 4}}}) {
        Params coded = params;
        coded["value_code"] = 3;
        expect_equal(device_, a.view(), strips_signature(*device_, a.view(), coded));
        expect_equal(device_, a.view(),
                     strips_signature(*device_, a.view(), coded, ValueType::bf16));
        expect_equal(device_, b.view(), strips_signature(*device_, b.view(), coded));
    }
    expect_equal(device_, dofs.view(),
                 strips_signature(*device_, dofs.view(),
                                  {{"block_rows", 3}, {"block_cols", 2}, {"value_code", 3}}));
}

TEST_P(StripsOnDeviceTest, FindsWhatIsWrong) {
    fixtures::TypedMatrix<double, int, int> a(fixtures::find("one_dense_row"));
    const auto fault = [&](const Params& params) {
        const Signature s = strips_signature(*device_, a.view(), params);
        const OnDevice there(*device_, a.view());
        const auto converter =
            KernelProvider::process().get(conversion_to(s, a.view()), policy(), device_).kernel;
        return StripsOnDevice(*device_, *converter->loaded, {there.view(), a.view(), 300}, s)
            .fault();
    };
    EXPECT_EQ(fault({}), "");
    EXPECT_EQ(fault({{"block_rows", 2}, {"long_from", 1024}}), "");
    std::swap(a.col_idx[40], a.col_idx[41]);
    EXPECT_EQ(fault({{"block_rows", 2}, {"long_from", 1024}}),
              "rows whose columns do not rise, for blocks");
    std::swap(a.col_idx[40], a.col_idx[41]);
    EXPECT_EQ(fault({{"codes", 1}, {"long_from", 512}}), "slices that no code fits");
    EXPECT_EQ(fault({{"value_code", 1}}), "values that the value code has not");
    EXPECT_EQ(fault({{"value_code", 2}}), "values that the value code has not");
    for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] = k == 17 ? -0.0 : 0.0;
    EXPECT_EQ(fault({{"value_code", 1}}), "values that the value code has not");
    EXPECT_EQ(fault({{"value_code", 2}}), "values that the value code has not");
    for (const int wrong : {-1, 300}) {
        a.col_idx[40] = wrong;
        EXPECT_EQ(fault({}), "columns that the matrix has not") << "in a long row";
        EXPECT_EQ(fault({{"long_from", 512}}), "columns that the matrix has not");
    }
}

std::size_t bytes_of(const StoredMatrix& m) {
    std::size_t bytes = 0;
    for (auto& buffer : m.owned) bytes += buffer.bytes();
    return bytes;
}

// Without a limit the host's conversion takes 1.2 times the bytes of CSR at most, or is refused.
TEST(StripsOnTheHost, TakeNoMoreThanTheyMay) {
    const auto device = open_device("simt:sm_90");
    int refused = 0;
    for (const char* spec :
         {"stencil27:nx=30,ny=30,nz=30", "stencil5:nx=300,ny=300", "random:rows=60000,per_row=5",
          "near:n=60000,min_row=1,max_row=30,span=3000", "web:n=60000,max_row=5000"}) {
        SCOPED_TRACE(spec);
        const CsrMatrix a = make_gallery_matrix(spec);
        for (const std::int64_t sigma : {1, 4096}) {
            const Signature s = strips_signature(*device, a.view(), {{"sigma", sigma}});
            try {
                EXPECT_LE(static_cast<double>(bytes_of(convert(a.view(), s, false))),
                          1.2 * static_cast<double>(a.bytes()));
            } catch (const TooLarge&) {
                ++refused;
                EXPECT_GT(static_cast<double>(bytes_of(convert(a.view(), s, false, 1 << 30))),
                          1.2 * static_cast<double>(a.bytes()));
            }
        }
    }
    EXPECT_GT(refused, 0);
}

TEST(StripsOnTheHost, AreTheSameForAnyNumberOfThreads) {
    const auto device = open_device("simt:sm_90");
    const CsrMatrix a = make_gallery_matrix("web:n=20000,max_row=3000");
    const Signature s = strips_signature(*device, a.view(), {{"sigma", 256}});
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    const StoredMatrix alone = convert(a.view(), s, false, 1 << 30);
    omp_set_num_threads(4);
    const StoredMatrix together = convert(a.view(), s, false, 1 << 30);
    omp_set_num_threads(before);
    EXPECT_EQ(alone.scalars, together.scalars);
    for (auto& [name, extent] : extents(alone, s))
        EXPECT_EQ(std::memcmp(alone.arrays.at(name), together.arrays.at(name),
                              static_cast<std::size_t>(extent.count) * extent.element),
                  0)
            << name;
}

TEST(StripsOnDevice, SaysWhatItDoesNotMake) {
    const auto device = open_device("simt:sm_90");
    const fixtures::TypedMatrix<double, int, int> a(fixtures::find("regular"));
    const auto why = [&](const Params& params, std::int64_t longest = 5,
                         std::optional<ValueType> storage = {}) {
        return why_not_on_device({a.view(), a.view(), longest},
                                 strips_signature(*device, a.view(), params, storage));
    };
    EXPECT_EQ(why({}), "");
    EXPECT_EQ(why({{"block_rows", 2}}, 129), "blocks of rows of 129 entries");
    EXPECT_EQ(why({{"value_code", 3}}), "");
    EXPECT_EQ(why({{"sigma", 16384}}), "sigma=16384");
    EXPECT_EQ(why({{"slice", 64}}), "slice=64");
    EXPECT_EQ(why({}, 5, ValueType::bf16), "");
    EXPECT_EQ(why({{"long_rows", 0}}, 65535), "rows of 65535 entries");
    Signature wide = strips_signature(*device, a.view(), {});
    wide.index = IndexType::i64;
    EXPECT_EQ(why_not_on_device({a.view(), a.view(), 5}, wide),
              "i64 columns and i32 offsets made of i32 and i32");
}

}  // namespace
}  // namespace spmvgen
