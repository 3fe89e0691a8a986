#pragma once
// A product over several devices, and what it is timed with: streams and events of each.
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices/device.hpp"
#include "measure/timing.hpp"
#include "peers/cuda_driver.hpp"
#include "spmvgen/distributed.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::bench {

/// A device with a stream that multiplies and one on which the halo travels. The SIMT executor has
/// no streams, and runs everything at once.
class Lane {
  public:
    explicit Lane(const std::string& text) : device(open_device(text)) {
        if (!text.starts_with("cuda:")) return;
        driver_.emplace(std::stoi(text.substr(5)));
        compute = driver_->make_stream();
        travel = driver_->make_stream(true);
        for (auto* event : {&packed, &there, &done}) *event = driver_->make_event();
    }
    Lane(const Lane&) = delete;

    const std::shared_ptr<Device> device;
    CudaDriver::Owned compute, travel;
    CudaDriver::Owned packed, there, done;  ///< events: of the buffer to send, the halo and y

    bool has_streams() const { return driver_.has_value(); }
    void record(const CudaDriver::Owned& event, const CudaDriver::Owned& stream) const {
        if (driver_) driver_->record(event, stream.get());
    }
    void wait(const CudaDriver::Owned& stream, const CudaDriver::Owned& event) const {
        if (driver_) driver_->wait(stream.get(), event);
    }
    /// Within a device or between two.
    void copy(void* to, const void* from, std::size_t bytes,
              const CudaDriver::Owned& stream) const {
        if (driver_)
            driver_->copy(to, from, bytes, stream.get());
        else
            std::memmove(to, from, bytes);
    }
    void synchronize() const {
        device->synchronize({compute.get()});
        device->synchronize({travel.get()});
    }
    const CudaDriver& driver() const { return *driver_; }

  private:
    std::optional<CudaDriver> driver_;
};

using Lanes = std::vector<std::unique_ptr<Lane>>;

/// Elements of f64 on a device.
class Elements {
  public:
    Elements(const Lane& lane, std::size_t count) : memory(lane.device->allocate(8 * count)) {}
    operator double*() const { return static_cast<double*>(memory->data()); }
    std::unique_ptr<DeviceMemory> memory;
};

/// How the halo gets to a part.
enum class Exchanging { copies, fetches, flags };

/// The parts of a matrix on a device each, again and again with the same x: as in a solver, a part
/// begins when the parts that have its halo are done with the product before, and its x may change
/// when the others have read it.
class PartedProduct {
  public:
    PartedProduct(const std::vector<Part>& parts, const Lanes& lanes, const Options& options)
        : lanes_(lanes) {
        for (std::size_t p = 0; p < parts.size(); ++p) {
            Options own = options;
            own.device = lanes[p]->device->facts().text;
            const Part& part = parts[p];
            const Lane& lane = *lanes[p];
            parts_.push_back({PartHandle(part, own), part.first_row, part.first_col,
                              Elements(lane, static_cast<std::size_t>(part.cols())),
                              Elements(lane, static_cast<std::size_t>(part.rows())),
                              Elements(lane, part.send_elements.size()),
                              Elements(lane, part.halo_columns.size())});
            parts_.back().handle.prepare(Scale::one, Scale::zero, {lane.compute.get()});
        }
    }

    /// Flags between the devices, which must run at the same time.
    void connect_halos(const std::vector<Part>& parts, const Options& options) {
        for (std::size_t p = 0; p < parts.size(); ++p) {
            Options own = options;
            own.device = lanes_[p]->device->facts().text;
            halos_.emplace_back(parts[p], own);
        }
        connect(halos_);
    }

    void set_x(const std::vector<double>& x) const {
        for (std::size_t p = 0; p < parts_.size(); ++p)
            lanes_[p]->device->copy_to_device(parts_[p].x.memory->data(),
                                              x.data() + parts_[p].first_col,
                                              parts_[p].x.memory->bytes());
    }
    std::vector<double> y(std::int64_t rows) const {
        std::vector<double> all(static_cast<std::size_t>(rows));
        for (std::size_t p = 0; p < parts_.size(); ++p)
            lanes_[p]->device->copy_to_host(all.data() + parts_[p].first_row,
                                            parts_[p].y.memory->data(),
                                            parts_[p].y.memory->bytes());
        return all;
    }
    /// NaN in all that a product has to write.
    void spoil() const {
        for (std::size_t p = 0; p < parts_.size(); ++p)
            for (const auto* written : {&parts_[p].y, &parts_[p].send, &parts_[p].halo}) {
                const std::vector<std::byte> nan(written->memory->bytes(), std::byte{0xff});
                lanes_[p]->device->copy_to_device(written->memory->data(), nan.data(), nan.size());
            }
    }
    const PartHandle& handle(std::size_t p) const { return parts_[p].handle; }

