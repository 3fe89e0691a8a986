// Several vectors as kernels take them without packing: rows with gaps and columns. Sums are
// exact, for A and the vectors hold small integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <filesystem>

#include "handle/base/x_gathers.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/suites/gallery.hpp"
#include "registry.hpp"
#include "spmvgen/spmvgen.hpp"
#include "store/store.hpp"

namespace spmvgen::vector_forms {
namespace {

constexpr auto by_row = VectorLayout::row, by_column = VectorLayout::column;

template <typename Value>
Value number(std::int64_t i) {
    const auto part = [](std::int64_t n) { return static_cast<double>(n % 11 - 5); };
    if constexpr (requires { typename Value::value_type; })
        return Value(static_cast<typename Value::value_type>(part(i)),
                     static_cast<typename Value::value_type>(part(i * 3 + 1)));
    else
        return static_cast<Value>(part(i));
}

constexpr std::size_t at_a_line =
    64;  ///< numbers behind the begin, from which a line is looked for

/// Vectors in some layout, `first` numbers behind the begin of their memory, of which nobody may
/// touch what is between them. With `first` at_a_line they begin with a line of 64 bytes.
template <typename Value>
struct Block {
    VectorLayout layout;
    std::int64_t rows, k, ld;
    std::size_t first;
    std::vector<Value> memory;

    Block(VectorLayout l, std::int64_t n, std::int64_t columns, std::int64_t gap, std::size_t at)
        : layout(l), rows(n), k(columns), ld((l == by_row ? columns : n) + gap), first(at) {
        const std::int64_t last = l == by_row ? (n - 1) * ld + columns : (columns - 1) * ld + n;
        memory.assign(first + static_cast<std::size_t>(last), Value(-77));
        if (first == at_a_line)
            first -= reinterpret_cast<std::uintptr_t>(memory.data() + first) % 64 / sizeof(Value);
    }
    Value& at(std::int64_t i, std::int64_t r) {
        return memory[first + static_cast<std::size_t>(layout == by_row ? i * ld + r : i + r * ld)];
    }
    Value* data() { return memory.data() + first; }
    void fill(std::int64_t salt) {
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t r = 0; r < k; ++r) at(i, r) = number<Value>(i * 3 + r * 5 + salt);
    }
};

template <typename Value>
CsrMatrix whole_numbers() {
    CsrMatrix a = convert_values(make_gallery_matrix("powerlaw:n=90,max_row=80").view(),
                                 type_tag<Value>::value);
    std::int64_t i = 0;
    for (Value& value : a.values.template as<Value>()) value = number<Value>(++i);
    return a;
}

struct Case {
    VectorLayout x, y;
    std::int64_t gap, k;
    std::size_t first;
    double alpha, beta;
};

template <typename Value>
void check(const CsrMatrix& a, const Handle& handle, const Case& c) {
    Block<Value> x(c.x, a.cols, c.k, c.gap, c.first), y(c.y, a.rows, c.k, c.gap, c.first);
    x.fill(0);
    y.fill(7);
    Block<Value> wanted = y;
    const auto alpha = static_cast<Value>(c.alpha), beta = static_cast<Value>(c.beta);
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t r = 0; r < c.k; ++r) {
            Value sum(0);
            const auto row = static_cast<std::size_t>(i);
            for (auto e = a.row_ptr.as<std::int32_t>()[row];
                 e < a.row_ptr.as<std::int32_t>()[row + 1]; ++e) {
                const auto entry = static_cast<std::size_t>(e);
                sum += a.values.as<Value>()[entry] * x.at(a.col_idx.as<std::int32_t>()[entry], r);
            }
            wanted.at(i, r) = alpha * sum + (c.beta == 0 ? Value(0) : beta * y.at(i, r));
        }
    handle.apply_many(c.k, alpha, static_cast<const Value*>(x.data()), x.ld, c.x, beta, y.data(),
                      y.ld, c.y);
    EXPECT_EQ(y.memory, wanted.memory)
        << handle.info().kernel << " on " << handle.info().device << ", k " << c.k << ", gap "
        << c.gap << ", layouts " << static_cast<int>(c.x) << ' ' << static_cast<int>(c.y) << ", α "
        << c.alpha << ", β " << c.beta << ", from " << c.first;
}

