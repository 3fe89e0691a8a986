#include "handle/stream_workspaces.hpp"

#include <cstdint>

namespace spmvgen {
namespace {

/// CU_STREAM_PER_THREAD and hipStreamPerThread: the default stream of the calling thread.
bool is_per_thread(StreamRef stream) {
    return reinterpret_cast<std::uintptr_t>(stream.native) == 2;
}

}  // namespace

StreamWorkspaces::Lease StreamWorkspaces::lease(StreamRef stream, std::size_t bytes) {
    OfStream& own = find(stream);
    std::unique_lock lock(own.enqueuing);
    if (own.bytes < bytes) {
        own.memory.push_back(device_.allocate(bytes));
        own.bytes = bytes;
    }
    return {std::move(lock), static_cast<std::byte*>(own.memory.back()->data())};
}

StreamWorkspaces::OfStream& StreamWorkspaces::find(StreamRef stream) {
    const std::thread::id thread =
        is_per_thread(stream) ? std::this_thread::get_id() : std::thread::id();
    const std::lock_guard lock(mutex_);
    for (auto& known : streams_)
        if (known->stream == stream && known->thread == thread) return *known;
    auto& made = streams_.emplace_back(std::make_unique<OfStream>());
    made->stream = stream;
    made->thread = thread;
    return *made;
}

}  // namespace spmvgen
