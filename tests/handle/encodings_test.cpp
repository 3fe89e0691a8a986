// options.encodings: values in fewer bytes where that loses nothing, and numbers of update_values
// that need more. With the generator's kernels, on this CPU and on the SIMT executor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "any_matrix.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "matrix/features/features.hpp"
#include "matrix/suites/gallery.hpp"
#include "spmvgen/spmvgen.hpp"
#include "tuner/rules/choose.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

using Numbers = std::function<double(std::int64_t)>;

const Numbers ones = [](std::int64_t) { return 3.0; };
const Numbers integers = [](std::int64_t k) { return static_cast<double>(k % 7 - 3); };
const Numbers tenths = [](std::int64_t k) { return 0.1 * static_cast<double>(k % 100); };
const Numbers halves = [](std::int64_t k) { return 0.5 * static_cast<double>(k % 400); };
const Numbers singles = [](std::int64_t k) {
    return static_cast<double>(1 + static_cast<float>(k) * 0x1p-20F);
};
const Numbers doubles = [](std::int64_t k) { return 1 / (1.0 + static_cast<double>(k)); };

/// Enough entries for the values to be looked at: rows of five entries, a few columns apart, and
/// one without any.
struct Band {
    std::int64_t n = 50'010;
    std::vector<int> row_ptr{0}, row_idx, col_idx;
    std::vector<double> values;

    explicit Band(const Numbers& numbers) {
        for (std::int64_t row = 0; row < n; ++row) {
            for (std::int64_t k = -2; k <= 2 && row != 77; ++k) {
                row_idx.push_back(static_cast<int>(row));
                col_idx.push_back(
                    static_cast<int>(std::clamp<std::int64_t>(row, 6, n - 7) + 3 * k));
            }
            row_ptr.push_back(static_cast<int>(col_idx.size()));
        }
        values = made(numbers);
    }
    std::vector<double> made(const Numbers& numbers) const {
        std::vector<double> all;
        for (std::size_t k = 0; k < col_idx.size(); ++k)
            all.push_back(numbers(static_cast<std::int64_t>(k)));
        return all;
    }
    CsrView view() const { return csr_view(n, n, row_ptr.data(), col_idx.data(), values.data()); }
    CooView entries() const {
        return coo_view(n, n, static_cast<std::int64_t>(values.size()), row_idx.data(),
                        col_idx.data(), values.data());
    }
};

std::vector<double> product(const Handle& handle, std::int64_t n, double alpha = 1) {
    std::vector<double> x, y(static_cast<std::size_t>(n), 1);
    for (std::int64_t j = 0; j < n; ++j) x.push_back(1 + 0.001 * static_cast<double>(j % 501));
    handle.apply(alpha, x.data(), alpha - 1, y.data());
    return y;
}

/// The product with values as they are, of the same kernel, which adds in the same order.
std::vector<double> plain_product(Band a, const Numbers& numbers, Options options,
                                  double alpha = 1) {
    a.values = a.made(numbers);
    options.encodings = "none";
    const Handle handle(a.view(), options);
    EXPECT_EQ(handle.info().storage, "f64");
    return product(handle, a.n, alpha);
}

Options with_kernel(const std::string& device, const std::string& kernel) {
    Options o = options_for(device);
    o.kernel = kernel;
    return o;
}

struct NewNumbers {
    Numbers numbers;
    std::string storage;  ///< that they are stored in
    std::string name;     ///< part of the kernel's name
    int widened;
};

/// New numbers, step by step: each product has the bits of the one with values as they are.
void check_steps(const Options& options, const std::vector<NewNumbers>& steps) {
    const Band a(steps.front().numbers);
    Handle handle(a.view(), options);
    bool first = true;
    for (auto& step : steps) {
        SCOPED_TRACE(testing::Message() << options.kernel << " on " << options.device << ", "
                                        << step.storage << " " << step.name);
        if (!first) handle.update_values(a.made(step.numbers).data());
        first = false;
        EXPECT_EQ(handle.info().storage, step.storage);
        EXPECT_THAT(handle.info().kernel, HasSubstr(step.name));
        EXPECT_EQ(handle.info().widened, step.widened);
        EXPECT_THAT(handle.source(), HasSubstr("--kernel " + options.kernel));
        EXPECT_EQ(product(handle, a.n), plain_product(a, step.numbers, options));
    }
    EXPECT_EQ(product(handle, a.n, 2.5), plain_product(a, steps.back().numbers, options, 2.5));
}

