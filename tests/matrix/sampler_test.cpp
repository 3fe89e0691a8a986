// The sampler: every seed is a valid matrix of about the wanted size, and always the same one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "matrix/sampler/fixed.hpp"
#include "matrix/sampler/numbering.hpp"
#include "matrix/sampler/random_spec.hpp"
#include "matrix/suites/gallery.hpp"
#include "matrix/transpose.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr std::uint64_t first_shown = 1000000;  // constants are fitted on seeds below 1000

RandomSpec small_spec(std::uint64_t seed, const std::string& family = {},
                      const std::string& collection = "random") {
    return random_spec(seed, {.max_nnz = 20000, .family = family, .collection = collection});
}

constexpr const char* collections[] = {"random", "lp"};

unsigned long crc(const CsrMatrix& a) {
    unsigned long sum = 0;
    for (const Buffer* buffer : {&a.row_ptr, &a.col_idx, &a.values})
        sum = crc32_z(sum, static_cast<const Bytef*>(buffer->data()), buffer->bytes());
    return sum;
}

void expect_ascending(const CsrMatrix& a) {
    validate(a.view());
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t k = a.view().row_begin(i) + 1; k < a.view().row_begin(i + 1); ++k)
            ASSERT_LT(a.view().col(k - 1), a.view().col(k)) << "row " << i;
}

bool is_symmetric(const CsrMatrix& a) {
    return a.rows == a.cols && crc(a) == crc(transpose(a.view(), false));
}

void expect_as_wanted(const RandomSpec& spec) {
    SCOPED_TRACE(describe(spec));
    const CsrMatrix a = make_random_matrix(spec);
    expect_ascending(a);
    EXPECT_EQ(a.rows, spec.made_rows());
    EXPECT_EQ(a.cols, spec.made_cols());
    const double ratio = static_cast<double>(a.nnz) / static_cast<double>(spec.entries);
    EXPECT_GE(ratio, 0.5) << a.nnz;
    EXPECT_LE(ratio, 1.5) << a.nnz;
    if (spec.values == EntryValues::ones) {
        EXPECT_EQ(a.values.as<double>()[static_cast<std::size_t>(a.nnz - 1)], 1);
    }
}

TEST(Sampler, seedsAreValidMatricesOfAboutTheWantedSize) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) expect_as_wanted(small_spec(seed));
    for (std::uint64_t seed = first_shown; seed < first_shown + 200; ++seed)
        expect_as_wanted(small_spec(seed));
}

TEST(Sampler, everyFamilyIsValidAtEverySize) {
    for (const std::string collection : collections)
        for (const auto& [family, summary] : random_families(collection))
            for (std::uint64_t seed = 0; seed < 12; ++seed)
                expect_as_wanted(random_spec(seed, {.max_nnz = seed < 8 ? 1000.0 : 200000.0,
                                                    .family = std::string(family),
                                                    .collection = collection}));
}

TEST(Sampler, quick) {
    for (std::uint64_t seed = first_shown; seed < first_shown + 40; ++seed)
        expect_as_wanted(random_spec(seed, {.max_nnz = 3000}));
}

TEST(Sampler, largestDrawsStayWithinTheirLimits) {
    std::set<std::uint64_t> thousands;
    for (std::uint64_t seed = 0; seed < 250; ++seed) {
        const RandomSpec spec = random_spec(seed);
        EXPECT_LE(spec.entries, 50000000);
        EXPECT_GT(spec.rows, 0);
        EXPECT_GT(spec.cols, 0);
        EXPECT_LE(std::max(spec.rows, spec.cols), std::int64_t{1} << 27) << describe(spec);
        const RandomSpec largest = random_spec(seed, {.max_nnz = RandomLimits::most});
        EXPECT_LE(largest.entries, 100000000);
        EXPECT_EQ(largest.family, spec.family);
        thousands.insert(std::bit_width(static_cast<std::uint64_t>(spec.entries / 1000)));
        const RandomSpec program =
            random_spec(seed, {.max_nnz = RandomLimits::most, .collection = "lp"});
        EXPECT_GT(std::min(program.rows, program.cols), 0);
        EXPECT_LE(std::max(program.rows, program.cols), std::int64_t{1} << 27) << describe(program);
    }
    EXPECT_GE(thousands.size(), 15u);  // each octave from 1000 to 5·10⁷
}

TEST(Sampler, anyRunOfSeedsHasAllFamilies) {
    for (const std::string collection : collections)
        for (const std::uint64_t first : {0u, 17u, 999u, 1000000u, 123456789u}) {
            const std::size_t all = random_families(collection).size();
            std::map<std::string, std::size_t> times;
            for (std::uint64_t seed = first; seed < first + 100; ++seed)
                ++times[small_spec(seed, {}, collection).family];
            EXPECT_EQ(times.size(), all) << "from " << first;
            for (const auto& [family, count] : times) EXPECT_LE(count, 100 / all + 2) << family;
        }
}

