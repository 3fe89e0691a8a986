#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "any_matrix.hpp"
#include "devices/device.hpp"

namespace spmvgen {

/// The arrays of a matrix in a device's memory.
struct There {
    template <typename Value>
    There(Device& device, const AnyMatrix<Value>& a)
        : row_ptr(put(device, a.row_ptr)),
          row_idx(put(device, a.row_idx)),
          col_idx(put(device, a.col_idx)),
          values(put(device, a.values)) {
        view = a.view();
        view.row_ptr = row_ptr->data();
        view.col_idx = col_idx->data();
        view.values = values->data();
        list = a.entries();
        list.row_idx = row_idx->data();
        list.col_idx = col_idx->data();
        list.values = values->data();
    }
    template <typename T>
    static std::unique_ptr<DeviceMemory> put(Device& device, const std::vector<T>& from) {
        auto memory = device.allocate(from.size() * sizeof(T));
        device.copy_to_device(memory->data(), from.data(), memory->bytes());
        return memory;
    }
    std::unique_ptr<DeviceMemory> row_ptr, row_idx, col_idx, values;
    CsrView view;
    CooView list;
};

/// The SIMT executor, counting the bytes that are copied to and from it, launches and allocations,
/// and how often is waited for it.
class CountingDevice : public Device {
  public:
    explicit CountingDevice(const std::string& text) : inner_(open_device(text)) {}
    std::size_t came_here = 0, went_there = 0;
    int waits = 0, launches = 0, allocations = 0;
    int overlapping = 0;  ///< of the launches
    std::size_t most_free = SIZE_MAX;

    const DeviceFacts& facts() const override { return inner_->facts(); }
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        ++allocations;
        return inner_->allocate(bytes);
    }
    void copy_to_device(void* device, const void* host, std::size_t bytes) override {
        went_there += bytes;
        ++waits;
        inner_->copy_to_device(device, host, bytes);
    }
    void enqueue_to_device(void* device, const void* host, std::size_t bytes) override {
        went_there += bytes;
        inner_->enqueue_to_device(device, host, bytes);
    }
    void enqueue_on_device(void* to, const void* from, std::size_t bytes) override {
        inner_->enqueue_on_device(to, from, bytes);
    }
    void copy_to_host(void* host, const void* device, std::size_t bytes) override {
        came_here += bytes;
        ++waits;
        inner_->copy_to_host(host, device, bytes);
    }
    void gather_to_host(void* host, std::span<const DevicePiece> pieces) override {
        for (auto& piece : pieces) came_here += piece.bytes;
        ++waits;
        inner_->gather_to_host(host, pieces);
    }
    void copy_on_device(void* to, const void* from, std::size_t bytes) override {
        ++waits;
        inner_->copy_on_device(to, from, bytes);
    }
    void zero(void* device, std::size_t bytes) override {
        ++waits;
        inner_->zero(device, bytes);
    }
    std::size_t free_bytes() override { return std::min(most_free, inner_->free_bytes()); }
    std::unique_ptr<DeviceKernel> load(const KernelBinary& binary) override {
        return inner_->load(binary);
    }
    void launch(const DeviceKernel& kernel, std::size_t step, const GridLaunch& grid,
                void* const* arguments, StreamRef stream) override {
        ++launches;
        overlapping += grid.overlaps;
        inner_->launch(kernel, step, grid, arguments, stream);
    }
    void synchronize(StreamRef stream) override {
        ++waits;
        inner_->synchronize(stream);
    }

  private:
    std::shared_ptr<Device> inner_;
};

}  // namespace spmvgen
