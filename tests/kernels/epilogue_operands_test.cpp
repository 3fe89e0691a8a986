// Epilogues with operands, sums and maxima: every kernel of the registry, through the whole
// compiler, on this CPU and on the SIMT executor. Numbers are whole, so that every order of
// summation gives the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fixtures.hpp"
#include "matrix/csr_matrix.hpp"
#include "modes.hpp"
#include "registry.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {
namespace {

constexpr int num_rows = 700;

/// Rows of 0 to 6 entries, one with 300, and A x beside.
struct Numbers {
    std::vector<std::int32_t> row_ptr{0}, col_idx;
    std::vector<double> values, x, product, transposed;

    Numbers() : x(num_rows), product(num_rows), transposed(num_rows) {
        for (int i = 0; i < num_rows; ++i) x[at(i)] = i % 7 - 3;
        for (int i = 0; i < num_rows; ++i) {
            const int count = i == 333 ? 300 : i * 5 % 7;
            for (int k = 0; k < count; ++k) {
                const int j = (i * 3 + k * (count == 300 ? 2 : 11)) % num_rows;
                const double a = (i + k) % 5 - 2;
                add(i, j, a);
            }
            row_ptr.push_back(static_cast<std::int32_t>(col_idx.size()));
        }
    }
    CsrView view() const {
        return csr_view(num_rows, num_rows, row_ptr.data(), col_idx.data(), values.data());
    }

  private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    void add(int i, int j, double a) {
        col_idx.push_back(j);
        values.push_back(a);
        product[at(i)] += a * x[at(j)];
        transposed[at(j)] += a * x[at(i)];
    }
};

struct Row {
    std::string device, kernel;
    Params params = {};
};
void PrintTo(const Row& row, std::ostream* out) {
    *out << row.device << " " << row.kernel;
    for (auto& [name, value] : row.params) *out << " " << name << "=" << value;
}

/// Kernels whose lanes end sorted rows, or several rows one after another.
void add_other_params(std::vector<Row>& all) {
    for (const char* device : {"simt:sm_90", "simt:gfx906"}) {
        all.push_back({device, "sell_slices", {{"sigma", 64}, {"block", 128}}});
        all.push_back({device,
                       "sell_slices",
                       {{"sigma", 64}, {"block", 256}, {"slice", 64}, {"threads_per_row", 2}}});
        all.push_back({device, "strips", {{"sigma", 64}, {"block", 128}, {"threads_per_row", 2}}});
        all.push_back({device, "tiles", {{"staged", 128}}});
        all.push_back({device, "csr_classical", {{"subwarp", 1}, {"unroll", 8}}});
        all.push_back({device, "bcsr_fused", {{"block_rows", 1}, {"block_cols", 1}}});
    }
}

std::vector<Row> rows() {
    std::vector<Row> all;
    bool wave64 = false;
    for (auto& entry : kernel_registry()) {
        if (entry.batch || entry.refuses != nullptr) continue;
        const std::string id(entry.id);
        if (!entry.gpu) {
            all.push_back({"host", id});
            continue;
        }
        if (wave64 || fixtures::is_every_mode_wanted()) all.push_back({"simt:gfx906", id});
        if (!wave64 || fixtures::is_every_mode_wanted()) all.push_back({"simt:sm_90", id});
        wave64 = !wave64;
    }
    add_other_params(all);
    return all;
}

constexpr auto program =
    "t = value - tau * c[row]; w[row] = w[row] + 2 * t; dot += t * c[row]; rows += 1; "
    "most max= fabs(t); fmax(t, 0) + w[row]";

class EpilogueOperands : public testing::TestWithParam<Row> {
  protected:
    Options options() const {
        Options o;
        o.device = GetParam().device;
        o.kernel = GetParam().kernel;
        o.params = GetParam().params;
        o.cache_dir = fixtures::cache_of_this_run();
        o.strict = true;
        o.threads = 3;
        o.all_threads = true;
        o.epilogue = program;
        const KernelEntry& entry = kernel_entry(GetParam().kernel);
        if (entry.transposes) {
            o.op = "T";
            o.transpose_by_atomics = true;
            o.kernel = "auto";
        }
        return o;
    }

