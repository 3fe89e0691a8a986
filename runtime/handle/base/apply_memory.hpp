#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "devices/host/host_kernel.hpp"
#include "spmvgen/spmvgen.hpp"

/// Memory that one apply uses: a part of the caller's workspace, or one of the handle's own.
namespace spmvgen {

/// Whether two pieces of memory have a byte in common.
inline bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
    const auto p = reinterpret_cast<std::uintptr_t>(a), q = reinterpret_cast<std::uintptr_t>(b);
    return p < q + b_bytes && q < p + a_bytes;
}

/// What every part of a workspace begins at a multiple of: a line of any GPU's caches.
inline constexpr std::size_t workspace_alignment = 256;

constexpr std::size_t workspace_padded(std::size_t bytes) {
    return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}
/// Bytes of a workspace that holds so many from an aligned address on, wherever it begins.
constexpr std::size_t workspace_with_slack(std::size_t bytes) {
    return bytes > 0 ? workspace_padded(bytes) + workspace_alignment - 1 : 0;
}

/// A caller's workspace cut into an aligned part and the rest.
class WorkspaceCut {
  public:
    /// The workspace has room for workspace_with_slack(bytes).
    WorkspaceCut(const WorkspaceMemory& given, std::size_t bytes) {
        if (bytes == 0) {
            rest_ = given;
            return;
        }
        const auto address = reinterpret_cast<std::uintptr_t>(given.data);
        const std::size_t skipped = workspace_padded(address) - address;
        data_ = static_cast<std::byte*>(given.data) + skipped;
        const std::size_t used = skipped + workspace_padded(bytes);
        rest_ = {static_cast<std::byte*>(given.data) + used, given.bytes - used};
    }
    std::byte* data() const { return data_; }
    const WorkspaceMemory& rest() const { return rest_; }

  private:
    std::byte* data_ = nullptr;
    WorkspaceMemory rest_;
};

/// So many bytes for an apply on a CPU: of the caller's workspace, or where that is null, on loan
/// from a pool until the end of the scope.
class ApplyMemory {
  public:
    ApplyMemory(ScratchPool& pool, const WorkspaceMemory* given, std::size_t bytes) {
        if (given != nullptr)
            cut_.emplace(*given, bytes);
        else
            loan_.emplace(pool, bytes);
    }
    std::byte* data() { return cut_ ? cut_->data() : loan_->data(); }
    /// What is left of the caller's workspace; null when that is null.
    const WorkspaceMemory* rest() const { return cut_ ? &cut_->rest() : nullptr; }

  private:
    std::optional<WorkspaceCut> cut_;
    std::optional<ScratchPool::Loan> loan_;
};

}  // namespace spmvgen
