// Conversions of CSR on the device but those to strips: the arrays are the host's, bit for bit.
#include "handle/conversion/conversion_on_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fixtures.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/features/features.hpp"
#include "matrix/suites/gallery.hpp"
#include "matrix_on_device.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;
using Params = std::map<std::string, std::int64_t>;

/// A kernel's signature for a matrix on a device.
Signature signature_of(const Device& device, const CsrView& a, std::string kernel, Params params,
                       std::optional<ValueType> storage = {}) {
    Signature s;
    s.kernel = std::move(kernel);
    s.value = a.value_type;
    s.storage = storage;
    s.index = a.index_type;
    s.offset = a.offset_type;
    s.params = std::move(params);
    s.target = device.facts().target;
    return complete(s);
}

/// Whether a kernel reads the array: some exist in name only.
bool is_read(const std::string& array, const Signature& s, const StoredMatrix& m) {
    const auto value_of = [&](const char* name) {
        const auto found = s.params.find(name);
        return found != s.params.end() ? found->second : 0;
    };
    if (array == "row_order") return value_of("sigma") > 1;
    if (array == "values") return value_of("value_code") != 1;
    if (array == "coded_values") return value_of("value_code") % 2 == 1;
    if (array == "filled_rows") return value_of("gaps") == 1;
    if (array == "empty_rows") return m.scalars.at("num_empty") > 0;
    if (array.starts_with("part_")) return m.scalars.at("num_parts") > 0;
    if (array.starts_with("middle_")) return m.scalars.at("num_middle") > 0;
    return true;
}

const Buffer& host_array(const StoredMatrix& m, const std::string& name) {
    return *std::ranges::find_if(m.owned, [&](auto& b) { return b.data() == m.arrays.at(name); });
}

const DeviceMemory& device_array(const GpuMatrix& m, const std::string& name) {
    return **std::ranges::find_if(
        m.memory, [&](auto& memory) { return memory->data() == m.stored.arrays.at(name); });
}

class ConversionOnDeviceTest : public testing::TestWithParam<const char*> {
  protected:
    std::unique_ptr<ConversionOnDevice> begin(const OnDevice& there, const CsrView& a,
                                              const Signature& s) {
        MatrixOnDevice matrix{there.view(), a, features_of_rows(a).max_row};
        matrix.on_host.col_idx = matrix.on_host.values = nullptr;
        EXPECT_EQ(why_not_on_device(matrix, s), "");
        kernels_ = load_converters(
            KernelProvider::process(),
            {.mode = CacheMode::on, .directory = fixtures::cache_of_this_run()}, device_, s, a);
        return begin_conversion(*device_, kernels_, matrix, s);
    }
    std::string fault(const CsrView& a, const Signature& s) {
        const OnDevice there(*device_, a);
        return begin(there, a, s)->fault();
    }
    /// Converts on the device and on the host and compares.
    void expect_equal(const CsrView& a, const Signature& s) {
        SCOPED_TRACE(to_string(s));
        const OnDevice there(*device_, a);
        const auto conversion = begin(there, a, s);
        ASSERT_EQ(conversion->fault(), "");
        const StoredMatrix host = convert(a, s, false);
        const GpuMatrix gpu = conversion->store(s, 0);
        EXPECT_EQ(gpu.stored.format, host.format);
        EXPECT_EQ(gpu.stored.scalars, host.scalars);
        EXPECT_EQ(gpu.stored.stored, host.stored);
        EXPECT_EQ(gpu.stored.bytes, host.bytes);
        for (auto& [name, array] : host.arrays) {
            ASSERT_TRUE(gpu.stored.arrays.contains(name)) << name;
            const Buffer& expected = host_array(host, name);
            ASSERT_EQ(device_array(gpu, name).bytes(), expected.bytes()) << name;
            if (!is_read(name, s, host)) continue;
            std::vector<unsigned char> made(expected.bytes());
            device_->copy_to_host(made.data(), gpu.stored.arrays.at(name), made.size());
            const auto* bytes = static_cast<const unsigned char*>(expected.data());
            const auto wrong = std::mismatch(made.begin(), made.end(), bytes).first - made.begin();
            EXPECT_EQ(wrong, std::ssize(made)) << name << " differs at that byte";
        }
    }
    void expect_equal(const CsrView& a, const char* kernel, const Params& params,
                      std::optional<ValueType> storage = {}) {
        expect_equal(a, signature_of(*device_, a, kernel, params, storage));
    }

    std::shared_ptr<Device> device_ = open_device(GetParam());

  private:
    ConversionKernels kernels_;  ///< outlive the conversion
};
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

