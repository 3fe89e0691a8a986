#pragma once
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "spmvgen/spmvgen.h"

namespace spmvgen {

inline const double one = 1, zero = 0;  ///< alpha and beta, by their addresses

/// "ok", or the status and the last error: "invalid_argument: handle is NULL".
inline std::string told(spmvgen_status status) {
    if (status == SPMVGEN_OK) return "ok";
    return std::string(spmvgen_status_name(status)) + ": " + spmvgen_last_error();
}

/// The text that `call` puts into a buffer; call(buffer, size, needed) is asked twice.
template <typename Call>
std::string text_of(Call&& call) {
    std::size_t needed = 0;
    if (const auto status = call(nullptr, std::size_t{0}, &needed); status != SPMVGEN_OK)
        return told(status);
    std::vector<char> buffer(needed, '#');
    if (const auto status = call(buffer.data(), needed, &needed); status != SPMVGEN_OK)
        return told(status);
    return std::string(buffer.data());
}

// [ 1 2 ]
// [ 0 3 ]
// [ 4 0 ]
struct Tiny {
    std::vector<int> row_ptr{0, 2, 3, 4};
    std::vector<int> col_idx{0, 1, 1, 0};
    std::vector<double> values{1, 2, 3, 4};
    spmvgen_matrix view() const {
        return {.struct_size = sizeof(spmvgen_matrix),
                .layout = SPMVGEN_CSR,
                .value_type = SPMVGEN_F64,
                .index_type = SPMVGEN_I32,
                .offset_type = SPMVGEN_I32,
                .rows = 3,
                .cols = 2,
                .nnz = 4,
                .row_ptr = row_ptr.data(),
                .row_idx = nullptr,
                .col_idx = col_idx.data(),
                .values = values.data(),
                .col_ptr = nullptr,
                .block_height = 0,
                .block_width = 0,
                .block_layout = 0,
                .reserved = 0,
                .listed_rows = nullptr,
                .num_listed = 0};
    }
};

/// Options whose kernels are made in memory; freed with the object.
class COptions {
  public:
    COptions(std::initializer_list<std::pair<const char*, const char*>> settings = {}) {
        spmvgen_options_create(&options_);
        spmvgen_options_set(options_, "cache", "memory");
        for (auto& [name, value] : settings)
            if (spmvgen_options_set(options_, name, value) != SPMVGEN_OK)
                throw std::runtime_error(spmvgen_last_error());
    }
    COptions(const COptions&) = delete;
    COptions& operator=(const COptions&) = delete;
    ~COptions() { spmvgen_options_destroy(options_); }
    operator spmvgen_options*() const { return options_; }

  private:
    spmvgen_options* options_ = nullptr;
};

/// A handle of Tiny; destroyed with the object.
class CHandle {
  public:
    explicit CHandle(const COptions& options = {}) {
        const Tiny tiny;
        const spmvgen_matrix matrix = tiny.view();
        status_ = told(spmvgen_create(&matrix, options, &handle_));
    }
    CHandle(const CHandle&) = delete;
    CHandle& operator=(const CHandle&) = delete;
    ~CHandle() { spmvgen_destroy(handle_); }
    operator spmvgen_handle*() const { return handle_; }
    const std::string& status() const { return status_; }

  private:
    spmvgen_handle* handle_ = nullptr;
    std::string status_;
};

inline std::string info_field(const spmvgen_handle* handle, const char* name) {
    return text_of([&](char* buffer, std::size_t size, std::size_t* needed) {
        return spmvgen_info_field(handle, name, buffer, size, needed);
    });
}

}  // namespace spmvgen
