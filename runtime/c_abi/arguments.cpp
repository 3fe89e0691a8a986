#include "c_abi/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "handle/info_json.hpp"
#include "handle/making/handle_input.hpp"
#include "kernel/refuse.hpp"
#include "matrix/transpose.hpp"

namespace spmvgen::c_abi {
namespace {

/// Size of spmvgen_matrix in the first version of the ABI: no caller has less.
constexpr std::size_t first_matrix_size = offsetof(spmvgen_matrix, values) + sizeof(void*);

std::string dump(const nlohmann::ordered_json& json) {
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

void refuse_null(const char* argument) {
    refuse(fmt::format("{} is NULL", argument));
}

ValueType value_type(int32_t number, const char* argument) {
    switch (number) {
        case SPMVGEN_F32:
            return ValueType::f32;
        case SPMVGEN_F64:
            return ValueType::f64;
        case SPMVGEN_C32:
            return ValueType::c32;
        case SPMVGEN_C64:
            return ValueType::c64;
        default:
            refuse(fmt::format("{} is {}: use SPMVGEN_F32, SPMVGEN_F64, SPMVGEN_C32 or SPMVGEN_C64",
                               argument, number));
    }
}

IndexType index_type(int32_t number, const char* argument) {
    if (number != SPMVGEN_I32 && number != SPMVGEN_I64)
        refuse(fmt::format("{} is {}: use SPMVGEN_I32 or SPMVGEN_I64", argument, number));
    return number == SPMVGEN_I32 ? IndexType::i32 : IndexType::i64;
}

VectorLayout vector_layout(int32_t number, const char* argument) {
    if (number != SPMVGEN_ROW && number != SPMVGEN_COLUMN)
        refuse(fmt::format("{} is {}: use SPMVGEN_ROW or SPMVGEN_COLUMN", argument, number));
    return number == SPMVGEN_ROW ? VectorLayout::row : VectorLayout::column;
}

Scale scale(int32_t number, const char* argument) {
    switch (number) {
        case SPMVGEN_ZERO:
            return Scale::zero;
        case SPMVGEN_ONE:
            return Scale::one;
        case SPMVGEN_GENERAL:
            return Scale::general;
        case SPMVGEN_DEVICE:
            return Scale::device;
        default:
            refuse(fmt::format(
                "{} is {}: use SPMVGEN_ZERO, SPMVGEN_ONE, SPMVGEN_GENERAL or SPMVGEN_DEVICE",
                argument, number));
    }
}

spmvgen_matrix sized_copy(const spmvgen_matrix* given) {
    const std::size_t size = required(given, "matrix").struct_size;
    if (size < first_matrix_size)
        refuse(fmt::format("matrix.struct_size is {}: set it to sizeof(spmvgen_matrix)", size));
    const auto* bytes = reinterpret_cast<const unsigned char*>(given);
    const std::size_t known = std::min(size, sizeof(spmvgen_matrix));
    if (std::any_of(bytes + known, bytes + size, [](unsigned char byte) { return byte != 0; }))
        refuse(
            fmt::format("the matrix has fields that spmvgen {} does not know: use the library "
                        "that the header came with, or leave them 0",
                        version()));
    spmvgen_matrix copy{};
    std::memcpy(&copy, given, known);
    return copy;
}

namespace {

/// In the order of their numbers, which begin at 1.
constexpr std::array layout_names{"SPMVGEN_CSR", "SPMVGEN_COO", "SPMVGEN_CSC", "SPMVGEN_BSR"};

/// Throws Error(invalid_argument) when the field is given that the matrix's layout has no use for.
void check_unused(bool is_given, const char* field, const char* layouts) {
    if (is_given) refuse(fmt::format("matrix.{} is for {}: leave it 0", field, layouts));
}

void check_layout(const spmvgen_matrix& m) {
    if (m.layout < SPMVGEN_CSR || m.layout > SPMVGEN_BSR)
        refuse(fmt::format("matrix.layout is {}: use {}", m.layout, fmt::join(layout_names, ", ")));
}

/// The same when fields are given that its layout has no use for.
void check_fields(const spmvgen_matrix& m) {
    const bool coo = m.layout == SPMVGEN_COO, csc = m.layout == SPMVGEN_CSC;
    const bool bsr = m.layout == SPMVGEN_BSR;
    check_unused((coo || csc) && m.row_ptr != nullptr, "row_ptr", "SPMVGEN_CSR and SPMVGEN_BSR");
    check_unused(coo && m.offset_type != 0, "offset_type",
                 "SPMVGEN_CSR, SPMVGEN_CSC and SPMVGEN_BSR");
    check_unused(!coo && !csc && m.row_idx != nullptr, "row_idx", "SPMVGEN_COO and SPMVGEN_CSC");
    check_unused(csc && m.col_idx != nullptr, "col_idx",
                 "SPMVGEN_CSR, SPMVGEN_COO and SPMVGEN_BSR");
    check_unused(!csc && m.col_ptr != nullptr, "col_ptr", "SPMVGEN_CSC");
    check_unused(!bsr && (m.block_height != 0 || m.block_width != 0 || m.block_layout != 0),
                 "block_height, block_width or block_layout", "SPMVGEN_BSR");
    check_unused(m.layout != SPMVGEN_CSR && (m.listed_rows != nullptr || m.num_listed != 0),
                 "listed_rows or num_listed", "SPMVGEN_CSR");
    if (m.listed_rows == nullptr && m.num_listed != 0)
        refuse(
            fmt::format("matrix.num_listed is {}, but matrix.listed_rows is NULL", m.num_listed));
    if (m.reserved != 0) refuse("matrix.reserved is not 0");
}

bool is_row_list(const spmvgen_matrix& m) {
    return m.listed_rows != nullptr;
}

/// All rows, or those that are listed.
CsrView csr_of(const spmvgen_matrix& m) {
    check_fields(m);
    return {.rows = is_row_list(m) ? m.num_listed : m.rows,
            .cols = m.cols,
            .nnz = m.nnz,
            .offset_type = index_type(m.offset_type, "matrix.offset_type"),
            .index_type = index_type(m.index_type, "matrix.index_type"),
            .value_type = value_type(m.value_type, "matrix.value_type"),
            .row_ptr = m.row_ptr,
            .col_idx = m.col_idx,
            .values = m.values};
}

CscView csc_view_of(const spmvgen_matrix& m) {
    check_fields(m);
    return {.rows = m.rows,
            .cols = m.cols,
            .nnz = m.nnz,
            .offset_type = index_type(m.offset_type, "matrix.offset_type"),
            .index_type = index_type(m.index_type, "matrix.index_type"),
            .value_type = value_type(m.value_type, "matrix.value_type"),
            .col_ptr = m.col_ptr,
            .row_idx = m.row_idx,
            .values = m.values};
}

CooView coo_view_of(const spmvgen_matrix& m) {
    check_fields(m);
    return {.rows = m.rows,
            .cols = m.cols,
            .nnz = m.nnz,
            .index_type = index_type(m.index_type, "matrix.index_type"),
            .value_type = value_type(m.value_type, "matrix.value_type"),
            .row_idx = m.row_idx,
            .col_idx = m.col_idx,
            .values = m.values};
}

BsrView bsr_view_of(const spmvgen_matrix& m) {
    check_fields(m);
    const std::int64_t numbers = std::int64_t{m.block_height} * m.block_width;
    if (m.block_height < 1 || m.block_width < 1)
        refuse(fmt::format("matrix.block_height is {} and matrix.block_width {}: use 1 or more",
                           m.block_height, m.block_width));
    if (m.nnz % numbers != 0)
        refuse(fmt::format("matrix.nnz is {}, no multiple of the {} numbers of a block", m.nnz,
                           numbers));
    return {
        .rows = m.rows,
        .cols = m.cols,
        .blocks = m.nnz / numbers,
        .height = m.block_height,
        .width = m.block_width,
        .by_columns = vector_layout(m.block_layout, "matrix.block_layout") == VectorLayout::column,
        .offset_type = index_type(m.offset_type, "matrix.offset_type"),
        .index_type = index_type(m.index_type, "matrix.index_type"),
        .value_type = value_type(m.value_type, "matrix.value_type"),
        .row_ptr = m.row_ptr,
        .col_idx = m.col_idx,
        .values = m.values};
}

}  // namespace

CsrView csr_view_of(const spmvgen_matrix& m, const char* what) {
    check_layout(m);
    if (m.layout != SPMVGEN_CSR)
        refuse(fmt::format("matrix.layout is {}: {} SPMVGEN_CSR",
                           layout_names[static_cast<std::size_t>(m.layout - 1)], what));
    if (is_row_list(m)) refuse(fmt::format("matrix.listed_rows is not NULL: {} all rows", what));
    return csr_of(m);
}

CsrView csr_to_explain(const spmvgen_matrix& m, Options& options) {
    check_layout(m);
    if (options.index_base != 0) refuse("choices are explained of matrices that count from 0");
    if (m.layout == SPMVGEN_CSR) return csr_of(m);
    if (m.layout != SPMVGEN_CSC) return csr_view_of(m, "choices are explained of SPMVGEN_CSC and");
    options = options_of_transpose(std::move(options));
    return transpose_of(csc_view_of(m));
}

Handle handle_of(const spmvgen_matrix& m, const Options& options) {
    check_layout(m);
    if (m.layout == SPMVGEN_COO) return Handle(coo_view_of(m), options);
    if (m.layout == SPMVGEN_CSC) return Handle(csc_view_of(m), options);
    if (m.layout == SPMVGEN_BSR) return Handle(bsr_view_of(m), options);
    if (is_row_list(m)) return Handle(RowListView{csr_of(m), m.rows, m.listed_rows}, options);
    return Handle(csr_of(m), options);
}

HandlePair pair_of(const spmvgen_matrix& m, const Options& options, const std::string& transpose) {
    check_layout(m);
    if (m.layout == SPMVGEN_COO) return make_handle_pair(coo_view_of(m), options, transpose);
    if (m.layout == SPMVGEN_CSC) return make_handle_pair(csc_view_of(m), options, transpose);
    if (m.layout == SPMVGEN_BSR) return make_handle_pair(bsr_view_of(m), options, transpose);
    if (is_row_list(m)) refuse("matrix.listed_rows is not NULL: pairs are made of all rows");
    return make_handle_pair(csr_of(m), options, transpose);
}

void put_text(std::string_view text, char* buffer, std::size_t size, std::size_t* needed) {
    const std::size_t bytes = text.size() + 1;
    if (needed != nullptr) *needed = bytes;
    if (buffer == nullptr) {
        if (size > 0) refuse(fmt::format("buffer is NULL, but size is {}", size));
        if (needed == nullptr) refuse("buffer and needed are both NULL");
        return;
    }
    if (size < bytes)
        refuse(fmt::format("the text takes {} bytes, but the buffer has {}", bytes, size));
    std::memcpy(buffer, text.data(), text.size());
    buffer[text.size()] = '\0';
}

void put_info(const Info& info, char* buffer, std::size_t size, std::size_t* needed) {
    put_text(dump(info_json(info)), buffer, size, needed);
}

namespace {

[[noreturn]] void refuse_field(const nlohmann::ordered_json& object, const char* name) {
    std::vector<std::string> names;
    for (auto& item : object.items()) names.push_back(item.key());
    refuse(fmt::format("unknown field '{}': use one of {}", name, fmt::join(names, ", ")));
}

}  // namespace

const nlohmann::ordered_json& field_of(const nlohmann::ordered_json& object, const char* name) {
    const auto found = object.find(&required(name, "name"));
    if (found == object.end()) refuse_field(object, name);
    return *found;
}

void put_info_field(const Info& info, const char* name, char* buffer, std::size_t size,
                    std::size_t* needed) {
    const auto field = info_field_json(info, &required(name, "name"));
    if (!field) refuse_field(info_json(info), name);
    put_text(field->is_string() ? field->get<std::string>() : dump(*field), buffer, size, needed);
}

}  // namespace spmvgen::c_abi