/// Every pair of layouts with every number of vectors; types, modes, gaps and alignments in turn.
template <typename Value>
void check_all(const std::string& kernel, const std::string& device, std::size_t turn) {
    const CsrMatrix a = whole_numbers<Value>();
    Options o;
    o.cache = CacheMode::memory;
    o.threads = 2;
    o.all_threads = true;
    o.device = device;
    o.kernel = kernel;
    o.pack_vectors = "never";
    if (kernel == "csr_by_length")
        o.params = {{"most_short", 8}, {"most_middle", 64}, {"share", 512}};
    const Handle handle(a.view(), o);
    constexpr std::pair<double, double> modes[]{{1, 0}, {2, -1}, {1, 1}, {-1, 0}};
    for (const VectorLayout x : {by_row, by_column})
        for (const VectorLayout y : {by_row, by_column})
            for (const std::int64_t k : {2, 4, 8, 16, 32}) {
                ++turn;
                const auto [alpha, beta] = modes[turn % 4];
                // A gap of 4 keeps rows at multiples of 16 bytes, one of 3 does not.
                check<Value>(a, handle,
                             {x, y, turn / 4 % 2 == 0 ? 4 : 3, k, turn / 8 % 2, alpha, beta});
            }
}

struct Place {
    std::string kernel, device;
};
void PrintTo(const Place& place, std::ostream* out) {
    *out << place.kernel << " on " << place.device;
}

std::vector<Place> places() {
    std::vector<Place> all;
    for (auto& entry : kernel_registry()) {
        if (!entry.takes_forms) continue;
        if (!entry.gpu) all.push_back({std::string(entry.id), "host"});
        for (const char* device : {"simt:sm_90", "simt:gfx906"})
            if (entry.gpu) all.push_back({std::string(entry.id), device});
    }
    return all;
}

class VectorForms : public testing::TestWithParam<Place> {};

TEST_P(VectorForms, F64) {
    check_all<double>(GetParam().kernel, GetParam().device, 0);
}
TEST_P(VectorForms, F32) {
    check_all<float>(GetParam().kernel, GetParam().device, 5);
}
TEST_P(VectorForms, C64) {
    check_all<std::complex<double>>(GetParam().kernel, GetParam().device, 10);
}

INSTANTIATE_TEST_SUITE_P(Kernels, VectorForms, testing::ValuesIn(places()), [](auto& info) {
    std::string name = info.param.kernel + "_" + info.param.device;
    std::ranges::replace(name, ':', '_');
    return name;
});

/// Rows that are whole lines, of a y that begins with one or not, and others.
template <typename Value>
void check_past_caches(const std::string& epilogue) {
    const CsrMatrix a = whole_numbers<Value>();
    Options o;
    o.cache = CacheMode::memory;
    o.threads = 2;
    o.all_threads = true;
    o.kernel = "csr_ahead";
    o.params = {{"past_caches", 1}, {"ahead", 32}};
    o.pack_vectors = "never";
    o.epilogue = epilogue;
    const Handle handle(a.view(), o);
    for (const std::int64_t k : {4, 8, 16, 32})
        for (const std::size_t first : {at_a_line, std::size_t{1}})
            for (const std::int64_t gap : {0, 4, 16})
                for (const double beta : {0.0, 1.0})
                    check<Value>(a, handle, {by_row, by_row, gap, k, first, 2, beta});
}

TEST(VectorFormsOfHandles, PastTheCaches) {
    check_past_caches<double>("");
    check_past_caches<float>("");
    check_past_caches<std::complex<float>>("");
    check_past_caches<double>("value + 0");
}