TEST(Sampler, aForcedFamilyIsTheSeedsOwnWhereItIsTheSame) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const RandomSpec spec = small_spec(seed);
        EXPECT_EQ(small_spec(seed, spec.family), spec);
    }
    EXPECT_EQ(small_spec(1, "web").family, "web");
    EXPECT_NE(small_spec(1, "web"), small_spec(2, "web"));
}

TEST(Sampler, transposedIsTheTransposeOfTheOther) {
    int turned = 0;
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
        RandomSpec spec = small_spec(seed);
        if (!spec.transposed) continue;
        SCOPED_TRACE(describe(spec));
        const CsrMatrix made = make_random_matrix(spec);
        spec.transposed = false;
        EXPECT_EQ(crc(made), crc(transpose(make_random_matrix(spec).view(), false)));
        ++turned;
    }
    EXPECT_GT(turned, 15);
}

TEST(Sampler, symmetricFamiliesAreSymmetricInAnyOrder) {
    for (const char* family :
         {"stencil", "triangles", "tetrahedra", "hexahedra", "adaptive", "dual", "roads", "circuit",
          "hypercube", "spin_chain", "saddle_point"})
        for (const NodeOrder order : {NodeOrder::natural, NodeOrder::local, NodeOrder::spatial,
                                      NodeOrder::partitioned, NodeOrder::random}) {
            RandomSpec spec = random_spec(5, {.max_nnz = 4000, .family = family});
            spec.order = order;
            if (spec.values == EntryValues::laplacian) spec.values = EntryValues::random;
            const CsrMatrix a = make_random_matrix(spec);
            expect_ascending(a);
            EXPECT_TRUE(is_symmetric(a)) << describe(spec);
        }
}

TEST(Sampler, threadsDoNotMatter) {
    const int threads = omp_get_max_threads();
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const RandomSpec spec = random_spec(seed, {.max_nnz = 100000});
        omp_set_num_threads(1);
        const unsigned long one = crc(make_random_matrix(spec));
        omp_set_num_threads(5);
        EXPECT_EQ(crc(make_random_matrix(spec)), one) << describe(spec);
    }
    omp_set_num_threads(threads);
}

// The same bits everywhere and always; a change of a family must change its own knowingly.
const std::map<std::string_view, unsigned long> recorded{
    {"stencil", 0xae0ba218},
    {"triangles", 0xce1cd07b},
    {"quadrilaterals", 0x3ea3f7c8},
    {"tetrahedra", 0x8fc2dda0},
    {"hexahedra", 0x98acc1be},
    {"adaptive", 0x28df53ba},
    {"dual", 0x812461e4},
    {"roads", 0x783ae962},
    {"neighbours", 0x9a9922e},
    {"band", 0xb6cc9250},
    {"diagonals", 0xcdd31dae},
    {"blocks", 0xaa1f6d5a},
    {"cholesky", 0xe2873938},
    {"rmat", 0x3c1d73a8},
    {"web", 0x42775ab1},
    {"communities", 0xac624522},
    {"zipf_columns", 0x12851dbb},
    {"circuit", 0xa60979b1},
    {"hypercube", 0xbab0a7e9},
    {"spin_chain", 0x4978f706},
    {"equal_rows", 0xeb3028e6},
    {"normal_rows", 0x8a0041ea},
    {"log_normal_rows", 0x2005264c},
    {"zipf_rows", 0x2103ee7d},
    {"two_kinds", 0x382e0aee},
    {"few_dense_rows", 0xfc891477},
    {"wide", 0xf0f43337},
    {"tall", 0x43f5d99e},
    {"hypersparse", 0x204d77f3},
    {"staircase", 0x313d7ade},
    {"border", 0x1473c6d0},
    {"knapsacks", 0x5a70f137},
    {"short_rows", 0xf8e6f8d8},
    {"dense_columns", 0xd2422f52},
    {"incidence", 0x2711fb0},
    {"covering", 0xb1270cfd},
    {"saddle_point", 0x732c8152},
};

const std::map<std::string_view, unsigned long> recorded_programs{
    {"periods", 0x5fba9bfb},    {"linked_blocks", 0x5793aa1},
    {"pairs", 0xdd84fb86},      {"dense_variables", 0x925bea93},
    {"choices", 0x806a8378},    {"packing", 0xb021d994},
    {"flow", 0xadc19281},       {"commodities", 0x330579b1},
    {"assignment", 0xfc1c195f}, {"scenarios", 0x71d4f9e5},
    {"control", 0xa8a58bee},    {"regression", 0xcaf8ffb2},
    {"windows", 0xb5673a40},    {"precedence", 0x57415477},
};