fixtures::Fixture sorted(fixtures::Fixture f) {
    for (std::size_t row = 0; row + 1 < f.row_ptr.size(); ++row)
        std::sort(f.col_idx.begin() + f.row_ptr[row], f.col_idx.begin() + f.row_ptr[row + 1]);
    return f;
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
        for (const std::int64_t distinct : {1, 2, 5, 256}) {
            for (std::int64_t k = 0; k < a.nnz; ++k)
                values[k] = 0.1 * static_cast<double>(k % distinct) - 7;
            values[a.nnz / 2] = distinct < 256 ? -0.0 : values[0];
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

template <typename Value>
std::vector<Value> few_values(std::size_t count) {
    std::vector<Value> values;
    for (std::size_t k = 0; k < count; ++k) {
        const auto part = [&](std::size_t of) {
            return static_cast<typename RealOf<Value>::Type>(0.3 * static_cast<double>(of) - 1);
        };
        if constexpr (std::is_floating_point_v<Value>)
            values.push_back(part(k % 17));
        else
            values.push_back({part(k % 5), part(k % 3)});
    }
    return values;
}

TEST_P(ConversionOnDeviceTest, DictionariesOfEveryType) {
    const auto test = [&]<typename Value>(Value) {
        fixtures::TypedMatrix<Value, int, int> a(fixtures::find("every_length"));
        const auto values = few_values<Value>(a.values.size());
        std::ranges::copy(values, a.values.data());
        const Signature s = signature_of(*device_, a.view(), "tiles", {{"value_code", 3}});
        expect_equal(a.view(), s);
        for (std::size_t k = 0; k < 257; ++k)
            a.values[k] = static_cast<typename RealOf<Value>::Type>(k);
        EXPECT_EQ(fault(a.view(), s), "values that the value code has not");
    };
    test(float{});
    test(double{});
    test(std::complex<float>{});
    test(std::complex<double>{});
}

/// Ties, the smallest and the largest numbers, and those that are too small.
TEST_P(ConversionOnDeviceTest, ValuesOf16Bits) {
    const auto test = [&]<typename Value>(Value) {
        fixtures::TypedMatrix<Value, int, int> a(sorted(fixtures::find("every_length")));
        const std::vector<double> numbers{0.0,
                                          -0.0,
                                          1,
                                          -2.5,
                                          1.0 / 3,
                                          -1e4 / 7,
                                          65504,
                                          65519.996,
                                          1 + 0x1p-11,
                                          1 + 3 * 0x1p-11,
                                          1 + 0x1p-8,
                                          1 + 3 * 0x1p-8,
                                          1 + 0x1p-8 + 0x1p-20,
                                          0x1p-14,
                                          0x1.ffcp-15,
                                          0x1p-24,
                                          0x1p-25,
                                          0x1.8p-24,
                                          -0x1p-26,
                                          0x1p-126,
                                          0x1p-133,
                                          0x1p-134,
                                          1e-300,
                                          std::numeric_limits<double>::infinity(),
                                          -std::numeric_limits<double>::infinity(),
                                          std::numeric_limits<double>::quiet_NaN()};
        for (std::size_t k = 0; k < a.values.size(); ++k)
            a.values[k] = static_cast<Value>(numbers[k % numbers.size()]);
        for (const ValueType storage : {ValueType::f16, ValueType::bf16}) {
            for (auto& [kernel, params] : every_format)
                expect_equal(a.view(), kernel, params, storage);
            const double least = storage == ValueType::f16 ? 65520 : 0x1.ffp127;
            a.values[40] = static_cast<Value>(-least);
            EXPECT_EQ(fault(a.view(), signature_of(*device_, a.view(), "coo", {}, storage)),
                      "values too large for their type");
            a.values[40] = 1;
        }
    };
    test(double{});
    test(float{});
}

TEST_P(ConversionOnDeviceTest, OtherTypes) {
    const fixtures::Fixture fixture = sorted(fixtures::find("every_length"));
    const fixtures::TypedMatrix<float, int, long> a(fixture);
    const fixtures::TypedMatrix<std::complex<double>, long, long> b(fixture);
    const fixtures::TypedMatrix<double, long, int> c(fixture);
    for (auto& [kernel, params] : every_format) {
        expect_equal(a.view(), kernel, params);
        expect_equal(b.view(), kernel, params);
        expect_equal(b.view(), kernel, params, ValueType::c32);
        expect_equal(c.view(), kernel, params, ValueType::f32);
    }
}

/// Arrays of 64 bits for kernels that take 32, of columns, of offsets, and of both.
TEST_P(ConversionOnDeviceTest, NarrowerIndices) {
    const fixtures::Fixture fixture = sorted(fixtures::find("every_length"));
    const fixtures::TypedMatrix<double, int, int> narrow(fixture);
    const fixtures::TypedMatrix<double, long, long> both(fixture);
    const fixtures::TypedMatrix<double, long, int> columns(fixture);
    const fixtures::TypedMatrix<double, int, long> offsets(fixture);
    for (auto& [kernel, params] : every_format) {
        const Signature s = signature_of(*device_, narrow.view(), kernel, params);
        for (const CsrView& a : {both.view(), columns.view(), offsets.view()}) expect_equal(a, s);
    }
    fixtures::TypedMatrix<double, long, long> wrong(fixture);
    for (const long column : {-1l, long{fixture.cols}, 1l << 32}) {
        wrong.col_idx[20] = column;
        for (auto& [kernel, params] : every_format)
            EXPECT_EQ(fault(wrong.view(), signature_of(*device_, narrow.view(), kernel, params)),
                      "columns that the matrix has not");
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
        return signature_of(*device, a.view(), kernel, params);
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
        return why_not_on_device({a.view(), a.view(), longest},
                                 signature_of(*device, a.view(), kernel, params, storage));
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
                                signature_of(*device, a.view(), "coo", {})),
              "");
    Signature wide = signature_of(*device, a.view(), "coo", {});
    wide.index = IndexType::i64;
    EXPECT_EQ(why_not_on_device({a.view(), a.view(), 5}, wide),
              "i64 columns and i32 offsets made of i32 and i32");
}

}  // namespace
}  // namespace spmvgen
