/// How every room says no: an Error whose text says what is wrong, where, and what to do.
#pragma once
#include <string>

#include "spmvgen/error.hpp"

namespace spmvgen {

/// An argument of the caller's is not acceptable.
[[noreturn]] inline void refuse(const std::string& message) {
    throw Error(ErrorCode::invalid_argument, message);
}

/// What a file holds is not acceptable; who knows the file's name puts it before the message.
[[noreturn]] inline void refuse_input(const std::string& message) {
    throw Error(ErrorCode::invalid_input, message);
}

}  // namespace spmvgen
