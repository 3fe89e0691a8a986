// Handles of columns (CSC), of blocks (BSR), and of numbers that begin at 1.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "handle/base/handle_impl.hpp"
#include "handle/capture_handle.hpp"
#include "handle/kernels/cache_mode.hpp"
#include "handle/kernels/stopwatch.hpp"
#include "handle/plan/input.hpp"
#include "handle/plan/team_size.hpp"
#include "kernel/refuse.hpp"
#include "matrix/coo_matrix.hpp"
#include "matrix/layouts/block_matrix.hpp"
#include "matrix/layouts/index_base.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr const char* base_one_advice =
    "; options.index_base is 1: in the given arrays all numbers are one larger";

/// The op of the transpose that is `op` of the matrix.
std::string op_of_transpose(const std::string& op) {
    if (op == "N") return "T";
    if (op == "T") return "N";
    if (op == "H") return "C";
    if (op == "C") return "H";
    return op;  // is refused
}

/// What is said of the CSR of the transpose, said of the CSC: rows are columns, and columns rows.
std::string in_words_of_columns(const std::string& text) {
    constexpr std::pair<std::string_view, std::string_view> others[] = {
        {"CSR", "CSC"},      {"row_ptr", "col_ptr"}, {"col_idx", "row_idx"}, {"row", "column"},
        {"rows", "columns"}, {"column", "row"},      {"columns", "rows"}};
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    std::string result;
    for (auto at = text.begin(); at != text.end();) {
        const auto end = std::find_if_not(at, text.end(), is_letter);
        const auto* const found =
            std::ranges::find(others, std::string_view(at, end),
                              &std::pair<std::string_view, std::string_view>::first);
        result += found != std::end(others) ? found->second : std::string_view(at, end);
        at = end;
        if (at != text.end()) result += *at++;
    }
    return result;
}

/// The handle of a matrix with numbers from 0 on; errors tell that the caller's are others.
template <typename View>
std::unique_ptr<HandleImpl> make_from_zero(const View& matrix, Options options,
                                           KernelProvider& provider,
                                           const std::shared_ptr<Device>& device) {
    struct Kept {
        FromZero<View> arrays;
        std::shared_ptr<const void> owner;
    };
    validate_shape(matrix);
    try {
        const Stopwatch watch;
        auto kept = std::make_shared<Kept>(Kept{from_zero(matrix, options.threads), {}});
        const View view = kept->arrays.view;
        const double ms = watch.ms();
        options.index_base = 0;
        if (!options.copy) {
            kept->owner = std::move(options.owner);
            options.owner = kept;
        }
        auto impl = make_handle_impl(view, options, provider, device);
        impl->tell_reason_before("indices are copies that count from 0");
        impl->tell_more_time(ms, &Info::convert_ms);
        return impl;
    } catch (const Error& error) {
        const std::string text = error.what();
        if (!text.starts_with("broken")) throw;
        throw Error(error.code(), text + base_one_advice);
    }
}

}  // namespace

CsrView transpose_of(const CscView& a) {
    return {a.cols,       a.rows,    a.nnz,     a.offset_type, a.index_type,
            a.value_type, a.col_ptr, a.row_idx, a.values};
}

Options options_of_transpose(Options options) {
    if (options.transpose_by_atomics && (options.op == "T" || options.op == "H"))
        refuse(
            "options.transpose_by_atomics is for options.op N and C of a CSC matrix, whose "
            "arrays T and H read as they are: leave it out");
    options.op = op_of_transpose(options.op);
    return options;
}

ExpandedBlocks checked_entries(const BsrView& matrix, const Options& options) {
    validate_shape(matrix);
    FromZero<BsrView> own{matrix, {}, {}};
    try {
        if (options.index_base == 1) own = from_zero(matrix, options.threads);
        validate(own.view, options.threads);
    } catch (const Error& error) {
        if (options.index_base == 0) throw;
        throw Error(error.code(), error.what() + std::string(base_one_advice));
    }
    return expand_blocks(own.view, options.threads);
}

std::unique_ptr<HandleImpl> make_of_base_one(const CsrView& matrix, const Options& options,
                                             KernelProvider& provider,
                                             const std::shared_ptr<Device>& device) {
    return make_from_zero(matrix, options, provider, device);
}

std::unique_ptr<HandleImpl> make_of_base_one(const CooView& matrix, const Options& options,
                                             KernelProvider& provider,
                                             const std::shared_ptr<Device>& device) {
    return make_from_zero(matrix, options, provider, device);
}

std::unique_ptr<HandleImpl> make_handle_impl(const CscView& matrix, const Options& options,
                                             KernelProvider& provider,
                                             std::shared_ptr<Device> device) {
    try {
        auto impl = make_handle_impl(transpose_of(matrix), options_of_transpose(options), provider,
                                     std::move(device));
        impl->tell_reason_before("CSC is CSR of the transpose, of which this is op " +
                                 op_of_transpose(options.op));
        impl->tell_op(options.op);
        return impl;
    } catch (const Error& error) {
        if (!std::string_view(error.what()).starts_with("broken")) throw;
        throw Error(error.code(), in_words_of_columns(error.what()));
    }
}

std::unique_ptr<HandleImpl> make_handle_impl(const BsrView& matrix, const Options& asked,
                                             KernelProvider& provider,
                                             std::shared_ptr<Device> device) {
    const Options options = with_effective_mode(asked);
    check_array_options(options);
    if (options.device_arrays)
        refuse("options.device_arrays: blocks are taken from host memory: leave it false");
    device = device_for(options, std::move(device));
    const TeamSize team(options.threads);
    const Stopwatch watch;
    ExpandedBlocks expanded = checked_entries(matrix, options);
    const auto csr = std::make_shared<CsrMatrix>(std::move(expanded.matrix));
    const double ms = watch.ms();
    Options of_csr = options;
    of_csr.copy = false;  // the handle's own
    of_csr.owner = nullptr;
    of_csr.index_base = 0;
    auto impl = make_of_host_matrix(csr->view(), of_csr, provider, device, nullptr, Arrays::own);
    impl->keep(csr, csr->view(), true);
    impl->tell_given(matrix.value_type, csr->nnz);
    if (options.updatable) impl->tell_order(std::move(expanded.order));
    impl->tell_more_time(ms, &Info::convert_ms);
    return impl;
}

Handle::Handle(const CscView& matrix, const Options& options)
    : impl_(make_handle_impl(matrix, options, KernelProvider::process(), nullptr)) {
    capture_handle(transpose_of(matrix), options_of_transpose(options), info());
}

Handle::Handle(const BsrView& matrix, const Options& options)
    : impl_(make_handle_impl(matrix, options, KernelProvider::process(), nullptr)) {
    capture_handle(matrix, options, info());
}

}  // namespace spmvgen