    template <typename Value>
    void check(Value alpha, Value beta) {
        const KernelEntry& entry = kernel_entry(GetParam().kernel);
        std::vector<Value> values(numbers_.values.begin(), numbers_.values.end());
        const std::vector<Value> x(numbers_.x.begin(), numbers_.x.end());
        const Handle handle(csr_view(num_rows, num_rows, numbers_.row_ptr.data(),
                                     numbers_.col_idx.data(), values.data()),
                            options());
        std::vector<Value> y(num_rows, beta == 0 ? Value(NAN) : Value(5)), c(num_rows),
            w(num_rows, 10);
        for (std::size_t i = 0; i < c.size(); ++i) c[i] = static_cast<Value>(i % 11) - 5;
        // Twice: what the first leaves behind must not count.
        Value dot = 7, count = 7, most = 7e6F;
        const Value tau = 3;
        const auto before = y;
        for (int round = 0; round < 2; ++round) {
            y = before;
            handle.apply_with(alpha, x.data(), beta, y.data(),
                              {{"c", c.data()},
                               {"w", w.data()},
                               {"tau", &tau},
                               {"most", &most},
                               {"rows", &count},
                               {"dot", &dot}});
        }
        double wanted_dot = 0, wanted_most = 0;
        const auto& product = entry.transposes ? numbers_.transposed : numbers_.product;
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double old = beta == 0 ? 0 : static_cast<double>(beta) * 5;
            const double t =
                static_cast<double>(alpha) * product[i] + old - 3.0 * static_cast<double>(c[i]);
            wanted_dot += t * static_cast<double>(c[i]);
            wanted_most = std::max(wanted_most, std::fabs(t));
            ASSERT_EQ(static_cast<double>(y[i]), std::max(t, 0.0) + 10 + 4 * t) << "row " << i;
            ASSERT_EQ(static_cast<double>(w[i]), 10 + 4 * t) << "row " << i;
        }
        EXPECT_EQ(static_cast<double>(dot), wanted_dot);
        EXPECT_EQ(static_cast<double>(count), num_rows);
        EXPECT_EQ(static_cast<double>(most), wanted_most);
    }

    const Numbers numbers_;
};
INSTANTIATE_TEST_SUITE_P(, EpilogueOperands, testing::ValuesIn(rows()));

TEST_P(EpilogueOperands, AreReadWrittenAndReducedOnceForEachRow) {
    check<double>(1, 0);
    check<double>(2, 1);
    check<double>(0, 3);
    check<float>(1, 0);
}

/// A handle of this CPU with an epilogue, and what its applies are refused for.
class ApplyWith : public testing::Test {
  protected:
    Handle handle(const std::string& epilogue) const {
        Options o;
        o.epilogue = epilogue;
        o.cache_dir = fixtures::cache_of_this_run();
        return Handle(numbers_.view(), o);
    }
    std::string refused(std::initializer_list<EpilogueOperand> operands) {
        try {
            handle_.apply_with(1.0, x_.data(), 0.0, y_.data(), operands);
            return "";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
            return error.what();
        }
    }
    const Numbers numbers_;
    std::vector<double> x_ = numbers_.x;
    std::vector<double> y_ = numbers_.x, w_ = numbers_.x;
    double dot_ = 0;
    const Handle handle_ = handle("w[row] = z[row] + value; dot += value; value");
};

TEST_F(ApplyWith, RefusesOperandsThatDoNotFit) {
    const std::vector<double> z(num_rows);
    const EpilogueOperand w{"w", w_.data()}, dot{"dot", &dot_}, of_z{"z", z.data()};
    EXPECT_EQ(refused({w, dot, of_z}), "");
    EXPECT_EQ(refused({w, dot}), "apply_with: operand 'z' is missing");
    EXPECT_EQ(refused({w, dot, of_z, of_z}), "apply_with: operand 'z' is given twice");
    EXPECT_EQ(refused({w, dot, of_z, {"q", &dot_}}),
              "apply_with: the epilogue has no operand 'q': it has z, w, dot");
    EXPECT_EQ(refused({w, dot, {"z", static_cast<const double*>(nullptr)}}),
              "apply_with: operand 'z' is null");
    const float narrow = 0;
    EXPECT_EQ(refused({w, dot, {"z", &narrow}}),
              "apply_with: operand 'z' is of f32, but the vectors are of f64");
    EXPECT_EQ(refused({{"w", z.data()}, dot, of_z}),
              "apply_with: operand 'w' is written (written vector), but points to const");
    EXPECT_EQ(refused({{"w", y_.data()}, dot, of_z}),
              "apply_with: operand 'w' is written, and overlaps y; use memory of its own");
    EXPECT_EQ(refused({w, {"dot", x_.data() + 3}, of_z}),
              "apply_with: operand 'dot' is written, and overlaps x; use memory of its own");
    EXPECT_EQ(
        refused({w, dot, {"z", w_.data()}}),
        "apply_with: operand 'w' is written, and overlaps operand 'z'; use memory of its own");
}

