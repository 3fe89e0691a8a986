#pragma once
#include <map>
#include <string>

#include "matrix/features.hpp"
#include "spmvgen/signature.hpp"

namespace spmvgen {

/// What the caller fixed; "auto" and absent parameters are free.
struct Request {
    std::string format = "auto";
    std::string kernel = "auto";
    std::map<std::string, std::int64_t> params;
    Target target;
    int num_rhs = 1;
    int threads = 1;  ///< threads that will take part in an apply
};

struct Choice {
    Signature signature;  ///< complete, for α = 1, β = 0
    std::string reason;   ///< one line for people, with the figures that decided
};

/// Level `rule`: constant time, from features alone, no device work. Throws
/// Error(invalid_argument).
Choice choose(const Features& features, const Request& request);

}  // namespace spmvgen
