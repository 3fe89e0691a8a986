#pragma once
#include <functional>
#include <string>

#include "spmvgen/error.hpp"

namespace spmvgen {

/// What f throws, as "code: text".
inline std::string code_and_text(const std::function<void()>& f) {
    try {
        f();
    } catch (const Error& e) {
        return std::string(to_string(e.code())) + ": " + e.what();
    }
    return "no error";
}

}  // namespace spmvgen
