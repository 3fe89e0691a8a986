// Options that meet: each has tests of its own, here are pairs of them. With the real compiler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "any_matrix.hpp"

namespace spmvgen {
namespace {

/// y = Ax by a handle whose vectors are of type Vector.
template <typename Vector, typename Value>
std::vector<Vector> multiplied(const Handle& handle, const AnyMatrix<Value>& a) {
    const auto narrow = a.x();
    const std::vector<Vector> x(narrow.begin(), narrow.end());
    std::vector<Vector> y(x.size(), Vector(77));
    handle.apply(Vector(1), x.data(), Vector(0), y.data());
    return y;
}

template <typename Vector, typename Value>
void check_updates(const AnyMatrix<Value>& a, const Options& options) {
    Handle handle(a.view(), options);
    SCOPED_TRACE(testing::Message() << handle.info().kernel << " on " << options.device
                                    << ", storage " << options.storage << ", op " << options.op);
    for (int salt = 0; salt <= 2; ++salt) {
        const auto numbers = a.numbers(salt);
        if (salt > 0) handle.update_values(numbers.data());
        const auto expected = a.product(numbers, options.op);
        EXPECT_EQ((multiplied<Vector>(handle, a)),
                  std::vector<Vector>(expected.begin(), expected.end()));
    }
}

/// The generic kernel and two formats on the host, one on a GPU.
std::vector<Options> some_handles() {
    std::vector<Options> list{off_options()};
    for (const char* format : {"csr", "sell"}) {
        list.push_back(options_for("host"));
        list.back().format = format;
    }
    list.push_back(options_for("simt:sm_90"));
    list.back().format = "sell";
    return list;
}

TEST(OptionsTogether, NewNumbersAreStoredInTheNarrowType) {
    for (Options options : some_handles())
        for (const char* op : {"N", "T"}) {
            options.op = op;
            for (const char* storage : {"f16", "bf16", "f32"}) {
                options.storage = storage;
                check_updates<double>(AnyMatrix<double>(), options);
            }
            options.storage = "c32";
            check_updates<std::complex<double>>(AnyMatrix<std::complex<double>>(), options);
        }
}

// Rounded to the narrow type by who stores them, whatever is around that.
TEST(OptionsTogether, NewNumbersOfListedRowsAreRoundedToTheNarrowType) {
    const std::vector<std::int32_t> row_ptr{0, 2, 3}, col_idx{0, 1, 1}, rows{2, 0};
    const std::vector<double> values{1, 2, 3}, fresh{0.1, 0.7, 1e-3}, x{1, 1};
    const auto rounded = [&](int k) { return static_cast<double>(static_cast<float>(fresh[k])); };
    const CsrView view = csr_view(2, 2, row_ptr.data(), col_idx.data(), values.data());
    for (Options options : some_handles())
        for (const char* level : {"rule", "lazy"}) {
            if (options.cache == CacheMode::off && options.level != level) continue;
            options.storage = "f32";
            options.level = level;
            SCOPED_TRACE(options.device + " " + options.format + " " + level);
            Handle handle(RowListView{view, 3, rows.data()}, options);
            handle.update_values(fresh.data());
            std::vector<double> y{5, 5, 5};
            handle.apply(1.0, x.data(), 0.0, y.data());
            EXPECT_EQ(y, (std::vector<double>{rounded(2), 5, rounded(0) + rounded(1)}));
        }
}

TEST(OptionsTogether, NewNumbersOfAMatrixAmongWiderVectors) {
    for (Options options : some_handles()) {
        options.vectors = "f64";
        check_updates<double>(AnyMatrix<float>(), options);
        options.storage = "bf16";
        check_updates<double>(AnyMatrix<float>(), options);
    }
}

TEST(OptionsTogether, ANewComplexNumberThatDoesNotFitIsRefused) {
    const AnyMatrix<std::complex<double>> a;
    for (Options options : some_handles()) {
        options.storage = "c32";
        Handle handle(a.view(), options);
        auto fresh = a.numbers(1);
        fresh[9] = {1, -1e39};
        EXPECT_EQ(code_and_text([&] { handle.update_values(fresh.data()); }),
                  "invalid_argument: update_values: entry 9 is (1, -1e+39), too large for storage "
                  "type c32: use a wider one; the old numbers stay");
        EXPECT_EQ(product_of(handle, a), a.product(a.values));
    }
}

// The plain loop that serves one apply has no epilogue.
TEST(OptionsTogether, OneApplyKeepsItsEpilogue) {
    const AnyMatrix<double> a;
    Options options = options_for("host");
    options.epilogue = "value + row";
    options.expected_applies = 1;
    const Handle handle(a.view(), options);
    auto expected = a.product(a.values);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += static_cast<double>(i);
    EXPECT_EQ(product_of(handle, a), expected);
    EXPECT_NE(handle.info().kernel, "generic_csr");
}

TEST(OptionsTogether, MeasuringStaysWithinTheMemoryLimit) {
    const AnyMatrix<double> a;
    const auto nnz = static_cast<std::int64_t>(a.values.size());
    Options options = options_for("host");
    options.level = "measure";
    options.budget_ms = 50;
    options.memory_limit = 12 * nnz + 4 * (a.n + 1);  // plain CSR and no more
    const Handle handle(a.view(), options);
    EXPECT_EQ(handle.info().format, "csr");
    EXPECT_EQ(product_of(handle, a), a.product(a.values));
    for (auto& measured : handle.info().measured)
        EXPECT_THAT(measured.kernel, testing::StartsWith("csr_"));
}

// Without entries there is no product, but an epilogue of y = βy, with a workspace or without.
TEST(OptionsTogether, AnEpilogueWithoutEntriesInTheCallersWorkspace) {
    const int row_ptr[] = {0, 0, 0, 0};
    for (const char* device : {"host", "simt:sm_90"}) {
        Options options = options_for(device);
        options.epilogue = "value + row";
        const Handle handle(3, 3, row_ptr, static_cast<const int*>(nullptr),
                            static_cast<const double*>(nullptr), options);
        std::vector<std::byte> memory(handle.workspace_bytes(Scale::one, Scale::general));
        std::vector<double> y{1, 2, 3};
        handle.apply(1.0, static_cast<const double*>(nullptr), 2.0, y.data(), {},
                     WorkspaceMemory{memory.data(), memory.size()});
        EXPECT_EQ(y, (std::vector<double>{2, 5, 8}));
    }
}

}  // namespace
}  // namespace spmvgen
