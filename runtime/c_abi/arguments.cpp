#include "c_abi/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "handle/info_json.hpp"
#include "kernel/refuse.hpp"

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
        default:
            refuse(fmt::format("{} is {}: use SPMVGEN_ZERO, SPMVGEN_ONE or SPMVGEN_GENERAL",
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

bool is_coo(const spmvgen_matrix& m) {
    if (m.layout != SPMVGEN_CSR && m.layout != SPMVGEN_COO)
        refuse(fmt::format("matrix.layout is {}: use SPMVGEN_CSR or SPMVGEN_COO", m.layout));
    return m.layout == SPMVGEN_COO;
}

CsrView csr_view_of(const spmvgen_matrix& m) {
    if (is_coo(m)) refuse("matrix.layout is SPMVGEN_COO: batches take SPMVGEN_CSR");
    if (m.row_idx != nullptr) refuse("matrix.row_idx is for SPMVGEN_COO: leave it NULL");
    return {.rows = m.rows,
            .cols = m.cols,
            .nnz = m.nnz,
            .offset_type = index_type(m.offset_type, "matrix.offset_type"),
            .index_type = index_type(m.index_type, "matrix.index_type"),
            .value_type = value_type(m.value_type, "matrix.value_type"),
            .row_ptr = m.row_ptr,
            .col_idx = m.col_idx,
            .values = m.values};
}

CooView coo_view_of(const spmvgen_matrix& m) {
    if (m.row_ptr != nullptr || m.offset_type != 0)
        refuse("matrix.row_ptr and matrix.offset_type are for SPMVGEN_CSR: leave them 0");
    return {.rows = m.rows,
            .cols = m.cols,
            .nnz = m.nnz,
            .index_type = index_type(m.index_type, "matrix.index_type"),
            .value_type = value_type(m.value_type, "matrix.value_type"),
            .row_idx = m.row_idx,
            .col_idx = m.col_idx,
            .values = m.values};
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

const nlohmann::ordered_json& field_of(const nlohmann::ordered_json& object, const char* name) {
    const auto found = object.find(&required(name, "name"));
    if (found != object.end()) return *found;
    std::vector<std::string> names;
    for (auto& item : object.items()) names.push_back(item.key());
    refuse(fmt::format("unknown field '{}': use one of {}", name, fmt::join(names, ", ")));
}

void put_info_field(const Info& info, const char* name, char* buffer, std::size_t size,
                    std::size_t* needed) {
    const nlohmann::ordered_json json = info_json(info);
    const auto& field = field_of(json, name);
    put_text(field.is_string() ? field.get<std::string>() : dump(field), buffer, size, needed);
}

}  // namespace spmvgen::c_abi