/// A planned number that is none of those that kernels are made for anyway, α = 0, transposes and
/// an epilogue.
TEST(VectorFormsOfHandles, InOtherProducts) {
    const CsrMatrix a = whole_numbers<double>();
    for (const char* device : {"host", "simt:sm_90"})
        for (const VectorLayout layout : {by_row, by_column}) {
            Options o;
            o.cache = CacheMode::memory;
            o.device = device;
            o.kernel = std::string(device) == "host" ? "csr_rows" : "csr_classical";
            o.pack_vectors = "never";
            o.num_rhs = 6;
            const Handle handle(a.view(), o);
            check<double>(a, handle, {layout, layout, 2, 6, 0, 2, 1});
            check<double>(a, handle, {layout, layout, 2, 6, 0, 0, 2});
            check<double>(a, handle, {layout, layout, 2, 11, 0, 2, 1});
            o.op = "T";
            o.epilogue = "value > 0 ? value : 0";
            const Handle clamped(a.view(), o);
            Block<double> x(layout, a.rows, 6, 2, 0), y(layout, a.cols, 6, 2, 0);
            x.fill(0);
            Block<double> wanted = y;
            for (std::int64_t j = 0; j < a.cols; ++j)
                for (std::int64_t r = 0; r < 6; ++r) wanted.at(j, r) = 0;
            for (std::int64_t i = 0; i < a.rows; ++i)
                for (auto e = a.row_ptr.as<std::int32_t>()[static_cast<std::size_t>(i)];
                     e < a.row_ptr.as<std::int32_t>()[static_cast<std::size_t>(i) + 1]; ++e)
                    for (std::int64_t r = 0; r < 6; ++r)
                        wanted.at(a.col_idx.as<std::int32_t>()[static_cast<std::size_t>(e)], r) +=
                            a.values.as<double>()[static_cast<std::size_t>(e)] * x.at(i, r);
            for (std::int64_t j = 0; j < a.cols; ++j)
                for (std::int64_t r = 0; r < 6; ++r)
                    wanted.at(j, r) = std::max(0.0, wanted.at(j, r));
            clamped.apply_many(6, 1.0, static_cast<const double*>(x.data()), x.ld, layout, 0.0,
                               y.data(), y.ld, layout);
            EXPECT_EQ(y.memory, wanted.memory) << device;
        }
}

/// Names of the kernels that a handle has made for k vectors in these layouts, but for those that
/// this process had already: of a type that no other test has.
std::string kernels_of(const char* gallery, const std::string& pack, std::int64_t k, VectorLayout x,
                       VectorLayout y) {
    using Value = std::complex<float>;
    const std::string directory = testing::TempDir() + "vector_forms_" + pack + std::to_string(k) +
                                  std::to_string(static_cast<int>(x) * 2 + static_cast<int>(y));
    std::filesystem::remove_all(directory);
    const CsrMatrix a = convert_values(make_gallery_matrix(gallery).view(), ValueType::c32);
    Options o;
    o.cache = CacheMode::on;
    o.cache_dir = directory;
    o.device = "simt:sm_90";
    o.kernel = "csr_classical";
    o.pack_vectors = pack;
    const Handle handle(a.view(), o);
    Block<Value> in(x, a.cols, k, 2, 0), out(y, a.rows, k, 2, 0);
    handle.apply_many(k, Value(1), static_cast<const Value*>(in.data()), in.ld, x, Value(0),
                      out.data(), out.ld, y);
    std::string names;
    for (auto& entry : Store(directory).list()) names += entry.name + "\n";
    std::filesystem::remove_all(directory);
    return names;
}

bool has(const std::string& text, const char* part) {
    return text.find(part) != text.npos;
}

