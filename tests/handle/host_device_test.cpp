#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>

#include <filesystem>

#include "devices/bound_arguments.hpp"
#include "devices/host/host_kernel.hpp"
#include "fakes.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

// [ 1 2 ]
// [ 0 3 ]
struct TinyStored {
    std::vector<int> row_ptr{0, 2, 3};
    std::vector<int> col_idx{0, 1, 1};
    std::vector<double> values{1, 2, 3};
    StoredMatrix stored;
    TinyStored() {
        stored.arrays = {
            {"row_ptr", row_ptr.data()}, {"col_idx", col_idx.data()}, {"values", values.data()}};
        stored.scalars = {{"num_rows", 2}};
    }
};

std::shared_ptr<const LoadedKernel> loaded(const LaunchDescription& launch) {
    KernelBinary binary = csr_binary(csr_signature());
    binary.launch = launch;
    return std::make_shared<LoadedKernel>(binary);
}

std::string bind_error(const LaunchDescription& launch, const StoredMatrix& matrix) {
    try {
        BoundKernel bound(loaded(launch), matrix);
    } catch (const Error& e) {
        return std::string(to_string(e.code())) + ": " + e.what();
    }
    return "no error";
}

std::string load_error(const KernelBinary& binary) {
    try {
        LoadedKernel kernel(binary);
    } catch (const Error& e) {
        return std::string(to_string(e.code())) + ": " + e.what();
    }
    return "no error";
}

TEST(LoadedKernel, RunsWithArgumentsBoundByName) {
    TinyStored tiny;
    const BoundKernel bound(loaded(csr_launch()), tiny.stored);
    const double x[] = {10, 20}, alpha = 2, beta = 3;
    for (const int threads : {1, 2, 5}) {
        double y[] = {1, 1};
        bound.run({&alpha, x, &beta, y}, threads, nullptr);
        EXPECT_EQ(y[0], 2 * 50 + 3);
        EXPECT_EQ(y[1], 2 * 60 + 3);
    }
}

TEST(LoadedKernel, EveryLoadIsItsOwnWhateverDescriptorItCameThrough) {
    KernelBinary leave = csr_binary(csr_signature());
    leave.launch = {{{"fake_leave", StepRule::per_thread, {}}}, {}};
    const LoadedKernel first(leave), second(leave);
    EXPECT_NE(first.function(0), second.function(0));
}

TEST(LoadedKernel, RefusesWhatItCannotLoad) {
    const std::string name = "kernel " + to_string(csr_signature()) + ": ";
    KernelBinary binary = csr_binary(csr_signature());
    binary.launch.steps[0].symbol = "absent";
    EXPECT_EQ(load_error(binary), "io: " + name + "its shared object lacks the symbol 'absent'");
    binary.launch.steps.clear();
    EXPECT_EQ(load_error(binary), "io: " + name + "its launch description has no step");
    binary.bytes.resize(100);
    EXPECT_THAT(load_error(binary), HasSubstr("io: " + name + "its shared object cannot be"));
    binary.kind = BinaryKind::object;
    EXPECT_EQ(load_error(binary), "invalid_argument: " + name + "only a shared object can be run");
}

TEST(LoadedKernel, LeavesNoDescriptorAndNoFileBehind) {
    const auto open_files = [] {
        return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
    };
    const auto before = open_files();
    {
        const LoadedKernel kernel(csr_binary(csr_signature()));
        EXPECT_EQ(open_files(), before);
    }
    EXPECT_EQ(open_files(), before);
}

TEST(BoundKernel, StepsRunInOrderAndOnceMeansOnce) {
    TinyStored tiny;
    const LaunchDescription launch{
        {{"fake_leave", StepRule::per_thread, {{"left", "long*"}}},
         {"fake_collect", StepRule::once, {{"left", "long*"}, {"y", "double*"}}}},
        {{"left", 8}}};
    const BoundKernel bound(loaded(launch), tiny.stored);
    EXPECT_EQ(bound.workspace_bytes(1), 64U);
    EXPECT_EQ(bound.workspace_bytes(9), 128U);
    ScratchPool pool;
    const double alpha = 1, beta = 0;
    for (int threads = 1; threads <= 4; ++threads) {
        ScratchPool::Loan workspace(pool, bound.workspace_bytes(threads));
        double y[] = {-1, -1};
        bound.run({&alpha, y, &beta, y}, threads, workspace.data());
        EXPECT_EQ(y[0], threads * (threads + 1) / 2) << threads << " threads";
        EXPECT_EQ(y[1], threads);
    }
}

