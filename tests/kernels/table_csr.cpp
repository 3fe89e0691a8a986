#include "cpu/csr_ahead.hpp"
#include "cpu/csr_balanced.hpp"
#include "cpu/csr_k_rows.hpp"
#include "cpu/csr_rows.hpp"
#include "cpu/csr_vector.hpp"
#include "direct_run.hpp"

namespace spmvgen::direct {
namespace {

struct CsrRows {
    template <typename B>
    static void share(Arguments<B>& a, int thread) {
        csr_rows<typename B::Value, typename B::Value, typename B::Value, typename B::Index,
                 typename B::Offset, B::alpha_mode, B::beta_mode, false, B::num_rhs,
                 vector_form::dense, vector_form::dense>(
            a.scalar("num_rows"), a.offsets("row_ptr"), a.indices("col_idx"), a.values(), a.x, 0,
            a.y, 0, a.alpha, a.beta, thread, a.threads);
    }
};

template <int ahead, int past_caches>
struct CsrAhead {
    template <typename B>
    static void share(Arguments<B>& a, int thread) {
        csr_ahead<typename B::Value, typename B::Value, typename B::Value, typename B::Index,
                  typename B::Offset, B::alpha_mode, B::beta_mode, false, B::num_rhs,
                  vector_form::dense, vector_form::dense, ahead, past_caches>(
            a.scalar("num_rows"), a.offsets("row_ptr"), a.indices("col_idx"), a.values(), a.x, 0,
            a.y, 0, a.alpha, a.beta, thread, a.threads);
    }
};

template <int lanes, int unroll, int prefetch>
struct CsrVector {
    template <typename B>
    static void share(Arguments<B>& a, int thread) {
        csr_vector<typename B::Value, typename B::Value, typename B::Value, typename B::Index,
                   typename B::Offset, B::alpha_mode, B::beta_mode, false, B::num_rhs,
                   vector_form::dense, vector_form::dense, lanes, unroll, prefetch>(
            a.scalar("num_rows"), a.offsets("row_ptr"), a.indices("col_idx"), a.values(), a.x, 0,
            a.y, 0, a.alpha, a.beta, thread, a.threads);
    }
};

template <int lanes, int unroll, int prefetch>
struct CsrBalanced {
    template <typename B>
    static void share(Arguments<B>& a, int thread) {
        csr_balanced<typename B::Value, typename B::Value, typename B::Value, typename B::Index,
                     typename B::Offset, B::alpha_mode, B::beta_mode, false, B::num_rhs,
                     vector_form::dense, vector_form::dense, lanes, unroll, prefetch>(
            a.scalar("num_rows"), a.offsets("row_ptr"), a.indices("col_idx"), a.values(), a.x, 0,
            a.y, 0, a.alpha, a.beta, a.carry_row.data(), a.carry_sum.data(), nullptr, nullptr,
            thread, a.threads);
    }
    template <typename B>
    static void once(Arguments<B>& a) {
        csr_balanced_carry<typename B::Value, typename B::Value, B::alpha_mode, B::beta_mode, false,
                           B::num_rhs, vector_form::dense>(a.carry_row.data(), a.carry_sum.data(),
                                                           nullptr, nullptr, a.y, 0, a.alpha,
                                                           a.beta, a.threads);
    }
};

template <int k, int lanes>
struct CsrKRows {
    template <typename B>
    static void share(Arguments<B>& a, int thread) {
        csr_k_rows<typename B::Value, typename B::Value, typename B::Value, typename B::Index,
                   typename B::Offset, B::alpha_mode, B::beta_mode, false, B::num_rhs, k, lanes>(
            a.scalar("num_rows"), a.scalar("num_sr"), k == 3 ? a.scalar("num_ssr") : 0,
            k == 3 ? a.indices("ssr_ptr") : nullptr, a.indices("sr_ptr"), a.offsets("row_ptr"),
            a.indices("col_idx"), a.values(), a.x, a.y, a.alpha, a.beta, thread, a.threads);
    }
};

}  // namespace

std::vector<KernelCase> csr_cases() {
    return {{"csr_rows", {}, run_case<CsrRows>},
            {"csr_ahead", {{"ahead", 32}, {"past_caches", 0}}, run_case<CsrAhead<32, 0>>},
            {"csr_ahead", {{"ahead", 32}, {"past_caches", 1}}, run_case<CsrAhead<32, 1>>},
            {"csr_vector",
             {{"lanes", 4}, {"unroll", 2}, {"prefetch", 4096}},
             run_case<CsrVector<4, 2, 4096>>},
            {"csr_balanced",
             {{"lanes", 1}, {"unroll", 1}, {"prefetch", 0}},
             run_case<CsrBalanced<1, 1, 0>>},
            {"csr_balanced",
             {{"lanes", 4}, {"unroll", 1}, {"prefetch", 4096}},
             run_case<CsrBalanced<4, 1, 4096>>},
            {"csr_k_rows", {{"k", 2}, {"lanes", 1}, {"srs", 3}}, run_case<CsrKRows<2, 1>>},
            {"csr_k_rows",
             {{"k", 3}, {"lanes", 4}, {"srs", 2}, {"ssrs", 3}},
             run_case<CsrKRows<3, 4>>}};
}

}  // namespace spmvgen::direct
