// Columns (CSC) and blocks (BSR) as CSR.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "handle/kernels/stopwatch.hpp"
#include "handle/making/handle_input.hpp"
#include "kernel/refuse.hpp"
#include "matrix/coo_matrix.hpp"
#include "matrix/layouts/block_matrix.hpp"
#include "matrix/layouts/index_base.hpp"
#include "matrix/transpose.hpp"
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

bool is_broken(std::string_view text) {
    return text.starts_with("broken");
}

template <typename View>
bool has_wrong_sizes(const View& matrix) {
    try {
        validate_shape(matrix);
        return false;
    } catch (const Error&) {
        return true;
    }
}

}  // namespace

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

HandleInput csr_input(const CscView& matrix, const Options& options,
                      const std::shared_ptr<Device>& device) {
    HandleInput input = csr_input(transpose_of(matrix), options, device);
    input.by_columns = true;
    return input;
}

HandleInput csr_input(const BsrView& matrix, const Options& options,
                      const std::shared_ptr<Device>&) {
    if (options.device_arrays)
        refuse("options.device_arrays: blocks are taken from host memory: leave it false");
    const Stopwatch watch;
    ExpandedBlocks expanded = checked_entries(matrix, options);
    HandleInput input{.matrix = {}, .options = options};
    take_own(input, std::make_shared<const CsrMatrix>(std::move(expanded.matrix)));
    input.given_type = matrix.value_type;
    input.given_entries = input.matrix.nnz;
    if (options.updatable) input.orders.push_back(std::move(expanded.order));
    input.convert_ms = watch.ms();
    return input;
}

std::string in_callers_words(const CsrView& given, bool from_one, std::string text) {
    return from_one && is_broken(text) && !has_wrong_sizes(given) ? text + base_one_advice : text;
}

std::string in_callers_words(const CooView& given, bool from_one, std::string text) {
    return from_one && is_broken(text) && !has_wrong_sizes(given) ? text + base_one_advice : text;
}

std::string in_callers_words(const CscView& given, bool from_one, std::string text) {
    if (!is_broken(text)) return text;
    return in_words_of_columns(in_callers_words(transpose_of(given), from_one, std::move(text)));
}

// checked_entries() has said it.
std::string in_callers_words(const BsrView&, bool, std::string text) {
    return text;
}

}  // namespace spmvgen
