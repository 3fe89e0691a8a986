#include "handle/gpu/stream_workspaces.hpp"

#include <cstdint>

namespace spmvgen {
namespace {

/// CU_STREAM_PER_THREAD and hipStreamPerThread: the default stream of the calling thread.
bool is_per_thread(StreamRef stream) {
    return reinterpret_cast<std::uintptr_t>(stream.native) == 2;
}

}  // namespace

StreamWorkspaces::Lease StreamWorkspaces::lease(StreamRef stream, const WorkspaceBytes& bytes) {
    OfStream& own = find(stream);
    std::unique_lock lock(own.enqueuing);
    if (own.scratch.bytes < bytes.scratch) {
        own.scratch.memory.push_back(device_.allocate(bytes.scratch));
        own.scratch.bytes = bytes.scratch;
    }
    if (own.zeroed.bytes < bytes.zeroed) {
        auto fresh = device_.allocate(bytes.zeroed);
        device_.zero(fresh->data(), bytes.zeroed);
        own.zeroed.memory.push_back(std::move(fresh));
        own.zeroed.bytes = bytes.zeroed;
    }
    return {std::move(lock), own};
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
