// Handles of columns: CSC, which is CSR of the transpose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "any_matrix.hpp"
#include "arrays_on_device.hpp"

namespace spmvgen {
namespace {

// The arrays of a CSR are the CSC of its transpose.
TEST(Columns, AreMultipliedByEveryOp) {
    using Value = std::complex<double>;
    const AnyMatrix<Value> a;
    for (const char* device : {"host", "simt:sm_90"}) {
        const auto of_op = [&](const char* op) {
            Options options = options_for(device);
            options.op = op;
            return product_of(Handle(columns_of(a), options), a);
        };
        auto conjugates = a.values;
        for (Value& value : conjugates) value = std::conj(value);
        EXPECT_EQ(of_op("N"), a.product(a.values, "T")) << device;
        EXPECT_EQ(of_op("T"), a.product(a.values, "N")) << device;
        EXPECT_EQ(of_op("H"), a.product(conjugates, "N")) << device;
        EXPECT_EQ(of_op("C"), a.product(conjugates, "T")) << device;
    }
}

TEST(Columns, TakeNewNumbersInTheirOrder) {
    const AnyMatrix<double> a;
    Handle handle(columns_of(a), options_for("host"));
    const auto fresh = a.numbers(3);
    handle.update_values(fresh.data());
    EXPECT_EQ(product_of(handle, a), a.product(fresh, "T"));
    EXPECT_THAT(handle.info().reason,
                testing::StartsWith("CSC is CSR of the transpose, of which this is op T; "));
}

// In words of the arrays that were given: the rows of the transpose are columns.
TEST(Columns, WrongOnesAreNamed) {
    const auto refusal = [](auto change, const std::string& device = "host") {
        AnyMatrix<double> a(5);
        CscView view = columns_of(a);
        change(a, view);
        view.cols = std::min<std::int64_t>(view.cols, 5);
        return code_and_text([&] { const Handle handle(view, options_for(device)); });
    };
    const std::string broken = "invalid_argument: broken CSC matrix: ";
    for (const char* device : {"host", "simt:sm_90"})
        EXPECT_EQ(refusal([](auto& a, auto&) { a.col_idx[2] = 9; }, device),
                  broken + "entry 2 (column 1) has row 9, outside 0…4");
    EXPECT_EQ(refusal([](auto& a, auto&) { a.row_ptr[2] = 99; }),
              broken + "col_ptr[2] = 99 is beyond the " +
                  std::to_string(AnyMatrix<double>(5).values.size()) + " entries");
    EXPECT_EQ(refusal([](auto& a, auto&) { a.row_ptr[0] = 1; }),
              broken + "col_ptr starts at 1, not at 0");
    EXPECT_EQ(refusal([](auto&, auto& view) { view.col_ptr = nullptr; }),
              broken + "col_ptr is null");
    EXPECT_EQ(refusal([](auto&, auto& view) { view.row_idx = nullptr; }),
              broken + "row_idx is null");
    EXPECT_EQ(refusal([](auto&, auto& view) {
                  view.rows = -3;
                  view.nnz = 7;
              }),
              broken + "negative size (5 columns, -3 rows, 7 entries)");
    Options options = options_for("host");
    options.op = "X";
    EXPECT_THAT(
        code_and_text([&] { const Handle handle(columns_of(AnyMatrix<double>(5)), options); }),
        testing::StartsWith("invalid_argument: options.op: "));
}

// What is told is said of the columns, before and after they are planned.
TEST(Columns, AreToldInTheCallersWords) {
    const AnyMatrix<double> a;
    const auto ptr = from_one<std::int32_t>(a.row_ptr), rows = from_one<std::int32_t>(a.col_idx);
    const auto nnz = static_cast<std::int64_t>(a.values.size());
    for (const char* device : {"host", "simt:sm_90"})
        for (const int base : {0, 1})
            for (const char* when : {"now", "lazy", "behind"})
                for (const char* op : {"N", "T", "H", "C"}) {
                    Options options = options_for(device);
                    options.op = op;
                    options.index_base = base;
                    if (when == std::string("lazy"))
                        options.level = "lazy";
                    else
                        options.compile = when;
                    const Handle handle(base == 0 ? columns_of(a)
                                                  : csc_view(a.n, a.n, nnz, ptr.data(), rows.data(),
                                                             a.values.data()),
                                        options);
                    const std::string of_csr = *op == 'N'   ? "T"
                                               : *op == 'T' ? "N"
                                               : *op == 'H' ? "C"
                                                            : "H";
                    const std::string begin =
                        "CSC is CSR of the transpose, of which this is op " + of_csr + "; " +
                        (base == 1 ? "indices are copies that count from 0; " : "");
                    for (const bool planned : {false, true}) {
                        if (planned) handle.prepare(Scale::one, Scale::zero);
                        EXPECT_THAT(handle.info().reason, testing::StartsWith(begin)) << when;
                        EXPECT_EQ(handle.info().op, op) << when;
                    }
                }
}

// Columns of a device are read there, as CSR of the transpose.
TEST(Columns, OfADeviceTakeNewNumbers) {
    const auto device = open_device("simt:sm_90");
    const AnyMatrix<double> a;
    const There there(*device, a);
    const auto fresh = There::put(*device, a.numbers(1));
    CscView view = columns_of(a);
    view.col_ptr = there.row_ptr->data();
    view.row_idx = there.col_idx->data();
    view.values = there.values->data();
    for (const bool copy : {true, false})
        for (const char* op : {"N", "T"}) {
            Options options = options_for("simt:sm_90");
            options.device_arrays = true;
            options.copy = copy;
            options.op = op;
            const char* const of_csr = *op == 'N' ? "T" : "N";
            Handle handle(view, options);
            EXPECT_EQ(product_of(handle, a), a.product(a.values, of_csr));
            handle.update_values(static_cast<const double*>(fresh->data()));
            EXPECT_EQ(product_of(handle, a), a.product(a.numbers(1), of_csr));
        }
}

TEST(Columns, AreAddedAtomicallyWhereTheyTranspose) {
    const AnyMatrix<double> a;
    Options options = options_for("host");
    options.transpose_by_atomics = true;
    const Handle handle(columns_of(a), options);
    EXPECT_THAT(handle.info().kernel, testing::StartsWith("csr_transposed_cpu_"));
    EXPECT_EQ(product_of(handle, a), a.product(a.values, "T"));
    options.op = "T";
    EXPECT_EQ(code_and_text([&] { const Handle other(columns_of(a), options); }),
              "invalid_argument: options.transpose_by_atomics is for options.op N and C of a CSC "
              "matrix, whose arrays T and H read as they are: leave it out");
}

}  // namespace
}  // namespace spmvgen
