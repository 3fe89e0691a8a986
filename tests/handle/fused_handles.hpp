#pragma once
// Handles whose epilogues are steps of solvers.
#include <string>
#include <vector>

#include "handle/kernels/kernel_provider.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

/// Makes them for one device; null: the one of that name.
struct FusedHandles {
    std::string device;
    std::shared_ptr<Device> opened = nullptr;

    Handle product(const CsrView& a, const std::string& epilogue) const {
        Options o;
        o.device = device;
        o.epilogue = epilogue;
        o.cache = CacheMode::memory;
        o.threads = 2;
        return make_handle(a, o, KernelProvider::process(), opened);
    }
    /// Of a matrix without entries: the epilogue alone.
    Handle vectors(std::int64_t rows, const std::string& epilogue) const {
        const std::vector<std::int32_t> offsets(static_cast<std::size_t>(rows) + 1);
        return product(csr_view<double, std::int32_t, std::int32_t>(rows, rows, offsets.data(),
                                                                    nullptr, nullptr),
                       epilogue);
    }
};

}  // namespace spmvgen
