#include "c_abi/status.hpp"

#include <exception>
#include <new>
#include <string>

#include "spmvgen/error.hpp"

namespace spmvgen::c_abi {
namespace {

/// Of this thread. `fixed` stands for a message that there was no memory for.
struct LastError {
    std::string message;
    const char* fixed = nullptr;
};

LastError& last_error() {
    thread_local LastError error;
    return error;
}

constexpr const char* no_memory = "out of memory";

spmvgen_status status_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_argument:
            return SPMVGEN_INVALID_ARGUMENT;
        case ErrorCode::invalid_input:
            return SPMVGEN_INVALID_INPUT;
        case ErrorCode::unsupported:
            return SPMVGEN_UNSUPPORTED;
        case ErrorCode::io:
            return SPMVGEN_IO;
        case ErrorCode::compile:
            return SPMVGEN_COMPILE;
        case ErrorCode::internal:
            break;
    }
    return SPMVGEN_INTERNAL;
}

void remember(const std::string& message) {
    last_error() = {message, nullptr};
}

/// The status of the exception that is being handled, its message remembered. Throws when there is
/// no memory for that.
spmvgen_status told(const char* call) {
    try {
        throw;
    } catch (const Error& error) {
        remember(error.what());
        return status_of(error.code());
    } catch (const std::bad_alloc&) {
        last_error().fixed = no_memory;
        return SPMVGEN_OUT_OF_MEMORY;
    } catch (const std::exception& error) {
        remember(std::string(call) + ": " + error.what());
    } catch (...) {
        remember(std::string(call) + ": unknown exception");
    }
    return SPMVGEN_INTERNAL;
}

}  // namespace

spmvgen_status failure(const char* call) noexcept {
    try {
        return told(call);
    } catch (...) {
        last_error().fixed = no_memory;
        return SPMVGEN_OUT_OF_MEMORY;
    }
}

}  // namespace spmvgen::c_abi

const char* spmvgen_status_name(int32_t status) {
    using spmvgen::ErrorCode;
    switch (status) {
        case SPMVGEN_OK:
            return "ok";
        case SPMVGEN_INVALID_ARGUMENT:
            return to_string(ErrorCode::invalid_argument);
        case SPMVGEN_INVALID_INPUT:
            return to_string(ErrorCode::invalid_input);
        case SPMVGEN_UNSUPPORTED:
            return to_string(ErrorCode::unsupported);
        case SPMVGEN_IO:
            return to_string(ErrorCode::io);
        case SPMVGEN_COMPILE:
            return to_string(ErrorCode::compile);
        case SPMVGEN_INTERNAL:
            return to_string(ErrorCode::internal);
        case SPMVGEN_OUT_OF_MEMORY:
            return "out_of_memory";
        default:
            return "unknown";
    }
}

const char* spmvgen_last_error(void) {
    const auto& error = spmvgen::c_abi::last_error();
    return error.fixed != nullptr ? error.fixed : error.message.c_str();
}