TEST_F(ApplyWith, IsForEpiloguesWithOperands) {
    const auto refusal = [](const auto& call) -> std::string {
        try {
            call();
            return "";
        } catch (const Error& error) {
            return error.what();
        }
    };
    EXPECT_EQ(refusal([&] { handle_.apply(1.0, x_.data(), 0.0, y_.data()); }),
              "apply: the epilogue has operands, as 'z': give them, with apply_with");
    EXPECT_EQ(refusal([&] {
                  handle_.apply_many(1, 1.0, x_.data(), 1, VectorLayout::row, 0.0, y_.data(), 1,
                                     VectorLayout::row);
              }),
              "apply_many: the epilogue has operands, which are for one vector: use apply_with for "
              "one after another");
    EXPECT_EQ(refusal([&] { handle("value").apply_with(1.0, x_.data(), 0.0, y_.data(), {}); }),
              "apply_with: options.epilogue names no operands: use apply");
    Options o;
    o.epilogue = "value + z[row]";
    o.num_rhs = 4;
    EXPECT_EQ(refusal([&] { Handle(numbers_.view(), o); }),
              "options.epilogue has operands, which are for one vector, but options.num_rhs is 4: "
              "use 1");
    o.num_rhs = 1;
    o.reorder = "rcm";
    EXPECT_EQ(refusal([&] { Handle(numbers_.view(), o); }),
              "options.epilogue has operands, which with options.reorder are for vectors in the "
              "matrix's order: set options.permuted_vectors, or leave one of them out");
}

// Without rows there is nothing to add up, and no kernel that says so.
TEST_F(ApplyWith, GivesZeroForNoRows) {
    const std::int32_t row_ptr[] = {0};
    Options o;
    o.cache_dir = fixtures::cache_of_this_run();
    o.epilogue = "dot += value; value";
    for (const char* device : {"host", "simt:sm_90"}) {
        o.device = device;
        const Handle none(
            csr_view<double, std::int32_t, std::int32_t>(0, 5, row_ptr, nullptr, nullptr), o);
        double dot = 3;
        none.apply_with(1.0, x_.data(), 0.0, y_.data(), {{"dot", &dot}});
        EXPECT_EQ(dot, 0) << device;
    }
}

// Blocks beyond a number leave joining to a launch of its own.
TEST(EpilogueReductions, OfManyBlocksAreJoinedByALaunchOfTheirOwn) {
    for (const int rows : {8 * 512, 8 * 512 + 1, 20001}) {
        const auto n = static_cast<std::size_t>(rows);
        std::vector<std::int32_t> row_ptr(n + 1), col_idx(n);
        std::vector<double> values(n), x(n, 1), y(n);
        for (std::size_t i = 0; i < n; ++i) {
            row_ptr[i + 1] = col_idx[i] = static_cast<std::int32_t>(i);
            ++row_ptr[i + 1];
            values[i] = static_cast<double>(i % 9) - 3;
        }
        Options o;
        o.cache_dir = fixtures::cache_of_this_run();
        o.device = "simt:sm_90";
        o.kernel = "csr_classical";
        o.params = {{"block", 64}, {"subwarp", 8}};
        o.epilogue = "dot += value; most max= value; least max= -value; value";
        const Handle handle(csr_view(rows, rows, row_ptr.data(), col_idx.data(), values.data()), o);
        EXPECT_EQ(handle.info().launches, rows > 8 * 512 ? 2 : 1) << rows;
        double dot = 0, most = 0, least = 0, wanted = 0;
        for (const double v : values) wanted += v;
        for (int round = 0; round < 2; ++round)
            handle.apply_with(1.0, x.data(), 0.0, y.data(),
                              {{"dot", &dot}, {"most", &most}, {"least", &least}});
        EXPECT_EQ(dot, wanted) << rows;
        EXPECT_EQ(most, 5) << rows;
        EXPECT_EQ(least, 3) << rows;
    }
}

// Kernels that give rows to threads in any order add up in any.
TEST_F(ApplyWith, SumsInAFixedOrderWhereThatIsAskedFor) {
    Options o;
    o.cache_dir = fixtures::cache_of_this_run();
    o.device = "simt:sm_90";
    o.epilogue = "dot += value; value";
    o.kernel = "csr_light";
    EXPECT_FALSE(Handle(numbers_.view(), o).info().deterministic);
    o.deterministic = true;
    EXPECT_THROW(Handle(numbers_.view(), o), Error);
    o.kernel = "auto";
    EXPECT_TRUE(Handle(numbers_.view(), o).info().deterministic);
}

}  // namespace
}  // namespace spmvgen