TEST(VectorFormsOfHandles, ArePackedWhereThatIsAskedForOrPays) {
    // Entries of a row, and those of the next, are neighbours: columns cost nothing.
    const char* band = "banded:n=400,lower=3,upper=3,fill=1";
    // Nearly every entry is in a line of its own.
    const char* apart = "random:rows=400,cols=4000,per_row=40";
    const std::string rows = kernels_of(band, "auto", 2, by_row, by_row);
    EXPECT_TRUE(has(rows, "_k2_xrows_yrows_") && !has(rows, "pack_vectors")) << rows;
    const std::string columns = kernels_of(band, "auto", 2, by_column, by_column);
    EXPECT_TRUE(has(columns, "_k2_xcolumns_ycolumns_") && !has(columns, "pack_vectors")) << columns;
    const std::string x_packed = kernels_of(apart, "auto", 4, by_column, by_column);
    EXPECT_TRUE(has(x_packed, "_k4_ycolumns_") && !has(x_packed, "xcolumns")) << x_packed;
    EXPECT_TRUE(has(x_packed, "pack_vectors") && !has(x_packed, "unpack_vectors")) << x_packed;
    const std::string never = kernels_of(apart, "never", 8, by_column, by_row);
    EXPECT_TRUE(has(never, "_k8_xcolumns_yrows_") && !has(never, "pack_vectors")) << never;
    const std::string always = kernels_of(band, "always", 16, by_row, by_column);
    EXPECT_TRUE(has(always, "pack_vectors") && has(always, "unpack_vectors")) << always;
    EXPECT_FALSE(has(always, "_x") || has(always, "_y")) << always;
    const std::string many = kernels_of(band, "auto", 32, by_column, by_column);
    EXPECT_TRUE(has(many, "_k32_ycolumns_") && has(many, "pack_vectors")) << many;
    const std::string sixteen = kernels_of(band, "auto", 16, by_column, by_column);
    EXPECT_TRUE(has(sixteen, "_k16_xcolumns_") && !has(sixteen, "pack_vectors")) << sixteen;
    const char* hardly_any = "random:rows=40,cols=4000,per_row=8";
    const std::string few = kernels_of(hardly_any, "auto", 32, by_column, by_column);
    EXPECT_TRUE(has(few, "_k32_xcolumns_") && !has(few, "pack_vectors")) << few;
}

/// Y of a product by columns, and whether it was made one by one. Each case wants `lanes` of its
/// own, for a process makes a kernel once.
std::pair<std::vector<double>, bool> by_columns(const char* gallery, int lanes,
                                                const char* pack = "auto") {
    const std::string directory =
        testing::TempDir() + "vectors_one_by_one_" + std::to_string(lanes);
    std::filesystem::remove_all(directory);
    const CsrMatrix a = make_gallery_matrix(gallery);
    Options o;
    o.cache = CacheMode::on;
    o.cache_dir = directory;
    o.kernel = "coo_segmented";
    o.params = {{"lanes", lanes}};
    o.num_rhs = 2;
    o.threads = 1;
    o.pack_vectors = pack;
    const Handle handle(a.view(), o);
    constexpr int k = 3;
    std::vector<double> x(static_cast<std::size_t>(k * a.cols));
    std::vector<double> y(static_cast<std::size_t>(k * a.rows));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 17);
    handle.apply_many(k, 2.0, x.data(), a.cols, by_column, 0.0, y.data(), a.rows, by_column);
    std::string names;
    for (auto& entry : Store(directory).list()) names += entry.name + "\n";
    std::filesystem::remove_all(directory);
    const bool one_by_one = has(names, "_ax_b0_k1_");
    EXPECT_NE(one_by_one, has(names, "_ax_b0_k4_")) << names;
    return {std::move(y), one_by_one};
}

TEST(VectorFormsOfHandles, AreMultipliedOneByOneWhereAHasFewerBytesThanPackingThem) {
    const char* large = "random:rows=600000,cols=600000,per_row=1";
    const auto [single, one_by_one] = by_columns(large, 1);
    const auto [packed, packed_by_one] = by_columns(large, 2, "always");
    EXPECT_TRUE(one_by_one);
    EXPECT_FALSE(packed_by_one);
    EXPECT_EQ(single, packed);
    EXPECT_FALSE(by_columns("random:rows=4000,cols=4000,per_row=1", 4).second) << "a launch each";
    EXPECT_FALSE(by_columns("random:rows=600000,cols=600000,per_row=4", 8).second);
}

