#include "cpu/coo_segmented.hpp"
#include "cpu/dia_cpu.hpp"
#include "cpu/ell.hpp"
#include "cpu/sell.hpp"
#include "direct_run.hpp"

namespace spmvgen::direct {
namespace {

template <int lanes>
struct CooSegmented {
    template <typename B>
    static void share(Arguments<B>& a, int thread) {
        coo_segmented<typename B::Value, typename B::Value, typename B::Value, typename B::Index,
                      B::alpha_mode, B::beta_mode, false, B::num_rhs, lanes>(
            a.scalar("num_rows"), a.scalar("nnz"), a.indices("row_idx"), a.indices("col_idx"),
            a.values(), a.x, a.y, a.alpha, a.beta, a.carry_row.data(), a.carry_sum.data(), nullptr,
            nullptr, thread, a.threads);
    }
    template <typename B>
    static void once(Arguments<B>& a) {
        coo_segmented_carry<typename B::Value, typename B::Value, B::alpha_mode, B::beta_mode,
                            false, B::num_rhs>(a.carry_row.data(), a.carry_sum.data(), nullptr,
                                               nullptr, a.y, a.alpha, a.beta, a.threads);
    }
};

template <int lanes, int unroll>
struct Ell {
    template <typename B>
    static void share(Arguments<B>& a, int thread) {
        ell<typename B::Value, typename B::Value, typename B::Value, typename B::Index,
            typename B::Offset, B::alpha_mode, B::beta_mode, false, B::num_rhs, lanes, unroll>(
            a.scalar("num_rows"), a.scalar("stride"), a.offsets("block_full"),
            a.offsets("block_width"), a.indices("col_idx"), a.values(), a.x, a.y, a.alpha, a.beta,
            thread, a.threads);
    }
};

template <int lanes, int unroll, int sigma, int prefetch>
struct Sell {
    template <typename B>
    static void share(Arguments<B>& a, int thread) {
        sell<typename B::Value, typename B::Value, typename B::Value, typename B::Index,
             typename B::Offset, B::alpha_mode, B::beta_mode, false, B::num_rhs, vector_form::dense,
             vector_form::dense, lanes, unroll, sigma, prefetch>(
            a.scalar("num_rows"), a.scalar("num_slices"), a.offsets("slice_ptr"),
            a.offsets("slice_full"), a.indices("row_order"), a.indices("col_idx"), a.values(), a.x,
            0, a.y, 0, a.alpha, a.beta, thread, a.threads);
    }
};

template <int tile, int lanes>
struct Dia {
    template <typename B>
    static void share(Arguments<B>& a, int thread) {
        dia_cpu<typename B::Value, typename B::Value, typename B::Value, typename B::Index,
                typename B::Offset, B::alpha_mode, B::beta_mode, false, B::num_rhs, tile, lanes>(
            a.scalar("num_rows"), a.offsets("tile_ptr"), a.indices("piece_offset"),
            a.template array<unsigned>("piece_rows"), a.offsets("piece_begin"), a.values(), a.x,
            a.y, a.alpha, a.beta, thread, a.threads);
    }
};

}  // namespace

std::vector<KernelCase> other_cases() {
    return {{"coo_segmented", {{"lanes", 4}}, run_case<CooSegmented<4>>},
            {"dia_cpu", {{"tile", 64}, {"lanes", 4}}, run_case<Dia<64, 4>>},
            {"ell", {{"lanes", 4}, {"unroll", 2}}, run_case<Ell<4, 2>>},
            {"sell",
             {{"lanes", 8}, {"unroll", 1}, {"sigma", 1}, {"prefetch", 0}},
             run_case<Sell<8, 1, 1, 0>>},
            {"sell",
             {{"lanes", 2}, {"unroll", 2}, {"sigma", 64}, {"prefetch", 4096}},
             run_case<Sell<2, 2, 64, 4096>>}};
}

}  // namespace spmvgen::direct
