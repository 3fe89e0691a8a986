#include "cpu/bcsr.hpp"
#include "direct_run.hpp"

namespace spmvgen::direct {
namespace {

template <int block_rows, int block_cols>
struct Bcsr {
    template <typename B>
    static void share(Arguments<B>& a, int thread) {
        bcsr<typename B::Value, typename B::Value, typename B::Value, typename B::Index,
             typename B::Offset, B::alpha_mode, B::beta_mode, false, B::num_rhs, block_rows,
             block_cols>(a.scalar("num_rows"), a.scalar("num_cols"), a.scalar("num_block_rows"),
                         a.offsets("block_ptr"), a.indices("col_idx"),
                         a.template array<long>("block_masks"), a.values(), a.x, a.y, a.alpha,
                         a.beta, thread, a.threads);
    }
};

}  // namespace

std::vector<KernelCase> block_cases() {
    return {{"bcsr", {{"block_rows", 3}, {"block_cols", 3}}, run_case<Bcsr<3, 3>>},
            {"bcsr", {{"block_rows", 2}, {"block_cols", 5}}, run_case<Bcsr<2, 5>>}};
}

}  // namespace spmvgen::direct
