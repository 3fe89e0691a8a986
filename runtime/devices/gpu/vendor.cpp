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

std::optional<GraphCalls> find_graph_calls(const VendorLibrary& library,
                                           const std::array<const char*, 7>& names) {
    for (const char* name : names)
        if (library.find(name) == nullptr) return std::nullopt;
    return GraphCalls{.begin_capture = {library, names[0]},
                      .end_capture = {library, names[1]},
                      .instantiate = {library, names[2]},
                      .destroy_graph = {library, names[3]},
                      .destroy_executable = {library, names[4]},
                      .launch = {library, names[5]},
                      .is_capturing = {library, names[6]}};
}

}  // namespace spmvgen
