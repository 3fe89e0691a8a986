// What a matrix itself says for its kernel: columns that compress, values in fewer bytes, hubs.
#include "tuner/chooser/chooser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chosen.hpp"
#include "matrix/suites/gallery.hpp"
#include "registry.hpp"
#include "tuner/chooser/gathers.hpp"
#include "tuner/chooser/row_period.hpp"
#include "tuner/records/tuning_db.hpp"
#include "tuner/rules/matrix_rules.hpp"
#include "tuner/search/variants.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;
using testing::Not;

const CsrMatrix& stencil() {
    static const CsrMatrix matrix = make_gallery_matrix("stencil5:nx=400,ny=300");
    return matrix;
}

TEST(Chooser, AStencilIsStoredAsStripsWithFewValues) {
    const Chosen gpu = chosen(stencil(), request_for("sm_90"));
    EXPECT_EQ(gpu.kernel(), "strips");
    EXPECT_EQ(gpu.param("value_code"), 1) << "4 and -1";
    EXPECT_EQ(gpu.param("long_rows"), 0);
    EXPECT_EQ(gpu.param("block_rows"), 1);
    EXPECT_LT(gpu.param("codes"), 8) << "no deltas of 32 bits";
    EXPECT_EQ(storage_type(gpu.choice.signature), ValueType::f64);
    EXPECT_THAT(gpu.choice.reason, HasSubstr("bytes an entry as strips, "));
    EXPECT_THAT(gpu.choice.reason, HasSubstr("; values stored as integers of 8 bits"));
    EXPECT_THAT(gpu.choice.reason, HasSubstr("; strips of 1x1, deltas of "));
    EXPECT_EQ(chosen(stencil(), request_for("x86-64-v4")).kernel(), "strips_cpu");
}

TEST(Chooser, ValuesOfSmallMatricesAreLeftAlone) {
    const auto storage = [](const char* spec, const char* arch) {
        Request request = request_for(arch);
        request.kernel = is_host(request) ? "sell" : "sell_slices";
        return storage_type(chosen(make_gallery_matrix(spec), request).choice.signature);
    };
    const char* const smaller = "stencil5:nx=100,ny=501";  // 249 298 entries
    const char* const larger = "stencil5:nx=100,ny=503";   // 250 294
    EXPECT_EQ(storage(smaller, "sm_90"), ValueType::f64);
    EXPECT_EQ(storage(larger, "sm_90"), ValueType::bf16);
    EXPECT_EQ(storage(smaller, "x86-64-v4"), ValueType::bf16);
    EXPECT_EQ(storage("stencil5:nx=100,ny=201", "x86-64-v4"), ValueType::f64) << "99 898";
}

TEST(Chooser, ValuesAreLeftAloneUnlessEncodingIsWanted) {
    const Chosen plain = chosen(stencil(), request_for("sm_90", false));
    EXPECT_EQ(plain.kernel(), "strips");
    EXPECT_EQ(plain.param("value_code"), 0);
    const Chosen random = chosen(with_random_values(stencil()), request_for("sm_90"));
    EXPECT_EQ(random.param("value_code"), 0);
    EXPECT_EQ(storage_type(random.choice.signature), ValueType::f64);
}

/// A grid's diagonals get holes beside values that stand for 0 as well as others.
TEST(Chooser, DiagonalsHaveHolesBesideADictionaryOnACpu) {
    CsrMatrix grid = with_random_values(make_gallery_matrix("stencil5:nx=40,ny=1300"));
    auto values = grid.values.as<double>();
    const auto fill = [&](std::vector<double> few) {
        for (std::size_t k = 0; k < values.size(); ++k) {
            values[k] = few[k % few.size()];
        }
        std::vector<std::int64_t> fills;
        for (const auto& [arch, kernel] :
             {std::pair{"x86-64-v4", "strips_cpu"}, {"sm_90", "strips"}}) {
            Request request = request_for(arch);
            request.kernel = kernel;
            fills.push_back(chosen(grid, request).param("fill"));
        }
        return fills;
    };
    EXPECT_EQ(fill({2, -1, 3}), (std::vector<std::int64_t>{1, 1}));
    EXPECT_EQ(fill({0.1, 0.3, -0.7}), (std::vector<std::int64_t>{1, 0})) << "a dictionary";
    EXPECT_EQ(fill({1}), (std::vector<std::int64_t>{0, 0})) << "no value is 0";
}

