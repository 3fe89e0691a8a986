#pragma once
#include <spmvgen/spmvgen.h>

#include <cstddef>
#include <string>

#include "errors.hpp"

namespace spmvgen_python {

/// The text that call(buffer, size, needed) gives; asked again where it has grown meanwhile.
template <typename Call>
std::string text_of(Call&& call) {
    std::size_t needed = 0;
    check(call(nullptr, std::size_t{0}, &needed));
    for (;;) {
        std::string text(needed, '\0');
        const std::size_t size = needed;
        const spmvgen_status status = call(text.data(), size, &needed);
        if (status != SPMVGEN_OK && needed > size) continue;
        check(status);
        text.resize(needed - 1);
        return text;
    }
}

/// The bytes of a blob, which is destroyed.
inline std::string taken(spmvgen_blob* blob) {
    std::string bytes(spmvgen_blob_data(blob), spmvgen_blob_size(blob));
    spmvgen_blob_destroy(blob);
    return bytes;
}

}  // namespace spmvgen_python