void expect_recorded(const std::string& collection,
                     const std::map<std::string_view, unsigned long>& sums) {
    for (const auto& [family, summary] : random_families(collection)) {
        const RandomSpec spec = small_spec(first_shown, std::string(family), collection);
        const unsigned long sum = crc(make_random_matrix(spec));
        const auto found = sums.find(family);
        EXPECT_TRUE(found != sums.end() && found->second == sum)
            << "{\"" << family << "\", 0x" << std::hex << sum << "}, of " << describe(spec);
    }
}

TEST(Sampler, bitsAreTheRecordedOnes) {
    expect_recorded("random", recorded);
    expect_recorded("lp", recorded_programs);
    // The seed's own family, too.
    EXPECT_EQ(small_spec(first_shown).family, "two_kinds");
    EXPECT_EQ(small_spec(first_shown + 1).family, "hypersparse");
}

TEST(Sampler, namesOfFamiliesAreOfOneCollection) {
    std::set<std::string_view> names;
    for (const char* collection : collections)
        for (const auto& [family, summary] : random_families(collection))
            EXPECT_TRUE(names.insert(family).second) << family;
}

TEST(Sampler, linearProgramsAreASpecificationToo) {
    const CsrMatrix a = make_gallery_matrix("lp:seed=7,max_nnz=20000");
    EXPECT_EQ(crc(a), crc(make_random_matrix(small_spec(7, {}, "lp"))));
    EXPECT_EQ(crc(make_gallery_matrix("lp:transposed=1,seed=7,max_nnz=20000")),
              crc(transpose(a.view(), false)));
    EXPECT_EQ(crc(make_gallery_matrix("lp:seed=7,family=windows,max_nnz=20000")),
              crc(make_random_matrix(small_spec(7, "windows", "lp"))));
}

/// Values that occur, and the lengths of rows.
struct Numbers {
    explicit Numbers(const std::string& specification) {
        const CsrMatrix a = make_gallery_matrix(specification);
        const auto numbers = a.values.as<double>();
        values = {numbers.begin(), numbers.end()};
        for (std::int64_t i = 0; i < a.rows; ++i)
            ++lengths[a.view().row_begin(i + 1) - a.view().row_begin(i)];
    }
    std::set<double> values;
    std::map<std::int64_t, std::int64_t> lengths;
};

TEST(Sampler, linearProgramsHaveFewNumbersAndTheRowsOfTheirClass) {
    using ::testing::UnorderedElementsAre;
    const std::string of = "lp:seed=3,max_nnz=50000,family=";
    // 2n sums of x, 2n³ of y, and n⁴/2 pairs where there are any.
    const Numbers assignment(of + "assignment");
    EXPECT_THAT(assignment.values, UnorderedElementsAre(-1, 1));
    const RandomSpec spec =
        random_spec(3, {.max_nnz = 50000, .family = "assignment", .collection = "lp"});
    const std::int64_t n = spec.parameter("n");
    EXPECT_EQ(assignment.lengths.at(n), 2 * n);
    EXPECT_EQ(assignment.lengths.at(n + 1), 2 * n * n * n);
    for (const char* family : {"flow", "commodities"})
        EXPECT_THAT(Numbers(of + family).values, UnorderedElementsAre(-1, 1)) << family;
    // An arc that ends where it begins has one.
    EXPECT_EQ(Numbers(of + "flow,transposed=1").lengths.rbegin()->first, 2);
    for (const char* family : {"periods", "linked_blocks", "pairs", "dense_variables", "choices",
                               "packing", "scenarios", "control", "windows", "precedence"})
        EXPECT_LE(Numbers(of + family).values.size(), 102u) << family;
    const Numbers precedence(of + "precedence");
    EXPECT_GT(precedence.lengths.at(2), 1000);
    EXPECT_GT(precedence.lengths.rbegin()->first, 50);
}

TEST(Sampler, isASpecificationOfTheGallery) {
    const CsrMatrix a = make_gallery_matrix("random:seed=7,max_nnz=20000");
    EXPECT_EQ(crc(a), crc(make_random_matrix(small_spec(7))));
    EXPECT_EQ(crc(make_gallery_matrix("random:max_nnz=20000,family=web,seed=7")),
              crc(make_random_matrix(small_spec(7, "web"))));
    // With sizes it is the generator of rows of one length.
    EXPECT_EQ(make_gallery_matrix("random:rows=10,cols=9,per_row=2,seed=7").nnz, 20);
    EXPECT_EQ(make_gallery_matrix("random").nnz, 1000000);
    EXPECT_EQ(make_gallery_matrix("random:random_values=0,seed=7").nnz, 1000000);
}