TEST(BoundKernel, TheTeamIsWhatOpenMpGives) {
    TinyStored tiny;
    const LaunchDescription launch{
        {{"fake_leave", StepRule::per_thread, {{"left", "long*"}}},
         {"fake_collect", StepRule::once, {{"left", "long*"}, {"y", "double*"}}}},
        {{"left", 8}}};
    const BoundKernel bound(loaded(launch), tiny.stored);
    std::vector<double> team(4, -1);
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(4)
    {
        long left[4];
        const double alpha = 1, beta = 0;
        double y[] = {-1, -1};
        bound.run({&alpha, y, &beta, y}, 4, reinterpret_cast<std::byte*>(left));
        team[static_cast<std::size_t>(omp_get_thread_num())] = y[0] == 1 ? y[1] : -2;
    }
    EXPECT_EQ(team, (std::vector<double>{1, 1, 1, 1}));
}

TEST(BoundKernel, RefusesArgumentsThatDoNotFit) {
    TinyStored tiny;
    const std::string name = "internal: kernel " + to_string(csr_signature()) + ": ";
    const auto with = [](const Argument& argument) {
        return LaunchDescription{{{"fake_csr_f64", StepRule::per_thread, {argument}}}, {}};
    };
    EXPECT_EQ(bind_error(with({"colour", "long"}), tiny.stored),
              name + "argument 'colour' of type 'long' is not part of a matrix in format csr");
    EXPECT_EQ(bind_error(with({"row_ptr", "const long*"}), tiny.stored),
              name + "argument 'row_ptr' of type 'const long*' has other elements than the matrix");
    EXPECT_EQ(bind_error(with({"col_idx", "int*"}), tiny.stored),
              name + "argument 'col_idx' of type 'int*' is not an array to read from");
    EXPECT_EQ(bind_error(with({"values", "const float*"}), tiny.stored),
              name + "argument 'values' of type 'const float*' has other elements than the matrix");
    EXPECT_EQ(bind_error(with({"x", "const float*"}), tiny.stored),
              name + "argument 'x' of type 'const float*' is not f64 elements");
    EXPECT_EQ(bind_error(with({"alpha", "const double*"}), tiny.stored),
              name + "argument 'alpha' of type 'const double*' is not a f64 number");
    EXPECT_EQ(bind_error(with({"num_rows", "double"}), tiny.stored),
              name + "argument 'num_rows' of type 'double' is not an integer");
    tiny.stored.scalars["num_rows"] = std::int64_t{1} << 31;
    EXPECT_EQ(bind_error(with({"num_rows", "int"}), tiny.stored),
              name + "argument 'num_rows' of type 'int' is too narrow for 2147483648");
}

TEST(ArgumentType, ReadsTheSpellingsOfEmittedText) {
    const ArgumentType a = parse_argument_type("const long * __restrict__");
    EXPECT_TRUE(a.pointer);
    EXPECT_TRUE(a.constant);
    EXPECT_EQ(a.element, "long");
    const ArgumentType b = parse_argument_type("long long");
    EXPECT_FALSE(b.pointer);
    EXPECT_EQ(integer_type(b.element), IndexType::i64);
    EXPECT_TRUE(spells("complex_f32", ValueType::c32));
    EXPECT_FALSE(spells("complex_f32", ValueType::c64));
    EXPECT_FALSE(integer_type("unsigned").has_value());
}

TEST(ScratchPool, BlocksAreUsedAgain) {
    ScratchPool pool;
    const std::byte* first = nullptr;
    {
        ScratchPool::Loan a(pool, 100), b(pool, 100);
        EXPECT_NE(a.data(), b.data());
        first = a.data();
    }
    ScratchPool::Loan again(pool, 100);
    EXPECT_EQ(again.data(), first);
    ScratchPool::Loan none(pool, 0);
    EXPECT_EQ(none.data(), nullptr);
}

}  // namespace
}  // namespace spmvgen