TEST(Encodings, KernelsWithoutCodesHaveNarrowStorage) {
    for (auto& options :
         {with_kernel("host", "csr_vector"), with_kernel("simt:gfx906", "sell_slices")})
        check_steps(options, {{integers, "bf16", "_f64_sbf16_", 0},
                              {singles, "f32", "_f64_sf32_", 1},
                              {halves, "f32", "_f64_sf32_", 1},
                              {doubles, "f64", "_f64_i32_", 2},
                              {ones, "f64", "_f64_i32_", 2}});
}

TEST(Encodings, F16IsForGpus) {
    check_steps(with_kernel("simt:sm_90", "csr_classical"),
                {{halves, "f16", "_f64_sf16_", 0}, {tenths, "f64", "_f64_i32_", 1}});
    check_steps(with_kernel("host", "csr_rows"), {{halves, "f32", "_f64_sf32_", 0}});
}

TEST(Encodings, KernelsThatStoreInListedRowsAreWidenedToo) {
    const Band a(integers);
    std::vector<std::int32_t> rows;
    for (std::int64_t i = a.n; i-- > 0;) rows.push_back(static_cast<std::int32_t>(i));
    for (const char* kernel : {"csr_classical", "sell_slices"}) {
        SCOPED_TRACE(kernel);
        Options options = with_kernel("simt:sm_90", kernel);
        if (options.kernel == "sell_slices") options.params = {{"sigma", 64}};
        Handle handle(RowListView{a.view(), a.n, rows.data()}, options);
        EXPECT_EQ(handle.info().storage, "bf16");
        handle.update_values(a.made(doubles).data());
        EXPECT_EQ(handle.info().storage, "f64");
        EXPECT_EQ(handle.info().launches, 1);
        auto y = product(handle, a.n);
        std::ranges::reverse(y);
        EXPECT_EQ(y, plain_product(a, doubles, options));
    }
}

TEST(Encodings, CodesWidenStepByStep) {
    check_steps(with_kernel("simt:sm_90", "strips"), {{ones, "f64", "_value_code2", 0},
                                                      {integers, "f64", "_value_code1", 1},
                                                      {ones, "f64", "_value_code1", 1},
                                                      {tenths, "f64", "_value_code3", 2},
                                                      {integers, "f64", "_value_code3", 2},
                                                      {singles, "f32", "_value_code0", 3},
                                                      {doubles, "f64", "_value_code0", 4},
                                                      {ones, "f64", "_value_code0", 4}});
    check_steps(with_kernel("simt:gfx906", "strips"),
                {{tenths, "f64", "_value_code3", 0}, {doubles, "f64", "_value_code0", 1}});
}

TEST(Encodings, NoneLeavesValuesAsTheyAre) {
    const Band a(ones);
    Options options = options_for("host");
    options.encodings = "none";
    EXPECT_EQ(Handle(a.view(), options).info().storage, "f64");
    options.encodings = "some";
    EXPECT_EQ(code_and_text([&] { Handle(a.view(), options); }),
              "invalid_argument: options.encodings is 'some': use auto or none");
}

TEST(Encodings, AStorageTypeOfTheCallersIsLeftToRound) {
    const Band a(ones);
    Options options = with_kernel("host", "csr_vector");
    options.storage = "f32";
    Handle handle(a.view(), options);
    EXPECT_EQ(handle.info().storage, "f32") << "not bf16";
    handle.update_values(a.made(doubles).data());
    EXPECT_EQ(handle.info().widened, 0);
    EXPECT_EQ(handle.info().storage, "f32");
}

TEST(Encodings, BorrowedAndFewValuesAreLeftAlone) {
    const Band a(ones);
    Options options = with_kernel("host", "csr_vector");
    options.copy = false;
    EXPECT_EQ(Handle(a.view(), options).info().storage, "f64");
    options.copy = true;
    options.expected_applies = 5;
    EXPECT_EQ(Handle(a.view(), options).info().storage, "f64") << "no pass over the values";
    const AnyMatrix<double> small;
    EXPECT_EQ(Handle(small.view(), options_for("host")).info().storage, "f64");
}

TEST(Encodings, ReasonTellsOfThem) {
    const Band a(ones);
    Handle handle(a.view(), with_kernel("host", "csr_vector"));
    EXPECT_EQ(handle.info().reason, "named by the caller; values are exact in bf16");
    handle.update_values(a.made(singles).data());
    EXPECT_THAT(handle.info().reason,
                HasSubstr("; update_values brought numbers that csr_vector_f64_sbf16_"));
    EXPECT_EQ(handle.info().matrix_bytes, 250'045 * (4 + 4) + 50'011 * 4);
}

