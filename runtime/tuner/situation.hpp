#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "matrix/features/features.hpp"
#include "registry.hpp"
#include "tuner/request.hpp"

namespace spmvgen {

/// All that the rules look at.
struct Situation {
    const RowFeatures& f;
    const Request& request;
    std::vector<const KernelEntry*> among;  ///< kernels that the request leaves free; never empty
};

using Params = std::map<std::string, std::int64_t>;

/// The parameter `name` as the request asks for it, else `otherwise`.
inline std::int64_t given(const Situation& s, const std::string& name, std::int64_t otherwise) {
    const auto it = s.request.params.find(name);
    return it != s.request.params.end() ? it->second : otherwise;
}

}  // namespace spmvgen
