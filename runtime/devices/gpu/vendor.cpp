#include "devices/gpu/vendor.hpp"

#include <fmt/format.h>

#include "spmvgen/error.hpp"

namespace spmvgen {

void GpuVendor::initialize(const std::string& hint) const {
    if (const int status = calls_.initialize(0); status != 0)
        throw Error(ErrorCode::unsupported,
                    fmt::format("{} is there, but {} says: {}{}", library_.path(),
                                calls_.initialize.name, error_text(status), hint));
}

void GpuVendor::fail(int status, const char* call, const std::string& what) const {
    throw Error(ErrorCode::io, fmt::format("{}: {}: {}", what, call, error_text(status)));
}

}  // namespace spmvgen