TEST(VectorFormsOfHandles, ColumnsPayByTheBytesThatTheyMove) {
    // 2 neighbours of a line of 4 doubles each: 16 bytes an entry against 8 and a packing of 16.
    const XGathers pairs{.lines = 0.5, .columns = 1, .line_bytes = 32};
    EXPECT_TRUE(columns_pay(pairs, 2, 8, 8));
    EXPECT_FALSE(columns_pay(pairs, 2.1, 8, 8));
    const XGathers whole{.lines = 0.25, .columns = 1, .line_bytes = 32};
    EXPECT_TRUE(columns_pay(whole, 1000, 8, 8));
    // Many vectors: 4 times 16 bytes an entry against 8 and the packing, where entries are few.
    EXPECT_TRUE(columns_pay(pairs, 0.28, 8, 9));
    EXPECT_FALSE(columns_pay(pairs, 0.29, 8, 9));
    const XGathers on_gpu{.lines = 0.5, .columns = 1, .line_bytes = 32, .few_vectors = 16};
    EXPECT_TRUE(columns_pay(on_gpu, 2, 8, 16));
    EXPECT_FALSE(columns_pay(on_gpu, 2, 8, 17));
}

TEST(VectorFormsOfHandles, LinesAreCountedInWindowsOfRows) {
    const CsrMatrix a = make_gallery_matrix("banded:n=64,lower=0,upper=0,fill=1");
    const StoredMatrix csr{.format = Format::csr,
                           .owned = {},
                           .arrays = {{"row_ptr", a.row_ptr.data()}, {"col_idx", a.col_idx.data()}},
                           .scalars = {}};
    const XWindow window{.rows = 32, .line_bytes = 32, .element_bytes = 8};
    const auto copy = [](void* to, const void* from, std::size_t bytes) {
        EXPECT_GT(bytes, 0) << "windows without entries have nothing to copy";
        std::memcpy(to, from, bytes);
    };
    const XGathers diagonal = count_x_gathers(csr, {}, 64, window, copy);
    EXPECT_EQ(diagonal.lines, 0.25);
    EXPECT_EQ(diagonal.columns, 1);
    EXPECT_EQ(count_x_gathers(csr, {}, 0, window, copy).lines, 1) << "no entries";
    const std::vector<std::int32_t> no_entries(33, 0);
    const StoredMatrix empty_rows{
        .format = Format::csr,
        .owned = {},
        .arrays = {{"row_ptr", no_entries.data()}, {"col_idx", a.col_idx.data()}},
        .scalars = {}};
    EXPECT_EQ(count_x_gathers(empty_rows, {}, 32, window, copy).lines, 1);
    // Slices of 2 rows of lengths 1 and 2: the second entry of the first is padding.
    const std::vector<std::int32_t> slice_ptr{0, 2}, col_idx{0, 4, -1, 5};
    const StoredMatrix sell{
        .format = Format::sell,
        .owned = {},
        .arrays = {{"slice_ptr", slice_ptr.data()}, {"col_idx", col_idx.data()}},
        .scalars = {}};
    Signature of_two;
    of_two.params = {{"lanes", 2}, {"unroll", 1}};
    const XGathers sliced = count_x_gathers(sell, of_two, 2, window, copy);
    EXPECT_EQ(sliced.lines, 2.0 / 3);
    EXPECT_EQ(sliced.columns, 1);
}

TEST(VectorFormsOfHandles, AreRefusedWhereTheyCannotBe) {
    const CsrMatrix a = make_gallery_matrix("banded:n=64,lower=0,upper=0,fill=1");
    const auto refusal = [](auto work) -> std::string {
        try {
            work();
        } catch (const Error& error) {
            return error.what();
        }
        return "accepted";
    };
    Options o;
    o.pack_vectors = "sometimes";
    EXPECT_EQ(refusal([&] { const Handle refused(a.view(), o); }),
              "options.pack_vectors is 'sometimes': use auto, always or never");
    Signature s;
    s.kernel = "ell";
    s.target = parse_target("x86-64-v3");
    s.num_rhs = 2;
    s.y_form = VectorForm::columns;
    EXPECT_EQ(refusal([&] { complete(s); }),
              "kernel ell takes no y of form columns: use dense, or kernel csr_rows, csr_vector, "
              "csr_ahead, csr_balanced, sell");
    s.kernel = "csr_rows";
    s.num_rhs = 1;
    EXPECT_EQ(refusal([&] { complete(s); }),
              "a single right-hand side has no y of form columns: use dense");
}

}  // namespace
}  // namespace spmvgen::vector_forms