std::string error_of(const std::string& specification) {
    try {
        make_gallery_matrix(specification);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        return error.what();
    }
    return "none";
}

TEST(SamplerErrors, ofSpecifications) {
    EXPECT_EQ(error_of("random:seed=1,max=5"),
              "gallery: random: no parameter 'max'; it takes seed, max_nnz, family");
    EXPECT_EQ(error_of("random:seed=1,"),
              "gallery: random: a parameter is missing after the last comma");
    EXPECT_EQ(error_of("random:seed"), "gallery: random: 'seed' is not of the form name=value");
    EXPECT_EQ(error_of("random:seed=x"), "gallery: random: seed=x is not a number");
    EXPECT_EQ(error_of("random:seed=1.5"), "gallery: random: seed=1.5 is not a whole number");
    EXPECT_EQ(error_of("random:seed=1,seed=2"), "gallery: random: seed is given twice");
    EXPECT_EQ(error_of("random:seed=-1"),
              "gallery: random: seed=-1 is outside 0 … 9007199254740992");
    EXPECT_EQ(error_of("random:max_nnz=999"),
              "gallery: random: max_nnz=999 is outside 1000 … 100000000");
    EXPECT_EQ(error_of("random:seed=1,family=web,family=web"),
              "gallery: random: family is given twice");
    EXPECT_THAT(error_of("random:seed=1,family=3"),
                ::testing::StartsWith("gallery: random: no family '3'; there are stencil, "
                                      "triangles, quadrilaterals, "));
    EXPECT_EQ(error_of("random:seed=1,transposed=1"),
              "gallery: random: no parameter 'transposed'; it takes seed, max_nnz, family");
    EXPECT_EQ(error_of("lp:seed=1,transposed=2"), "gallery: lp: transposed=2 is outside 0 … 1");
    EXPECT_EQ(error_of("lp:rows=5"),
              "gallery: lp: no parameter 'rows'; it takes seed, max_nnz, family, transposed");
    EXPECT_EQ(error_of("lp:family=web"),
              "gallery: lp: no family 'web'; there are periods, linked_blocks, pairs, "
              "dense_variables, choices, packing, flow, commodities, assignment, scenarios, "
              "control, regression, windows, precedence");
    EXPECT_EQ(error_of("random:rows=5,family=web"),
              "gallery: random: no parameter 'family'; it takes rows, cols, per_row, seed, "
              "random_values, long_rows, longest");
}

TEST(SamplerErrors, ofLimits) {
    EXPECT_THROW(random_spec(1, {.max_nnz = 10}), Error);
    EXPECT_THROW(random_spec(1, {.max_nnz = std::nan("")}), Error);
    EXPECT_THROW(random_spec(1, {.family = "nonesuch"}), Error);
    EXPECT_THROW(random_spec(1, {.collection = "nonesuch"}), Error);
    EXPECT_THROW((void)random_spec(1).parameter("nonesuch"), Error);
}

TEST(SamplerNumbers, logarithmsAndPowersAreNearTheExactOnes) {
    for (std::uint64_t x = 1; x < std::uint64_t{1} << 62; x += x / 7 + 1) {
        const double exact = std::log2(static_cast<double>(x));
        EXPECT_NEAR(static_cast<double>(sampler::log2_of(x)) / sampler::one, exact, 4e-5) << x;
        const double power = static_cast<double>(sampler::exp2_of(sampler::log2_of(x)));
        EXPECT_NEAR(power, static_cast<double>(x), 1 + 4e-5 * static_cast<double>(x)) << x;
    }
    EXPECT_EQ(sampler::exp2_of(-5), 1);
    EXPECT_EQ(sampler::root_of(99, 2), 9);
    EXPECT_EQ(sampler::root_of(100, 2), 10);
    EXPECT_EQ(sampler::root_of(26, 3), 2);
    EXPECT_EQ(sampler::root_of(27, 3), 3);
}

TEST(SamplerNumbers, shufflesArePermutations) {
    for (const std::int64_t n : {1, 2, 3, 61, 64, 65, 1000}) {
        std::set<std::int64_t> met;
        const sampler::Shuffle shuffle(n, 7);
        for (std::int64_t i = 0; i < n; ++i) {
            met.insert(shuffle.forward(i, 3));
            EXPECT_EQ(shuffle.backward(shuffle.forward(i, 3), 3), i);
        }
        EXPECT_EQ(met.size(), static_cast<std::size_t>(n));
        EXPECT_EQ(*met.rbegin(), n - 1);
    }
}

}  // namespace
}  // namespace spmvgen