TEST(Chooser, ValuesAsTheyAreAreWeighedWhereCachesHoldThem) {
    const CsrMatrix grid = make_gallery_matrix("stencil5:nx=200,ny=200");  // 199 200 entries
    const CsrView view = grid.view();
    const RowFeatures features = analyse_row_lengths(view);
    Chooser chooser(view, features);
    const auto weighed = [&](std::int64_t value_code, double index_bytes) {
        Request request = request_for("x86-64-v4");
        request.threads = 1;
        request.exact = ExactValues{ValueType::f64, value_code};
        request.strips = StripsOutlook{.index_bytes = index_bytes};
        const auto sets = chooser.grid_params(kernel_entry("strips_cpu"), request);
        return std::ranges::count_if(sets,
                                     [](const Params& set) { return set.contains("value_code"); });
    };
    EXPECT_EQ(weighed(3, 2), 2) << "16 and 32 lanes, 10 bytes an entry";
    EXPECT_EQ(weighed(3, 3), 0) << "more than 2.1 MB";
    EXPECT_EQ(weighed(0, 1), 0) << "they are";
}

TEST(Chooser, ColumnsAreLeftAloneWhereAllValuesAreOne) {
    const CsrMatrix graph = make_gallery_matrix("debruijn:k=18,random_values=0");
    const Chosen ones = chosen(graph, request_for("sm_90"));
    EXPECT_EQ(ones.kernel(), "strips") << ones.choice.reason;
    EXPECT_THAT(ones.choice.reason, HasSubstr("values stored as the one that all are"));
    EXPECT_THAT(ones.choice.reason, HasSubstr("deltas of 32 bits"));
    EXPECT_EQ(ones.param("value_code"), 2);
    EXPECT_EQ(ones.param("codes"), 8);
    EXPECT_EQ(ones.param("sigma"), 1);
    EXPECT_EQ(ones.param("unroll"), 4);
    EXPECT_EQ(ones.param("block"), 128);
    Request given = request_for("sm_90");
    given.kernel = "strips";
    given.params = {{"unroll", 2}};
    EXPECT_EQ(chosen(graph, given).param("unroll"), 2);
    EXPECT_EQ(chosen(graph, given).param("codes"), 8);
    given.params = {{"sigma", 256}};
    EXPECT_EQ(chosen(graph, given).param("sigma"), 256);
    given.params = {{"value_code", 0}};
    EXPECT_NE(chosen(graph, given).param("codes"), 8) << "values are read: bytes count";
    EXPECT_NE(chosen(with_random_values(graph), request_for("sm_90")).param("codes"), 8);
}

/// The same pattern, all values one.
template <typename Value>
CsrMatrix with_ones(const CsrMatrix& matrix) {
    CsrMatrix copy = with_random_values(matrix);
    copy.value_type = type_tag<Value>::value;
    copy.values = Buffer(static_cast<std::size_t>(matrix.nnz) * sizeof(Value));
    std::ranges::fill(copy.values.as<Value>(), Value(1));
    return copy;
}

/// A matrix of ones, of so many entries in row i, each in the column that `column` makes of its
/// place and of a random number.
template <typename Length, typename Column>
CsrMatrix drawn(std::int64_t rows, Length length, Column column) {
    std::vector<std::int32_t> row_ptr{0};
    for (std::int64_t i = 0; i < rows; ++i)
        row_ptr.push_back(static_cast<std::int32_t>(row_ptr.back() + length(i)));
    const auto nnz = static_cast<std::size_t>(row_ptr.back());
    CsrMatrix matrix{.rows = rows,
                     .cols = rows,
                     .nnz = row_ptr.back(),
                     .offset_type = IndexType::i32,
                     .index_type = IndexType::i32,
                     .value_type = ValueType::f64,
                     .row_ptr = Buffer(row_ptr.size() * sizeof(std::int32_t)),
                     .col_idx = Buffer(nnz * sizeof(std::int32_t)),
                     .values = Buffer(nnz * sizeof(double))};
    std::ranges::copy(row_ptr, matrix.row_ptr.as<std::int32_t>().begin());
    auto* columns = matrix.col_idx.as<std::int32_t>().data();
    std::uint64_t state = 1;
    for (std::size_t k = 0; k < nnz; ++k) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        columns[k] = static_cast<std::int32_t>(column(k, state >> 33));
    }
    std::ranges::fill(matrix.values.as<double>(), 1.0);
    return matrix;
}

