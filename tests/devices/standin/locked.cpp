// Page-locked memory of the host, and what is sent from it.
#include <cstring>

#include "world.hpp"

namespace spmvgen::standin {

int World::allocate_locked(void** data, std::size_t bytes, unsigned flags) {
    if (const int code = check_current()) return code;
    if (const int code = check_unsafe()) return code;
    if (bytes == 0 || flags != 0) return note("0 bytes, or flags", invalid_value);
    std::vector<std::byte> fresh(bytes);
    *data = fresh.data();
    locked_.emplace(reinterpret_cast<std::uintptr_t>(*data), std::move(fresh));
    return success;
}

int World::release_locked(void* data) {
    deliver();
    if (const int code = check_current()) return code;
    if (const int code = check_unsafe()) return code;
    if (locked_.erase(reinterpret_cast<std::uintptr_t>(data)) == 0)
        return note("memory that was not allocated", invalid_value);
    return success;
}

bool World::is_locked(const void* host, std::size_t bytes) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(host);
    auto next = locked_.upper_bound(begin);
    if (next == locked_.begin()) return false;
    const auto& [base, memory] = *--next;
    return begin + bytes <= base + memory.size();
}

int World::keep_copy(void* to, const void* from, std::size_t bytes, const void* on_device) {
    if (const int code = check_current()) return code;
    if (capturing_) return note("forbidden while a stream is captured", capture_unsupported);
    if (const int code = check_range(on_device, bytes)) return code;
    pending_.push_back({to, from, bytes});
    return success;
}

int World::send(void* device, const void* host, std::size_t bytes) {
    return is_locked(host, bytes) ? keep_copy(device, host, bytes, device)
                                  : to_device(device, host, bytes);
}

int World::fetch(void* host, const void* device, std::size_t bytes) {
    return is_locked(host, bytes) ? keep_copy(host, device, bytes, device)
                                  : to_host(host, device, bytes);
}

void World::deliver() {
    for (auto& [to, from, bytes] : pending_) std::memcpy(to, from, bytes);
    pending_.clear();
}

}  // namespace spmvgen::standin
