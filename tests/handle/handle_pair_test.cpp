// A and its transpose, made of one matrix.
#include "spmvgen/handle_pair.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "any_matrix.hpp"

namespace spmvgen {
namespace {

using Complex = std::complex<double>;

class HandlePairs : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, HandlePairs, testing::Values("host", "simt:sm_90", "simt:gfx906"),
                         [](auto& test) {
                             const std::string name = test.param;
                             return name.substr(name.find(':') + 1);
                         });

template <typename Value>
void expect_products(const HandlePair& pair, const AnyMatrix<Value>& a,
                     const std::vector<Value>& values, const std::string& op = "N",
                     const std::string& other = "T") {
    EXPECT_EQ(product_of(pair.product, a), a.product(values, op));
    EXPECT_EQ(product_of(pair.transposed, a), a.product(values, other));
}

TEST_P(HandlePairs, MultiplyWithBothAndTakeNewNumbers) {
    const AnyMatrix<double> a;
    AnyMatrix<double> shuffled;
    shuffled.shuffle(5);
    const Options options = options_for(GetParam());
    HandlePair of_rows = make_handle_pair(a.view(), options);
    HandlePair of_entries = make_handle_pair(shuffled.entries(), options);
    expect_products(of_rows, a, a.values);
    expect_products(of_entries, shuffled, shuffled.values);
    EXPECT_EQ(of_rows.product.info().op, "N");
    EXPECT_EQ(of_rows.transposed.info().op, "T");
    const auto fresh = a.numbers(2), others = shuffled.numbers(3);
    of_rows.update_values(fresh.data());
    of_entries.update_values(others.data());
    expect_products(of_rows, a, fresh);
    expect_products(of_entries, shuffled, others);
}

// The CSR arrays of a matrix are the CSC of its transpose.
TEST_P(HandlePairs, OfColumns) {
    const AnyMatrix<Complex> a;
    const CscView columns = csc_view(a.n, a.n, static_cast<std::int64_t>(a.values.size()),
                                     a.row_ptr.data(), a.col_idx.data(), a.values.data());
    auto conjugates = a.values;
    for (Complex& value : conjugates) value = std::conj(value);
    HandlePair pair = make_handle_pair(columns, options_for(GetParam()), "H");
    EXPECT_EQ(product_of(pair.product, a), a.product(a.values, "T"));
    EXPECT_EQ(product_of(pair.transposed, a), a.product(conjugates, "N"));
    EXPECT_THAT(pair.product.info().reason, testing::StartsWith("CSC is CSR of the transpose, of "
                                                                "which this is op T; "));
    EXPECT_THAT(pair.transposed.info().reason, testing::StartsWith("CSC is CSR of the transpose, "
                                                                   "of which this is op C; "));
    EXPECT_EQ(pair.transposed.info().op, "H");
}

TEST_P(HandlePairs, WithNumbersFromOne) {
    const AnyMatrix<double> a;
    auto row_ptr = a.row_ptr, col_idx = a.col_idx;
    for (auto* array : {&row_ptr, &col_idx})
        for (auto& number : *array) ++number;
    Options options = options_for(GetParam());
    options.index_base = 1;
    const HandlePair pair = make_handle_pair(
        csr_view(a.n, a.n, row_ptr.data(), col_idx.data(), a.values.data()), options);
    expect_products(pair, a, a.values);
    for (auto* handle : {&pair.product, &pair.transposed})
        EXPECT_THAT(handle->info().reason,
                    testing::StartsWith("indices are copies that count from 0; "));
}

TEST_P(HandlePairs, ByAtomicsReadOneCsr) {
    const AnyMatrix<double> a;
    Options options = options_for(GetParam());
    options.transpose_by_atomics = true;
    options.copy = false;
    const HandlePair pair = make_handle_pair(a.view(), options);
    expect_products(pair, a, a.values);
    EXPECT_THAT(pair.transposed.info().kernel, testing::StartsWith("csr_transposed"));
    EXPECT_THAT(pair.product.info().kernel, testing::Not(testing::StartsWith("csr_transposed")));
}

// Vectors in the order of one are in the order of the other.
TEST_P(HandlePairs, HaveOneOrder) {
    const AnyMatrix<double> a;
    Options options = options_for(GetParam());
    options.reorder = "rcm";
    options.permuted_vectors = true;
    const HandlePair pair = make_handle_pair(a.view(), options);
    EXPECT_FALSE(pair.product.row_order().empty());
    EXPECT_THAT(pair.transposed.row_order(),
                testing::ElementsAreArray(pair.product.row_order().begin(),
                                          pair.product.row_order().end()));
}

TEST(HandlePairsOfNoUse, AreRefused) {
    const AnyMatrix<double> a;
    Options options = options_for("host");
    const auto refusal = [&](const char* transpose) {
        return code_and_text([&] { (void)make_handle_pair(a.view(), options, transpose); });
    };
    EXPECT_EQ(refusal("C"), "invalid_argument: transpose is 'C': use T or H");
    options.op = "T";
    EXPECT_EQ(refusal("T"),
              "invalid_argument: options.op is T, but a pair has A and its transpose: leave it N, "
              "and give the op of the second");
}

// Order of rows is for transposes as for any matrix.
TEST(RowsInClusters, OfTheTranspose) {
    const AnyMatrix<double> a;
    Options options = options_for("simt:sm_90");
    options.op = "T";
    options.reorder = "rows";
    Handle handle(a.view(), options);
    EXPECT_EQ(product_of(handle, a), a.product(a.values, "T"));
    EXPECT_EQ(handle.info().op, "T");
    EXPECT_EQ(handle.info().reorder, "rows");
    const auto fresh = a.numbers(4);
    handle.update_values(fresh.data());
    EXPECT_EQ(product_of(handle, a), a.product(fresh, "T"));
}

}  // namespace
}  // namespace spmvgen