TEST(Encodings, OtherOrdersOpsAndListsOfEntriesWidenToo) {
    const Band a(ones);
    struct Way {
        const char *device, *op, *reorder;
        bool list;
    };
    for (auto& [device, op, reorder, list] :
         {Way{"host", "N", "rcm", true}, Way{"host", "T", "none", false},
          Way{"host", "T", "rcm", true}, Way{"simt:sm_90", "N", "none", true},
          Way{"simt:sm_90", "T", "rcm", false}}) {
        SCOPED_TRACE(testing::Message() << device << op << reorder << list);
        Options options = options_for(device);
        // A kernel that is named has the rules' parameters, whatever the values take: padded lanes
        // of others round otherwise.
        options.kernel = std::string(device) == "host" ? "sell" : "sell_slices";
        options.op = op;
        options.reorder = reorder;
        Handle handle = list ? Handle(a.entries(), options) : Handle(a.view(), options);
        EXPECT_EQ(handle.info().storage, "bf16");
        handle.update_values(a.made(doubles).data());
        EXPECT_EQ(handle.info().storage, "f64");
        EXPECT_EQ(handle.info().widened, 1);
        EXPECT_EQ(product(handle, a.n), plain_product(a, doubles, options));
    }
}

TEST(Encodings, NothingIsMadeAtAnApplyAfterwards) {
    const Band a(ones);
    Handle handle(a.view(), with_kernel("simt:sm_90", "csr_classical"));
    product(handle, a.n, 3.5);
    handle.update_values(a.made(doubles).data());
    const auto made = kernel_counters().compiles_started;
    product(handle, a.n);
    product(handle, a.n, 3.5);
    EXPECT_EQ(kernel_counters().compiles_started, made);
}

TEST(Encodings, OnACpuOtherModesMakeTheirKernelsWhenTheyAreUsedAgain) {
    const Band a(ones);
    Handle handle(a.view(), with_kernel("host", "csr_vector"));
    const auto provided = [] {
        const KernelCounters c = kernel_counters();
        return c.compiles_started + c.hits_memory + c.hits_store;
    };
    product(handle, a.n, 3.5);
    product(handle, a.n, -1);
    const auto before = provided();
    handle.update_values(a.made(doubles).data());
    EXPECT_EQ(provided(), before + 1) << "the kernel for α = 1";
    const auto scaled = product(handle, a.n, 3);
    EXPECT_EQ(provided(), before + 2) << "and the one for any α and β";
    EXPECT_EQ(scaled, plain_product(a, doubles, with_kernel("host", "csr_vector"), 3));
}

/// The generator, until it is told to fail.
class Failing : public Generator {
  public:
    bool fails = false;
    KernelSource emit(const Signature& s, const std::string& note) override {
        return real().emit(s, note);
    }
    KernelBinary compile(const KernelSource& source, BinaryKind kind, Compiler compiler) override {
        if (fails) throw Error(ErrorCode::compile, "told to fail");
        return real().compile(source, kind, compiler);
    }
    std::map<std::string, std::string> versions() override { return real().versions(); }

  private:
    Generator& real() { return sources_.generator(); }
    KernelSources sources_ = default_kernel_sources();
};

TEST(Encodings, OldNumbersStayWhereWiderOnesHaveNoKernel) {
    for (const auto& options :
         {with_kernel("host", "csr_vector"), with_kernel("simt:sm_90", "csr_classical")}) {
        Failing generator;
        KernelSources sources = default_kernel_sources();
        sources.generator = [&]() -> Generator& { return generator; };
        KernelProvider provider(sources);
        const Band a(ones);
        Handle handle = make_handle(a.view(), options, provider);
        const Info before = handle.info();
        const auto y = product(handle, a.n);
        generator.fails = true;
        const std::string text =
            code_and_text([&] { handle.update_values(a.made(doubles).data()); });
        EXPECT_THAT(text,
                    testing::StartsWith("compile: update_values: the new numbers need kernel " +
                                        options.kernel + "_f64_i32_"));
        EXPECT_THAT(text, HasSubstr("told to fail"));
        EXPECT_THAT(text,
                    testing::EndsWith("the old numbers stay; with options.encodings = none any "
                                      "numbers fit"));
        EXPECT_EQ(handle.info().kernel, before.kernel);
        EXPECT_EQ(handle.info().widened, 0);
        EXPECT_EQ(product(handle, a.n), y);
        handle.update_values(a.made(integers).data());
        EXPECT_EQ(product(handle, a.n), plain_product(a, integers, options));
    }
}

