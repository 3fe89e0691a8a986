#include "devices/simt/shared_memory.hpp"

#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#define SPMVGEN_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SPMVGEN_ASAN 1
#endif
#endif
#ifdef SPMVGEN_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace spmvgen {

namespace {

/// Bytes past the dynamic shared memory that must stay as they are.
constexpr std::size_t guard_bytes = 256;

struct Module {
    std::uintptr_t code = 0;  ///< an address in the module asked for
    std::byte* storage = nullptr;
    std::size_t bytes = 0;
};

int look_at_module(dl_phdr_info* info, std::size_t, void* data) {
    auto& module = *static_cast<Module*>(data);
    bool here = false;
    std::size_t bytes = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto& part = info->dlpi_phdr[i];
        const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_LOAD)
            here |= module.code >= begin && module.code - begin < part.p_memsz;
        if (part.p_type == PT_TLS) bytes = part.p_memsz;
    }
    if (!here) return 0;
    module.storage = static_cast<std::byte*>(info->dlpi_tls_data);
    module.bytes = module.storage == nullptr ? 0 : bytes;
    return 1;
}

}  // namespace

void SharedMemory::attach(const spmvgen_simt_kernel& kernel, std::size_t dynamic_bytes) {
    *this = {};
    if (kernel.dynamic_shared != nullptr) {
        dynamic_ = static_cast<std::byte*>(kernel.dynamic_shared());
        capacity_ = kernel.dynamic_capacity;
        dynamic_bytes_ = dynamic_bytes;
    }
    if (kernel.owns_module == 0) return;
    Module module;
    module.code = reinterpret_cast<std::uintptr_t>(kernel.attach);
    dl_iterate_phdr(look_at_module, &module);
    module_ = module.storage;
    module_bytes_ = module.bytes;
}

void SharedMemory::poison() const {
    const auto fill = [](std::byte* begin, std::byte* end) {
        if (begin < end) std::memset(begin, poison_byte, static_cast<std::size_t>(end - begin));
    };
    std::byte* const module_end = module_ + module_bytes_;
    if (dynamic_ == nullptr) {
        fill(module_, module_end);
        return;
    }
    if (module_ != nullptr) {
        fill(module_, dynamic_);
        fill(dynamic_ + capacity_, module_end);
    }
    fill(dynamic_, dynamic_ + std::min(capacity_, dynamic_bytes_ + guard_bytes));
#ifdef SPMVGEN_ASAN
    __asan_poison_memory_region(dynamic_ + dynamic_bytes_, capacity_ - dynamic_bytes_);
#endif
}

void SharedMemory::release() const {
#ifdef SPMVGEN_ASAN
    if (dynamic_ != nullptr) __asan_unpoison_memory_region(dynamic_, capacity_);
#endif
}

std::string SharedMemory::check() const {
    if (dynamic_ == nullptr) return "";
    const std::byte* const begin = dynamic_ + dynamic_bytes_;
    const std::byte* const end = dynamic_ + std::min(capacity_, dynamic_bytes_ + guard_bytes);
    const auto* const written =
        std::find_if(begin, end, [](std::byte b) { return b != std::byte{poison_byte}; });
    if (written == end) return "";
    return fmt::format(
        "byte {} of the dynamic shared memory was written, which has {} bytes in this launch",
        written - dynamic_, dynamic_bytes_);
}

}  // namespace spmvgen