/// Rows of so many entries by turns, anywhere among 200,000 columns.
CsrMatrix far_entries(std::int64_t even, std::int64_t odd) {
    return drawn(
        200'000, [&](std::int64_t row) { return row % 2 == 0 ? even : odd; },
        [](std::size_t, std::uint64_t any) { return any % 200'000; });
}

TEST(Chooser, ColumnsAloneAreOnlyWhatWasFoundToBeFaster) {
    const auto alone = [&](const CsrMatrix& matrix) {
        return chosen(matrix, request_for("sm_90")).choice.reason.find("pattern without values") !=
               std::string::npos;
    };
    const CsrMatrix even = far_entries(8, 8), uneven = far_entries(5, 11);
    EXPECT_TRUE(alone(with_ones<double>(even)));
    EXPECT_TRUE(alone(with_ones<float>(even)));
    EXPECT_FALSE(alone(with_random_values(even)));
    EXPECT_TRUE(alone(with_ones<double>(uneven))) << "padding 1.38";
    EXPECT_FALSE(alone(with_ones<float>(uneven))) << "tiles of f32 are faster";
    EXPECT_TRUE(alone(with_ones<float>(far_entries(9, 17)))) << "longer rows, padding 1.31";
    EXPECT_FALSE(alone(with_ones<double>(far_entries(20, 20))))
        << "longer rows, with such columns, too";
}

TEST(RowPeriod, IsThatOfUnknownsThatTakeTurns) {
    const auto period = [](const char* spec) {
        return row_period(make_gallery_matrix(spec).view());
    };
    EXPECT_EQ(period("curl_curl:nx=12,ny=11,nz=10,keep=0.85"), 3);
    EXPECT_EQ(period("curl_curl:nx=12,ny=11,nz=10"), 3);
    EXPECT_EQ(period("stencil7:nx=12,ny=11,nz=10"), 1);
    EXPECT_EQ(period("fem:nx=12,ny=12,dofs=3"), 1) << "blocks";
    EXPECT_EQ(period("random:rows=2000,cols=2000,per_row=5"), 1);
    EXPECT_EQ(period("stencil5:nx=5,ny=5"), 1) << "too small a sample";
}

TEST(Chooser, NothingIsLookedAtForFewApplies) {
    Request request = request_for("sm_90");
    request.look = false;
    const Chosen few = chosen(stencil(), request);
    EXPECT_NE(few.kernel(), "strips");
    EXPECT_EQ(storage_type(few.choice.signature), ValueType::f64);
}

TEST(Chooser, ANamedKernelGetsWhatTheMatrixDecides) {
    Request request = request_for("sm_90");
    request.kernel = "strips";
    request.params = {{"sigma", 256}, {"ragged", 1}};
    const Chosen named = chosen(stencil(), request);
    EXPECT_EQ(named.param("sigma"), 256);
    EXPECT_EQ(named.param("ragged"), 1) << "the caller's";
    EXPECT_LT(named.param("codes"), 15);
    EXPECT_EQ(named.param("value_code"), 1);
    request.params = {{"value_code", 3}, {"codes", 15}};
    EXPECT_EQ(chosen(stencil(), request).param("value_code"), 3);
    EXPECT_EQ(chosen(stencil(), request).param("codes"), 15);
    request.params = {{"value_code", 0}};
    EXPECT_EQ(storage_type(chosen(stencil(), request).choice.signature), ValueType::bf16)
        << "plain, but narrow";
    request.kernel = "csr_classical";
    request.params = {};
    EXPECT_EQ(storage_type(chosen(stencil(), request).choice.signature), ValueType::bf16);
    request.csr_index = request.csr_offset = IndexType::i32;
    EXPECT_EQ(storage_type(chosen(stencil(), request).choice.signature), ValueType::f64)
        << "arrays are borrowed";
}

TEST(Chooser, TilesAreToldWhetherRowsAreEmpty) {
    Request request = request_for("sm_90");
    request.kernel = "tiles";
    EXPECT_EQ(chosen(stencil(), request).param("gaps"), 0);
    EXPECT_EQ(chosen(make_gallery_matrix("rmat:scale=12"), request).param("gaps"), 1);
}

/// A million rows of 16 entries, every other one in a column that many have; these are so far
/// apart.
CsrMatrix make_network(std::uint64_t apart) {
    return drawn(
        1'000'000, [](std::int64_t) { return 16; },
        [apart](std::size_t k, std::uint64_t any) {
            return k % 2 == 0 ? any % 1'000'000 : any % 5000 * apart;
        });
}

TEST(Chooser, ANetworkHasHubs) {
    EXPECT_EQ(chosen(make_gallery_matrix("rmat:scale=17"), request_for("sm_90")).kernel(), "tiles")
        << "so few entries that the L2 cache serves x";
    const CsrMatrix network = make_network(200);
    const Chosen hubs = chosen(network, request_for("sm_90"));
    EXPECT_EQ(hubs.kernel(), "tiles_hubs") << hubs.choice.reason;
    EXPECT_GT(hubs.param("hubs"), 0);
    EXPECT_THAT(hubs.choice.reason, HasSubstr(" % of the entries in 16384 columns: tiles_hubs"));
    EXPECT_THAT(hubs.choice.reason, HasSubstr(" hub columns have "));
}

TEST(Chooser, HubsBesideEachOtherAreLeftToTheCache) {
    const auto of = [](const CsrMatrix& matrix) {
        return concentration(matrix.view(), 5000, 2, std::int64_t{1} << 17, nullptr);
    };
    const CsrMatrix beside = make_network(1);
    EXPECT_NEAR(of(beside).in_groups, 0.5, 0.02);
    EXPECT_NEAR(of(make_network(200)).in_groups, 0.13, 0.02);
    EXPECT_NEAR(of(beside).in_columns, 0.5, 0.02);
    EXPECT_EQ(of(make_gallery_matrix("diagonal:n=20")), Concentration{});
    EXPECT_THAT(chosen(beside, request_for("sm_90")).choice.reason,
                HasSubstr(" % of the entries in 16384 columns, most beside each other: tiles"));
}

/// Rows of `row` entries, up to `reach` columns to either side.
double saved_with_reach(std::int64_t reach, int threads, std::int64_t rows = 40'000,
                        std::int64_t row = 8) {
    std::vector<std::int32_t> row_ptr{0}, columns;
    std::uint64_t state = 1;
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t k = 0; k < row; ++k) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            const auto any = static_cast<std::int64_t>(state >> 33);
            columns.push_back(static_cast<std::int32_t>(
                std::clamp<std::int64_t>(i + any % (2 * reach + 1) - reach, 0, rows - 1)));
        }
        row_ptr.push_back(static_cast<std::int32_t>(columns.size()));
    }
    const std::vector<double> values(columns.size(), 1);
    const CsrView a = csr_view(rows, rows, row_ptr.data(), columns.data(), values.data());
    return saved_by_large_blocks(a, ValueType::f64, threads);
}