TEST(Encodings, OldNumbersStayWhereWiderOnesHaveNoMemory) {
    const Band a(ones);
    for (const char* device : {"host", "simt:sm_90"}) {
        Options options = with_kernel(device, "coo");
        if (options.device == "host") options.kernel = "coo_segmented";
        options.memory_limit = 250'045 * (4 + 4 + 2) + 300'000;
        Handle handle(a.view(), options);
        ASSERT_EQ(handle.info().storage, "bf16");
        const auto y = product(handle, a.n);
        EXPECT_THAT(code_and_text([&] { handle.update_values(a.made(doubles).data()); }),
                    HasSubstr("more than options.memory_limit"));
        EXPECT_EQ(product(handle, a.n), y);
        EXPECT_EQ(handle.info().storage, "bf16");
    }
}

TEST(Encodings, AKernelThatCannotBeHadIsReplacedByOneForAnyValues) {
    for (const auto& options :
         {with_kernel("host", "csr_vector"), with_kernel("simt:sm_90", "strips")}) {
        KernelProvider provider(default_kernel_sources());
        Options plain = options;
        plain.encodings = "none";
        const Band a(ones);
        // What a kernel set would have: the kernel for any columns and values.
        const Request request{.kernel = options.kernel,
                              .target = parse_target(options.device == "host" ? "native" : "sm_90"),
                              .threads = options.threads};
        const RowFeatures features = analyse_row_lengths(a.view());
        plain.params =
            for_any_matrix(choose(features, request).signature, {}, ValueType::f64).params;
        const Handle general = make_handle(a.view(), plain, provider);
        Options loading = options;
        loading.cache = CacheMode::load;
        loading.cache_dir = testing::TempDir() + "spmvgen-no-kernels";  // not this user's
        const Handle handle = make_handle(a.view(), loading, provider);
        EXPECT_EQ(handle.info().kernel, general.info().kernel) << handle.info().origin;
        EXPECT_THAT(handle.info().reason, HasSubstr("with the kernel for any columns and values"));
        EXPECT_EQ(product(handle, a.n), product(general, a.n));
    }
}

// On the host blocks lead to blocked CSR, whose sizes are too many to be made ahead.
TEST(Encodings, WhereTheMatrixsKernelCannotBeHadRowLengthsDecide) {
    KernelProvider provider(default_kernel_sources());
    const CsrMatrix a = make_gallery_matrix("fem:nx=20,ny=20,dofs=4");
    std::string directory = std::filesystem::temp_directory_path() / "spmvgen-ahead-XXXXXX";
    ASSERT_NE(mkdtemp(directory.data()), nullptr);
    Options loading = options_for("host");
    loading.cache_dir = directory;
    loading.threads = 2;
    loading.all_threads = true;
    const Request request{.target = parse_target("native"), .threads = 2};
    const Signature by_rows = choose(analyse_row_lengths(a.view()), request).signature;
    Options ahead = loading;
    ahead.cache = CacheMode::on;
    ahead.kernel = by_rows.kernel;
    ahead.params = by_rows.params;
    ahead.encodings = "none";
    const std::string made = make_handle(a.view(), ahead, provider).info().kernel;
    loading.cache = CacheMode::load;
    const Handle handle = make_handle(a.view(), loading, provider);
    EXPECT_EQ(handle.info().kernel, made);
    EXPECT_THAT(handle.info().reason, HasSubstr(" in blocks: bcsr"));
    EXPECT_THAT(handle.info().reason, HasSubstr("for its own cannot be had"));
    std::filesystem::remove_all(directory);
    EXPECT_THAT(Handle(a.view(), options_for("host")).info().kernel, testing::StartsWith("bcsr_"));
}

// The handle around the one with other kernels tells of them.
TEST(Encodings, OfListedRowsAreToldWhenTheyAreWidened) {
    const Band a(halves);
    std::vector<int> rows;
    for (int i = 0; i < a.n; ++i) rows.push_back(2 * i + 1);
    Handle handle(RowListView{a.view(), 2 * a.n + 1, rows.data()},
                  with_kernel("host", "csr_vector"));
    const Info before = handle.info();
    handle.update_values(a.made(doubles).data());
    const Info& after = handle.info();
    EXPECT_EQ(after.widened, 1);
    EXPECT_NE(after.kernel, before.kernel);
    EXPECT_EQ(after.storage, "f64");
    EXPECT_EQ(after.rows, 2 * a.n + 1);
    EXPECT_EQ(after.bytes - before.bytes, after.matrix_bytes - before.matrix_bytes);
    EXPECT_THAT(after.reason, testing::StartsWith("50010 of 100021 rows are listed; "));
}

}  // namespace
}  // namespace spmvgen
