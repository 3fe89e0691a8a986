#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "spmvgen/handle_pair.hpp"
#include "spmvgen/spmvgen.h"
#include "spmvgen/spmvgen.hpp"

/// What the functions of spmvgen.h do with their arguments. All throw Error(invalid_argument) that
/// names the argument.
namespace spmvgen::c_abi {

[[noreturn]] void refuse_null(const char* argument);

/// *pointer; `argument` is its name in spmvgen.h.
template <typename T>
T& required(T* pointer, const char* argument) {
    if (pointer == nullptr) refuse_null(argument);
    return *pointer;
}

ValueType value_type(int32_t number, const char* argument);
IndexType index_type(int32_t number, const char* argument);
Scale scale(int32_t number, const char* argument);
VectorLayout vector_layout(int32_t number, const char* argument);

/// A copy of the struct at `given`, whose first field is its size: fields that the caller does not
/// know are 0, and such that this library does not know must be.
spmvgen_matrix sized_copy(const spmvgen_matrix* given);

/// The matrix, which has to be CSR; the fields of other layouts must be 0. `what` takes nothing
/// else: "batches take". Of the caller's struct (see sized_copy).
CsrView csr_view_of(const spmvgen_matrix& matrix, const char* what);
/// The CSR that a handle of a CSR or CSC reads; `options` become those for it.
CsrView csr_to_explain(const spmvgen_matrix& matrix, Options& options);
/// A handle of the matrix in the layout that it has.
Handle handle_of(const spmvgen_matrix& matrix, const Options& options);
/// The same of it and its transpose.
HandlePair pair_of(const spmvgen_matrix& matrix, const Options& options,
                   const std::string& transpose);

/// Puts `text` and a 0 into `buffer`; see spmvgen.h.
void put_text(std::string_view text, char* buffer, std::size_t size, std::size_t* needed);

/// The field `name` of an object; the error lists the names.
const nlohmann::ordered_json& field_of(const nlohmann::ordered_json& object, const char* name);

void put_info_field(const Info& info, const char* name, char* buffer, std::size_t size,
                    std::size_t* needed);
void put_info(const Info& info, char* buffer, std::size_t size, std::size_t* needed);

}  // namespace spmvgen::c_abi

struct spmvgen_blob {
    std::string bytes;
};
struct spmvgen_options {
    spmvgen::Options value;
};
struct spmvgen_handle {
    spmvgen::Handle value;
};