TEST(Chooser, LargeBlocksShareWhatIsFarButNotTooFar) {
    EXPECT_LT(saved_with_reach(4, 1), 0.02) << "small blocks have it already";
    EXPECT_GT(saved_with_reach(1500, 1), 0.25);
    EXPECT_LT(saved_with_reach(200'000, 1, 400'000), 0.05) << "nobody shares it";
    EXPECT_EQ(saved_with_reach(1500, 1), saved_with_reach(1500, 3));
    EXPECT_GT(saved_with_reach(1500, 1, 40'000, 80), 0);
    EXPECT_EQ(saved_with_reach(1500, 1, 40'000, 120), 0) << "no cache keeps such rows' x";
}

TEST(Chooser, LooksForSharedGathersWhereARuleAsks) {
    const auto may_ask = [](double mean, std::int64_t longest, double padding, double sorted) {
        RowFeatures rows;
        rows.mean_row = mean;
        rows.max_row = longest;
        rows.sell_padding.fill(padding);
        rows.sell_sorted_padding.fill(sorted);
        return may_ask_for_gathers(rows);
    };
    EXPECT_TRUE(may_ask(8, 16, 1.1, 1)) << "blocks of even rows";
    EXPECT_FALSE(may_ask(8, 2000, 1.1, 1)) << "all wait for a long row";
    EXPECT_TRUE(may_ask(5, 100, 2, 1.3)) << "rows for tiles";
    EXPECT_FALSE(may_ask(2, 100, 2, 1.3)) << "too short for them";
}

TEST(Chooser, SmallGridsAndLongRowsAreStripsOnACpu) {
    const auto small = [](const char* spec) {
        return chosen(with_random_values(make_gallery_matrix(spec)), request_for("x86-64-v4"));
    };
    EXPECT_EQ(small("stencil5:nx=60,ny=60").kernel(), "strips_cpu");
    EXPECT_NE(small("stencil5:nx=20,ny=20").kernel(), "strips_cpu") << "a call is all";
    EXPECT_NE(small("fem_tri:nx=50,ny=50").kernel(), "strips_cpu") << "x is gathered all the same";
    EXPECT_EQ(small("arrow:n=20000").kernel(), "strips_cpu");
}

TEST(Chooser, SearchesLeaveTheMatrixsParametersToIt) {
    const CsrView view = stencil().view();
    const RowFeatures features = analyse_row_lengths(view);
    Chooser chooser(view, features);
    const Request request = request_for("sm_90");
    const MeasureProblem problem{.features = features,
                                 .request = request,
                                 .choose = [&](const Request& r) { return chooser(r); },
                                 .now_ms = [] { return 0.0; }};
    const Choice first = chooser(request);
    const auto variants = variants_of(problem, first, Reach::all);
    EXPECT_GT(variants.size(), 10U);
    for (auto& variant : variants) {
        EXPECT_NE(variant.signature, first.signature);
        const std::string name = kernel_name(variant.signature);
        EXPECT_EQ(variant.signature.params.at("value_code"), 1) << name;
        EXPECT_LT(variant.signature.params.at("codes"), 15) << name;
        EXPECT_EQ(variant.signature.params.at("long_rows"), 0) << name;
    }
}

TEST(Chooser, ARecordsKernelIsFittedToThisMatrix) {
    const RowFeatures features = analyse_row_lengths(stencil().view());
    Request of_other = request_for("sm_90");
    of_other.kernel = "strips";
    Signature other = choose(features, of_other).signature;
    other.params["value_code"] = 2;
    other.params["codes"] = 1;
    other.params["long_rows"] = 1;
    other.params["threads_per_row"] = 4;
    SourcedRecord source;
    source.record.kernels = {{kernel_name(other), 1, 1, 1}};
    const std::vector<FoundRecord> found{{&source, DeviceMatch::same, MatrixMatch::alike, 0.1}};
    Chooser chooser(stencil().view(), features);
    const auto again =
        choose_recorded(found, request_for("sm_90"), [&](const Request& r) { return chooser(r); });
    ASSERT_TRUE(again);
    EXPECT_EQ(again->signature.params.at("threads_per_row"), 4);
    EXPECT_EQ(again->signature.params.at("value_code"), 1);
    EXPECT_EQ(again->signature.params.at("long_rows"), 0);
    EXPECT_GT(again->signature.params.at("codes"), 1);
    Request fixed = request_for("sm_90");
    fixed.params = {{"value_code", 3}};
    const auto as_fixed =
        choose_recorded(found, fixed, [&](const Request& r) { return chooser(r); });
    ASSERT_TRUE(as_fixed);
    EXPECT_EQ(as_fixed->signature.params.at("value_code"), 3);
}

TEST(Chooser, CodesThatHardlySaveAreLeftOut) {
    StripsPlan plan;
    StripsShape shape;
    shape.lanes = 32;
    plan.strips_of_code = {0, 100, 0, 0};
    EXPECT_EQ(worthwhile_codes(plan, shape, 1e6), 2);
    plan.strips_of_code = {50, 50, 0, 0};
    // 50 strips of 32 lanes more, of 8 bits: 1600 bytes.
    EXPECT_EQ(worthwhile_codes(plan, shape, 100'000), 3);
    EXPECT_EQ(worthwhile_codes(plan, shape, 200'000), 2);
    plan.strips_of_code = {10, 10, 1000, 0};
    // 320 bytes for 10 strips of 8 bits; then 1280 for both as 16 bits.
    EXPECT_EQ(worthwhile_codes(plan, shape, 200'000), 4);
    EXPECT_EQ(worthwhile_codes(plan, shape, 31'000), 7);
    plan.strips_of_code = {};
    EXPECT_EQ(worthwhile_codes(plan, shape, 1), 1);
}

TEST(Chooser, TheKernelForAnyMatrixHasPresets) {
    Request request = request_for("sm_90");
    request.kernel = "strips";
    const Signature own = chosen(stencil(), request).choice.signature;
    const Signature any = for_any_matrix(own, {}, ValueType::f64);
    EXPECT_EQ(any.params.at("codes"), 15);
    EXPECT_EQ(any.params.at("value_code"), 0);
    EXPECT_EQ(any.params.at("sigma"), own.params.at("sigma"));
    EXPECT_EQ(any, for_any_matrix(any, {}, ValueType::f64));
    EXPECT_EQ(for_any_matrix(own, {{"codes", 1}}, ValueType::f64).params.at("codes"),
              own.params.at("codes"));
}

}  // namespace
}  // namespace spmvgen
