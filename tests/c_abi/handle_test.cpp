// spmvgen.h: one matrix.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "c_fixture.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

const std::vector<double> x{10, 20};

TEST(CHandle, SaysWhichLibraryItIs) {
    EXPECT_EQ(spmvgen_abi(), SPMVGEN_ABI);
    EXPECT_STREQ(spmvgen_version(), version());
    EXPECT_STREQ(spmvgen_status_name(SPMVGEN_OK), "ok");
    EXPECT_STREQ(spmvgen_status_name(SPMVGEN_COMPILE), "compile");
    EXPECT_STREQ(spmvgen_status_name(-1), "unknown");
}

TEST(CHandle, Multiplies) {
    const CHandle handle;
    ASSERT_EQ(handle.status(), "ok");
    std::vector<double> y(3, std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(told(spmvgen_apply(handle, SPMVGEN_F64, &one, x.data(), &zero, y.data(), nullptr)),
              "ok");
    EXPECT_EQ(y, (std::vector<double>{50, 60, 40}));
    const double alpha = -1, beta = 2;
    EXPECT_EQ(told(spmvgen_prepare(handle, SPMVGEN_GENERAL, SPMVGEN_GENERAL, nullptr)), "ok");
    EXPECT_EQ(told(spmvgen_apply(handle, SPMVGEN_F64, &alpha, x.data(), &beta, y.data(), nullptr)),
              "ok");
    EXPECT_EQ(y, (std::vector<double>{50, 60, 40}));
}

TEST(CHandle, TakesOperandsOfTheEpilogue) {
    const std::string epilogue = "dot += z[row] * value; w[row] = value - z[row]; value";
    const CHandle handle(COptions{{"epilogue", epilogue.c_str()}});
    ASSERT_EQ(handle.status(), "ok");
    EXPECT_EQ(text_of([&](char* b, std::size_t s, std::size_t* n) {
                  return spmvgen_epilogue_operands(epilogue.c_str(), b, s, n);
              }),
              "z vector\ndot sum\nw written vector\n");
    std::vector<double> y(3), z{1, 2, 3}, w(3);
    double dot = 0;
    const spmvgen_operand operands[] = {{"w", w.data()}, {"z", z.data()}, {"dot", &dot}};
    EXPECT_EQ(told(spmvgen_apply_with(handle, SPMVGEN_F64, &one, x.data(), &zero, y.data(),
                                      operands, 3, nullptr)),
              "ok");
    EXPECT_EQ(y, (std::vector<double>{50, 60, 40}));
    EXPECT_EQ(w, (std::vector<double>{49, 58, 37}));
    EXPECT_EQ(dot, 290);
    EXPECT_EQ(told(spmvgen_apply_with(handle, SPMVGEN_F64, &one, x.data(), &zero, y.data(),
                                      operands, 2, nullptr)),
              "invalid_argument: apply_with: operand 'dot' is missing");
    EXPECT_EQ(told(spmvgen_apply_with(handle, SPMVGEN_F64, &one, x.data(), &zero, y.data(), nullptr,
                                      1, nullptr)),
              "invalid_argument: operands is NULL");
}

TEST(CHandle, MultipliesComplexNumbersWith64BitIndices) {
    using Complex = std::complex<float>;
    const std::int64_t row_ptr[] = {0, 1, 2}, col_idx[] = {1, 0};
    const Complex values[] = {{0, 1}, {2, 0}}, in[] = {{1, 1}, {3, 0}}, alpha = 1, beta = 0;
    const spmvgen_matrix matrix{.struct_size = sizeof(spmvgen_matrix),
                                .layout = SPMVGEN_CSR,
                                .value_type = SPMVGEN_C32,
                                .index_type = SPMVGEN_I64,
                                .offset_type = SPMVGEN_I64,
                                .rows = 2,
                                .cols = 2,
                                .nnz = 2,
                                .row_ptr = row_ptr,
                                .row_idx = nullptr,
                                .col_idx = col_idx,
                                .values = values,
                                .col_ptr = nullptr,
                                .block_height = 0,
                                .block_width = 0,
                                .block_layout = 0,
                                .reserved = 0,
                                .listed_rows = nullptr,
                                .num_listed = 0};
    spmvgen_handle* handle = nullptr;
    ASSERT_EQ(told(spmvgen_create(&matrix, COptions(), &handle)), "ok");
    Complex y[2];
    EXPECT_EQ(told(spmvgen_apply(handle, SPMVGEN_C32, &alpha, in, &beta, y, nullptr)), "ok");
    EXPECT_EQ(y[0], Complex(0, 3));
    EXPECT_EQ(y[1], Complex(2, 2));
    spmvgen_destroy(handle);
}

TEST(CHandle, TakesOptions) {
    const CHandle handle(COptions{{"kernel", "csr_vector"}, {"param.lanes", "2"}, {"op", "T"}});
    ASSERT_EQ(handle.status(), "ok");
    EXPECT_THAT(info_field(handle, "kernel"), HasSubstr("csr_vector"));
    EXPECT_THAT(info_field(handle, "kernel"), HasSubstr("lanes2"));
    EXPECT_EQ(info_field(handle, "op"), "T");
    EXPECT_EQ(info_field(handle, "rows"), "2");
    EXPECT_EQ(info_field(handle, "deterministic"), "true");
    EXPECT_EQ(info_field(handle, "nonsense").substr(0, 49),
              "invalid_argument: unknown field 'nonsense': use o");
    const auto json = nlohmann::json::parse(text_of(
        [&](char* b, std::size_t s, std::size_t* n) { return spmvgen_info(handle, b, s, n); }));
    EXPECT_EQ(json.at("nnz"), 4);
    EXPECT_EQ(json.at("kernel"), info_field(handle, "kernel"));
    EXPECT_THAT(text_of([&](char* b, std::size_t s, std::size_t* n) {
                    return spmvgen_source(handle, b, s, n);
                }),
                HasSubstr("--kernel csr_vector --arch "));
}

TEST(CHandle, ReportsWhatTheDeviceRefuses) {
    EXPECT_THAT(CHandle(COptions{{"device", "warp:9"}}).status(),
                testing::StartsWith("invalid_argument: "));
    EXPECT_EQ(CHandle(COptions{{"num_rhs", "65"}}).status(),
              "invalid_argument: options.num_rhs is 65: use 1…64");
}

TEST(CHandle, TakesNewNumbers) {
    const CHandle handle;
    const double numbers[] = {10, 20, 30, 40};
    EXPECT_EQ(told(spmvgen_update_values(handle, SPMVGEN_F64, numbers, nullptr)), "ok");
    std::vector<double> y(3);
    EXPECT_EQ(told(spmvgen_apply(handle, SPMVGEN_F64, &one, x.data(), &zero, y.data(), nullptr)),
              "ok");
    EXPECT_EQ(y, (std::vector<double>{500, 600, 400}));
    EXPECT_THAT(told(spmvgen_update_values(handle, SPMVGEN_F32, numbers, nullptr)),
                testing::StartsWith("invalid_argument: "));
    EXPECT_THAT(told(spmvgen_update_values(handle, SPMVGEN_F64, nullptr, nullptr)),
                testing::StartsWith("invalid_argument: "));
    EXPECT_EQ(told(spmvgen_update_values(nullptr, SPMVGEN_F64, numbers, nullptr)),
              "invalid_argument: handle is NULL");
    const CHandle fixed(COptions{{"updatable", "false"}});
    EXPECT_THAT(told(spmvgen_update_values(fixed, SPMVGEN_F64, numbers, nullptr)),
                HasSubstr("updatable"));
}

TEST(CHandle, WorksInTheCallersWorkspace) {
    const CHandle handle(COptions{{"kernel", "csr_balanced"}, {"threads", "2"}});
    std::size_t bytes = 0;
    ASSERT_EQ(told(spmvgen_workspace_bytes(handle, SPMVGEN_ONE, SPMVGEN_ZERO, &bytes)), "ok");
    ASSERT_GT(bytes, 0u);
    std::vector<char> workspace(bytes);
    std::vector<double> y(3);
    const auto apply = [&](std::size_t size) {
        return told(spmvgen_apply_with_workspace(handle, SPMVGEN_F64, &one, x.data(), &zero,
                                                 y.data(), nullptr, workspace.data(), size));
    };
    EXPECT_EQ(apply(bytes), "ok");
    EXPECT_EQ(y, (std::vector<double>{50, 60, 40}));
    EXPECT_THAT(apply(bytes - 1), testing::StartsWith("invalid_argument: "));
    EXPECT_EQ(told(spmvgen_workspace_bytes(handle, SPMVGEN_ONE, SPMVGEN_ZERO, nullptr)),
              "invalid_argument: bytes is NULL");
    EXPECT_EQ(told(spmvgen_apply_with_workspace(nullptr, SPMVGEN_F64, &one, x.data(), &zero,
                                                y.data(), nullptr, workspace.data(), bytes)),
              "invalid_argument: handle is NULL");
}

TEST(CHandle, GivesBorrowedArraysBack) {
    int released = 0;
    const auto release = [](void* owner) { ++*static_cast<int*>(owner); };
    const Tiny tiny;
    const spmvgen_matrix matrix = tiny.view();
    spmvgen_handle* handle = nullptr;
    {
        const COptions options{{"copy", "false"}, {"format", "csr"}};
        EXPECT_EQ(told(spmvgen_options_set_owner(options, &released, nullptr)),
                  "invalid_argument: release is NULL");
        ASSERT_EQ(told(spmvgen_options_set_owner(options, &released, release)), "ok");
        ASSERT_EQ(told(spmvgen_create(&matrix, options, &handle)), "ok");
    }
    EXPECT_EQ(released, 0);
    spmvgen_destroy(handle);
    EXPECT_EQ(released, 1);
    EXPECT_EQ(told(spmvgen_options_set_owner(nullptr, &released, release)),
              "invalid_argument: options is NULL");
    EXPECT_EQ(released, 2) << "at once when the call fails";
}

TEST(CHandle, StopsMeasuringWhenItIsTold) {
    struct Seen {
        int most = 0;
        std::vector<std::string> kernels;
    };
    const auto go_on = [](void* context, const char* kernel, double us) -> std::int32_t {
        Seen& seen = *static_cast<Seen*>(context);
        seen.kernels.emplace_back(kernel);
        EXPECT_GT(us, 0);
        return static_cast<int>(seen.kernels.size()) < seen.most;
    };
    const Tiny tiny;
    const spmvgen_matrix matrix = tiny.view();
    const auto seen_of = [&](int most, bool set) {
        Seen seen{most, {}};
        spmvgen_handle* handle = nullptr;
        const COptions options{
            {"level", set ? "exhaustive" : "measure"}, {"budget_ms", "1"}, {"threads", "1"}};
        EXPECT_EQ(told(spmvgen_options_set_on_measured(options, go_on, &seen)), "ok");
        if (!set) {
            EXPECT_EQ(told(spmvgen_options_set_on_measured(options, nullptr, nullptr)), "ok");
        }
        EXPECT_EQ(told(spmvgen_create(&matrix, options, &handle)), "ok");
        spmvgen_destroy(handle);
        return seen.kernels;
    };
    EXPECT_EQ(seen_of(2, true).size(), 2U);
    EXPECT_TRUE(seen_of(1, true).front().starts_with("c"));
    EXPECT_EQ(told(spmvgen_options_set_on_measured(nullptr, go_on, nullptr)),
              "invalid_argument: options is NULL");
    EXPECT_TRUE(seen_of(1, false).empty());
}

TEST(CHandle, GivesTheRowOrder) {
    const int row_ptr[] = {0, 1, 2, 3}, col_idx[] = {2, 1, 0};
    const double values[] = {1, 2, 3};
    const spmvgen_matrix matrix{.struct_size = sizeof(spmvgen_matrix),
                                .layout = SPMVGEN_CSR,
                                .value_type = SPMVGEN_F64,
                                .index_type = SPMVGEN_I32,
                                .offset_type = SPMVGEN_I32,
                                .rows = 3,
                                .cols = 3,
                                .nnz = 3,
                                .row_ptr = row_ptr,
                                .row_idx = nullptr,
                                .col_idx = col_idx,
                                .values = values,
                                .col_ptr = nullptr,
                                .block_height = 0,
                                .block_width = 0,
                                .block_layout = 0,
                                .reserved = 0,
                                .listed_rows = nullptr,
                                .num_listed = 0};
    spmvgen_handle* handle = nullptr;
    ASSERT_EQ(told(spmvgen_create(&matrix, COptions{{"reorder", "rcm"}}, &handle)), "ok");
    const std::int32_t* order = nullptr;
    std::int64_t count = 0;
    ASSERT_EQ(told(spmvgen_row_order(handle, &order, &count)), "ok");
    EXPECT_THAT(std::vector<int>(order, order + count), testing::UnorderedElementsAre(0, 1, 2));
    spmvgen_destroy(handle);
    EXPECT_EQ(told(spmvgen_row_order(CHandle(), &order, &count)), "ok");
    EXPECT_EQ(order, nullptr);
    EXPECT_EQ(count, 0);
}

TEST(CHandle, NullsAreErrors) {
    const Tiny tiny;
    const spmvgen_matrix matrix = tiny.view();
    const CHandle handle;
    spmvgen_handle* made = handle;
    double y[3];
    char text[64];
    const std::int32_t* order = nullptr;
    std::int64_t count = 0;
    const auto null_error = [](const char* name) {
        return std::string("invalid_argument: ") + name + " is NULL";
    };
    EXPECT_EQ(told(spmvgen_create(nullptr, nullptr, &made)), null_error("matrix"));
    EXPECT_EQ(made, nullptr);
    EXPECT_EQ(told(spmvgen_create(&matrix, nullptr, nullptr)), null_error("handle"));
    EXPECT_EQ(told(spmvgen_apply(nullptr, SPMVGEN_F64, &one, x.data(), &zero, y, nullptr)),
              null_error("handle"));
    EXPECT_EQ(told(spmvgen_apply(handle, SPMVGEN_F64, nullptr, x.data(), &zero, y, nullptr)),
              "invalid_argument: apply: α or β is null");
    EXPECT_THAT(told(spmvgen_apply(handle, SPMVGEN_F64, &one, nullptr, &zero, y, nullptr)),
                testing::StartsWith("invalid_argument: apply: "));
    EXPECT_EQ(told(spmvgen_prepare(nullptr, SPMVGEN_ONE, SPMVGEN_ONE, nullptr)),
              null_error("handle"));
    EXPECT_EQ(told(spmvgen_info(nullptr, text, sizeof text, nullptr)), null_error("handle"));
    EXPECT_EQ(told(spmvgen_info_field(handle, nullptr, text, sizeof text, nullptr)),
              null_error("name"));
    EXPECT_EQ(told(spmvgen_source(nullptr, text, sizeof text, nullptr)), null_error("handle"));
    EXPECT_EQ(told(spmvgen_row_order(nullptr, &order, &count)), null_error("handle"));
    EXPECT_EQ(told(spmvgen_row_order(handle, nullptr, &count)), null_error("order"));
    EXPECT_EQ(told(spmvgen_row_order(handle, &order, nullptr)), null_error("count"));
    EXPECT_EQ(told(spmvgen_options_create(nullptr)), null_error("options"));
    EXPECT_EQ(told(spmvgen_options_set(nullptr, "device", "host")), null_error("options"));
    EXPECT_EQ(told(spmvgen_options_set(COptions(), nullptr, "host")), null_error("name"));
    EXPECT_EQ(told(spmvgen_options_set(COptions(), "device", nullptr)), null_error("value"));
    EXPECT_EQ(told(spmvgen_counter("fallbacks", nullptr)), null_error("value"));
    spmvgen_destroy(nullptr);
    spmvgen_options_destroy(nullptr);
}

TEST(CHandle, NumbersThatAreNoConstantAreErrors) {
    const Tiny tiny;
    const CHandle handle;
    double y[3];
    EXPECT_EQ(told(spmvgen_apply(handle, 0, &one, x.data(), &zero, y, nullptr)),
              "invalid_argument: type is 0: use SPMVGEN_F32, SPMVGEN_F64, SPMVGEN_C32 or "
              "SPMVGEN_C64");
    EXPECT_EQ(told(spmvgen_apply(handle, SPMVGEN_F32, &one, x.data(), &zero, y, nullptr)),
              "invalid_argument: apply: the matrix is f64, but α, x, β and y are f32; use f64");
    EXPECT_EQ(told(spmvgen_prepare(handle, SPMVGEN_ONE, 0, nullptr)),
              "invalid_argument: beta is 0: use SPMVGEN_ZERO, SPMVGEN_ONE, SPMVGEN_GENERAL or "
              "SPMVGEN_DEVICE");
    const auto refusal = [&](auto&& change) {
        spmvgen_matrix matrix = tiny.view();
        change(matrix);
        spmvgen_handle* made = nullptr;
        return told(spmvgen_create(&matrix, COptions(), &made));
    };
    EXPECT_EQ(refusal([](auto& m) { m.layout = 0; }),
              "invalid_argument: matrix.layout is 0: use SPMVGEN_CSR, SPMVGEN_COO, SPMVGEN_CSC, "
              "SPMVGEN_BSR");
    EXPECT_THAT(refusal([](auto& m) { m.value_type = SPMVGEN_I32; }),
                HasSubstr("matrix.value_type is 32: use SPMVGEN_F32"));
    EXPECT_EQ(refusal([](auto& m) { m.index_type = 0; }),
              "invalid_argument: matrix.index_type is 0: use SPMVGEN_I32 or SPMVGEN_I64");
    EXPECT_EQ(refusal([](auto& m) { m.row_idx = m.col_idx; }),
              "invalid_argument: matrix.row_idx is for SPMVGEN_COO and SPMVGEN_CSC: leave it 0");
    EXPECT_EQ(refusal([](auto& m) { m.offset_type = 7; }),
              "invalid_argument: matrix.offset_type is 7: use SPMVGEN_I32 or SPMVGEN_I64");
    EXPECT_THAT(refusal([](auto& m) { m.nnz = 3; }), testing::StartsWith("invalid_argument: "));
    EXPECT_THAT(refusal([](auto& m) { m.row_ptr = nullptr; }),
                testing::StartsWith("invalid_argument: "));
    EXPECT_EQ(refusal([](auto& m) { m.struct_size = 0; }),
              "invalid_argument: matrix.struct_size is 0: set it to sizeof(spmvgen_matrix)");
}

TEST(CHandle, AStructOfALaterHeaderIsTakenWhenItsNewFieldsAreNotUsed) {
    struct Later {
        spmvgen_matrix known;
        std::int64_t unknown;
    };
    const Tiny tiny;
    Later later{tiny.view(), 0};
    later.known.struct_size = sizeof(Later);
    spmvgen_handle* handle = nullptr;
    EXPECT_EQ(told(spmvgen_create(&later.known, COptions(), &handle)), "ok");
    spmvgen_destroy(handle);
    later.unknown = 1;
    EXPECT_EQ(told(spmvgen_create(&later.known, COptions(), &handle)),
              std::string("invalid_argument: the matrix has fields that spmvgen ") + version() +
                  " does not know: use the library that the header came with, or leave them 0");
    EXPECT_EQ(handle, nullptr);
}

TEST(CHandle, ABufferThatIsTooSmallStaysAsItIs) {
    const CHandle handle;
    const std::string kernel = info_field(handle, "format");
    std::vector<char> buffer(kernel.size(), '#');
    std::size_t needed = 0;
    EXPECT_EQ(told(spmvgen_info_field(handle, "format", buffer.data(), buffer.size(), &needed)),
              "invalid_argument: the text takes " + std::to_string(kernel.size() + 1) +
                  " bytes, but the buffer has " + std::to_string(kernel.size()));
    EXPECT_EQ(needed, kernel.size() + 1);
    EXPECT_THAT(buffer, testing::Each('#'));
    EXPECT_EQ(told(spmvgen_info_field(handle, "format", nullptr, 0, nullptr)),
              "invalid_argument: buffer and needed are both NULL");
    EXPECT_EQ(told(spmvgen_info_field(handle, "format", nullptr, 3, &needed)),
              "invalid_argument: buffer is NULL, but size is 3");
}

TEST(CHandle, TheLastErrorIsThatOfTheThread) {
    EXPECT_EQ(spmvgen_prepare(nullptr, SPMVGEN_ONE, SPMVGEN_ZERO, nullptr),
              SPMVGEN_INVALID_ARGUMENT);
    std::string elsewhere = "not asked";
    std::thread([&] { elsewhere = spmvgen_last_error(); }).join();
    EXPECT_EQ(elsewhere, "");
    EXPECT_STREQ(spmvgen_last_error(), "handle is NULL");
    EXPECT_EQ(CHandle().status(), "ok");
    EXPECT_STREQ(spmvgen_last_error(), "handle is NULL");
}

TEST(CHandle, CountsKernels) {
    const auto counter = [](const char* name) {
        double value = -1;
        EXPECT_EQ(told(spmvgen_counter(name, &value)), "ok");
        return value;
    };
    const CHandle first;
    const double before = counter("hits_memory");
    const CHandle second;
    EXPECT_EQ(counter("hits_memory"), before + 1);
    const auto json = nlohmann::json::parse(text_of(spmvgen_counters));
    EXPECT_EQ(json.at("hits_memory"), before + 1);
    double value = 0;
    EXPECT_EQ(told(spmvgen_counter("hits", &value)).substr(0, 53),
              "invalid_argument: unknown field 'hits': use one of hi");
}

}  // namespace
}  // namespace spmvgen
