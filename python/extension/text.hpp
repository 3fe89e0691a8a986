#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
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

/// The text of an option. The library's end at the first character 0, behind which nothing may be.
inline std::string option_text(nanobind::handle name, nanobind::handle value) {
    Py_ssize_t bytes = 0;
    const char* const utf8 = PyUnicode_AsUTF8AndSize(value.ptr(), &bytes);
    if (utf8 == nullptr) throw nanobind::python_error();
    const std::string text(utf8, static_cast<std::size_t>(bytes));
    if (const auto at = text.find('\0'); at != std::string::npos)
        throw nanobind::value_error(("option " + nanobind::cast<std::string>(nanobind::repr(name)) +
                                     ": character " + std::to_string(at + 1) +
                                     " is 0, where a text of the library ends: leave it out")
                                        .c_str());
    return text;
}

/// The bytes of a blob, which is destroyed.
inline std::string taken(spmvgen_blob* blob) {
    std::string bytes(spmvgen_blob_data(blob), spmvgen_blob_size(blob));
    spmvgen_blob_destroy(blob);
    return bytes;
}

}  // namespace spmvgen_python
