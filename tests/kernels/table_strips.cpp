#include "cpu/strips.hpp"
#include "direct_run.hpp"

namespace spmvgen::direct {
namespace {

/// What a row of the table decides of strips_cpu; the rest is as a matrix of any kind needs it. Few
/// rows, lanes and codes: each code instantiates the kernel's loops for every type and mode. The
/// others are in jit_table_test and strips_cpu_test.
struct Shape {
    int lanes, block_rows, block_cols, sigma, codes, prefetch;
};

template <Shape shape>
struct StripsCpu {
    template <typename B>
    static void share(Arguments<B>& a, int thread) {
        using Value = typename B::Value;
        using Index = typename B::Index;
        strips_cpu<Value, Value, Value, Index, typename B::Offset, B::alpha_mode, B::beta_mode,
                   false, B::num_rhs, shape.lanes, shape.block_rows, shape.block_cols, shape.sigma,
                   shape.codes, 1, 1, 1, 0, shape.prefetch>(
            a.scalar("num_rows"), a.scalar("num_cols"), a.scalar("num_slices"),
            a.scalar("num_long"), a.scalar("long_begin"), a.offsets("slice_ptr"),
            a.template array<int>("slice_info"), a.offsets("delta_ptr"), a.indices("bases"),
            a.template array<unsigned char>("deltas"), a.template array<unsigned short>("lengths"),
            a.template array<unsigned short>("places"), a.values(), nullptr, a.indices("long_row"),
            a.offsets("long_ptr"), a.indices("long_col"), a.x, a.y, a.alpha, a.beta,
            a.carry_row.data(), a.carry_sum.data(), a.head_row.data(), a.head_sum.data(), thread,
            a.threads);
    }
    template <typename B>
    static void once(Arguments<B>& a) {
        strips_cpu_join<typename B::Value, typename B::Value, B::alpha_mode, B::beta_mode, false,
                        B::num_rhs>(a.carry_row.data(), a.carry_sum.data(), a.head_row.data(),
                                    a.head_sum.data(), a.y, a.alpha, a.beta, a.threads);
    }
};

template <Shape shape>
KernelCase row(int long_from) {
    return {"strips_cpu",
            {{"lanes", shape.lanes},
             {"block_rows", shape.block_rows},
             {"block_cols", shape.block_cols},
             {"sigma", shape.sigma},
             {"codes", shape.codes},
             {"prefetch", shape.prefetch},
             {"long_from", long_from}},
            run_case<StripsCpu<shape>>};
}

}  // namespace

std::vector<KernelCase> strips_cases() {
    return {row<Shape{4, 1, 1, 64, 9, 1024}>(16), row<Shape{2, 2, 3, 1, 8, 0}>(16)};
}

}  // namespace spmvgen::direct
