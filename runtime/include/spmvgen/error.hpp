#pragma once
#include <stdexcept>
#include <string>

namespace spmvgen {

/// What kind of trouble an Error reports. The caller can repair everything but
/// `internal`.
enum class ErrorCode {
    invalid_argument,  ///< a call or an option is wrong: the message names it and says what is
                       ///< allowed
    invalid_input,     ///< a file is wrong: the message starts with `file:line:` (or `file:` for
                       ///< binary files)
    unsupported,       ///< legal, but this build, kernel or machine cannot do it
    io,                ///< the operating system refused to read or write
    compile,           ///< a kernel could not be made; the message carries the compiler's log
    internal           ///< a defect of spmvgen
};

/// The stable spelling of a code: "invalid_argument", ….
const char* to_string(ErrorCode code);

/// The one exception type that leaves spmvgen (allocation failure stays std::bad_alloc).
class Error : public std::runtime_error {
  public:
    Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
    ErrorCode code() const noexcept { return code_; }

  private:
    ErrorCode code_;
};

}  // namespace spmvgen
