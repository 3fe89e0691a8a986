#pragma once
#include <string>

#include "spmvgen/error.hpp"

namespace spmvgen {

/// "code: text" of the Error that f throws; "" when it throws none.
template <typename F>
std::string refusal(F&& f) {
    try {
        f();
        return "";
    } catch (const Error& e) {
        return std::string(to_string(e.code())) + ": " + e.what();
    }
}

}  // namespace spmvgen
