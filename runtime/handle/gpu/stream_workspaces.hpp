#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "devices/device.hpp"

namespace spmvgen {

/// What a kernel wants of a stream, in bytes.
struct WorkspaceBytes {
    std::size_t scratch = 0;  ///< with anything in it
    std::size_t zeroed = 0;   ///< with zeros in it, which every apply leaves behind
    bool operator==(const WorkspaceBytes&) const = default;
};

/// Device memory that kernels of one handle use within an apply, two blocks a stream: one with
/// anything in it, one with zeros whenever no apply runs. Applies on one stream run one after
/// another and share them, applies on two may run at once. Zeros are written once, when the block
/// is allocated; a block whose apply failed, which may have left something else behind, is not used
/// again. Safe for any number of threads. Everything is freed with the object, which the device
/// must outlive.
class StreamWorkspaces {
  public:
    explicit StreamWorkspaces(Device& device) : device_(device) {}

    class Lease;
    /// At least `bytes` for `stream`: allocated when the stream has not got as many yet.
    Lease lease(StreamRef stream, const WorkspaceBytes& bytes);

  private:
    /// The last one is used. What was outgrown may still be in use by work on the stream.
    struct Block {
        std::size_t bytes = 0;
        std::vector<std::unique_ptr<DeviceMemory>> memory;
        std::byte* data() const {
            return bytes > 0 ? static_cast<std::byte*>(memory.back()->data()) : nullptr;
        }
    };
    struct OfStream {
        StreamRef stream;
        std::thread::id thread;  ///< of a stream that is another one in each thread
        std::mutex enqueuing;
        Block scratch, zeroed;
    };
    OfStream& find(StreamRef stream);

    Device& device_;
    std::mutex mutex_;  ///< guards streams_
    std::vector<std::unique_ptr<OfStream>> streams_;
};

/// The use of a stream's blocks while an apply is enqueued: another thread's steps must not come in
/// between, for they would use the same blocks.
class StreamWorkspaces::Lease {
  public:
    Lease(std::unique_lock<std::mutex> lock, OfStream& own) : lock_(std::move(lock)), own_(own) {}
    std::byte* scratch() const { return own_.scratch.data(); }
    std::byte* zeroed() const { return own_.zeroed.data(); }
    /// The apply failed: nobody knows what it has left in the zeroed block. The stream gets another
    /// one at its next lease.
    void spoil() { own_.zeroed.bytes = 0; }

  private:
    std::unique_lock<std::mutex> lock_;
    OfStream& own_;
};

}  // namespace spmvgen