    /// So many products; everything begins after, and ends before, what lane 0 does.
    void run(int count, Exchanging way, bool overlap) const {
        const Lane& first = *lanes_[0];
        first.record(first.packed, first.compute);
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            if (p > 0) lanes_[p]->wait(lanes_[p]->compute, first.packed);
            lanes_[p]->record(lanes_[p]->done, lanes_[p]->compute);
        }
        for (int i = 0; i < count; ++i) {
            if (way == Exchanging::flags) {
                for (std::size_t p = 0; p < parts_.size(); ++p) exchange_and_multiply(p, overlap);
                continue;
            }
            if (way == Exchanging::copies) pack_all(overlap);
            for (std::size_t p = 0; p < parts_.size(); ++p) bring_halo(p, way, overlap);
            for (std::size_t p = 0; p < parts_.size(); ++p) multiply(p);
        }
        for (std::size_t p = 1; p < parts_.size(); ++p) first.wait(first.compute, lanes_[p]->done);
    }
    void exchange_and_multiply(std::size_t p, bool overlap) const {
        const OnDevice& part = parts_[p];
        const Lane& lane = *lanes_[p];
        const auto& on = overlap ? lane.travel : lane.compute;
        if (overlap) lane.record(lane.packed, lane.compute);
        if (overlap) lane.wait(on, lane.packed);
        halos_[p].exchange(part.x.operator double*(), stream(on));
        if (overlap) lane.record(lane.there, on);
        local(p);
        if (overlap) lane.wait(lane.compute, lane.there);
        part.handle.multiply_halo(1.0, halos_[p].data<double>(), part.y.operator double*(),
                                  stream(lane.compute));
        lane.record(lane.done, lane.compute);
    }
    /// Parts of that, of one device, for themselves.
    void local(std::size_t p) const {
        const OnDevice& part = parts_[p];
        part.handle.multiply_local(1.0, part.x.operator double*(), 0.0, part.y.operator double*(),
                                   stream(lanes_[p]->compute));
    }
    void halo(std::size_t p) const {
        const OnDevice& part = parts_[p];
        part.handle.multiply_halo(1.0, part.halo.operator double*(), part.y.operator double*(),
                                  stream(lanes_[p]->compute));
    }
    void fetch(std::size_t p, const CudaDriver::Owned& on) const {
        const OnDevice& part = parts_[p];
        for (std::size_t i = 0; i < part.handle.receives().size(); ++i)
            part.handle.fetch(i, owner(part.handle.receives()[i]).x.operator double*(),
                              part.halo.operator double*(), stream(on));
    }

  private:
    struct OnDevice {
        PartHandle handle;
        std::int64_t first_row, first_col;
        Elements x, y, send, halo;
    };
    static Stream stream(const CudaDriver::Owned& owned) { return {owned.get()}; }
    const OnDevice& owner(const Exchange& e) const {
        return parts_[static_cast<std::size_t>(e.part)];
    }
    const Lane& lane_of(const Exchange& e) const {
        return *lanes_[static_cast<std::size_t>(e.part)];
    }

    /// What is sent was read by then: those who get it were done.
    void pack_all(bool overlap) const {
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            const OnDevice& part = parts_[p];
            const Lane& lane = *lanes_[p];
            if (part.handle.sends().empty()) continue;
            const auto& on = overlap ? lane.travel : lane.compute;
            if (overlap) lane.wait(on, lane.done);
            for (const Exchange& send : part.handle.sends()) lane.wait(on, lane_of(send).done);
            part.handle.pack(part.x.operator double*(), part.send.operator double*(), stream(on));
            lane.record(lane.packed, on);
        }
    }
    void bring_halo(std::size_t p, Exchanging way, bool overlap) const {
        const OnDevice& part = parts_[p];
        const Lane& lane = *lanes_[p];
        if (part.handle.receives().empty()) return;
        const auto& on = overlap ? lane.travel : lane.compute;
        if (overlap) lane.wait(on, lane.done);  // it has read the halo before
        for (const Exchange& r : part.handle.receives()) lane.wait(on, lane_of(r).done);
        if (way == Exchanging::fetches) {
            fetch(p, on);
        } else {
            for (const Exchange& r : part.handle.receives()) {
                const OnDevice& other = owner(r);
                lane.wait(on, lane_of(r).packed);
                for (const Exchange& s : other.handle.sends())
                    if (s.part == static_cast<int>(p))
                        lane.copy(part.halo + r.first, other.send + s.first,
                                  8 * static_cast<std::size_t>(r.count), on);
            }
        }
        lane.record(lane.there, on);
    }
    void multiply(std::size_t p) const {
        const OnDevice& part = parts_[p];
        const Lane& lane = *lanes_[p];
        local(p);
        if (!part.handle.receives().empty()) lane.wait(lane.compute, lane.there);
        halo(p);
        for (const Exchange& send : part.handle.sends())
            lane.wait(lane.compute, lane_of(send).there);
        lane.record(lane.done, lane.compute);
    }

    const Lanes& lanes_;
    std::vector<OnDevice> parts_;
    std::vector<PeerHalo> halos_;
};

/// Microseconds of one of the products that `run` enqueues so many of.
struct Measured {
    double median_us = 0, least_us = 0;
};
inline Measured measured(const Lanes& lanes, const std::function<void(int)>& run, int in_graph,
                         double budget_s) {
    const auto wait = [&] {
        for (auto& lane : lanes) lane->synchronize();
    };
    CudaDriver::Owned graph;
    const Lane& first = *lanes[0];
    if (in_graph > 0) {
        first.driver().begin_capture(first.compute.get());
        try {
            run(in_graph);
        } catch (...) {
            first.driver().drop_capture(first.compute.get());
            throw;
        }
        graph = first.driver().end_capture(first.compute.get());
    }
    const auto batch = [&](int times) {
        wait();
        const double begin = now_s();
        if (graph == nullptr) {
            run(times);
        } else {
            for (int i = 0; i < times; ++i) first.driver().launch(graph, first.compute.get());
        }
        wait();
        return (now_s() - begin) / times / std::max(in_graph, 1);
    };
    double seconds = batch(1);
    for (int i = 0; i < 3; ++i) seconds = std::min(seconds, batch(2));
    const int times =
        std::max(1, static_cast<int>(std::min(500.0, 0.02 / (seconds * std::max(in_graph, 1)))));
    std::vector<double> samples;
    for (const double begin = now_s(); samples.size() < 5 || now_s() - begin < budget_s;)
        samples.push_back(batch(times));
    const Timing timing = summarise(std::move(samples), times);
    return {1e6 * timing.median_s, 1e6 * timing.min_s};
}

}  // namespace spmvgen::bench
