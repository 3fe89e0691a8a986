#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "devices/device.hpp"

namespace spmvgen {

/// Device memory that kernels of one handle use within an apply, one block a stream: applies on one
/// stream run one after another and share it, applies on two may run at once. Safe for any number
/// of threads. Everything is freed with the object, which the device must outlive.
class StreamWorkspaces {
  public:
    explicit StreamWorkspaces(Device& device) : device_(device) {}

    /// The use of a stream's block while an apply is enqueued: another thread's steps must not come
    /// in between, for they would use the same block.
    class Lease {
      public:
        Lease(std::unique_lock<std::mutex> lock, std::byte* data)
            : lock_(std::move(lock)), data_(data) {}
        std::byte* data() const { return data_; }

      private:
        std::unique_lock<std::mutex> lock_;
        std::byte* data_;
    };
    /// At least `bytes` for `stream`: allocated when the stream has not got as many yet.
    Lease lease(StreamRef stream, std::size_t bytes);

  private:
    struct OfStream {
        StreamRef stream;
        std::thread::id thread;  ///< of a stream that is another one in each thread
        std::mutex enqueuing;
        std::size_t bytes = 0;
        /// The last one is used. What was outgrown may still be in use by work on the stream.
        std::vector<std::unique_ptr<DeviceMemory>> memory;
    };
    OfStream& find(StreamRef stream);

    Device& device_;
    std::mutex mutex_;  ///< guards streams_
    std::vector<std::unique_ptr<OfStream>> streams_;
};

}  // namespace spmvgen
