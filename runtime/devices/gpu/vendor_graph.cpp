#include "devices/gpu/vendor_graph.hpp"

#include <optional>
#include <utility>

namespace spmvgen {
namespace {

class VendorGraph final : public DeviceGraph {
  public:
    VendorGraph(std::shared_ptr<const OpenDevice> device,
                const std::function<void(StreamRef)>& enqueue)
        : device_(std::move(device)), calls_(*device_->vendor->graph_calls()) {
        stream_.emplace(*device_);
        capture(enqueue);
    }
    ~VendorGraph() override {
        try {
            const InContext in(*device_);
            calls_.destroy_executable(executable_);
            stream_.reset();
        } catch (const Error&) {  // the driver has gone, and the graph with it
        }
    }

    void launch() override {
        const InContext in(*device_);
        check(calls_.launch(executable_, stream_->handle()), calls_.launch);
    }
    void synchronize() override {
        const InContext in(*device_);
        const auto& synchronize = device_->vendor->calls().synchronize;
        check(synchronize(stream_->handle()), synchronize);
    }

  private:
    template <typename Call>
    void check(int status, const Call& call) const {
        device_->vendor->check(status, call, device_->facts.text);
    }

    void capture(const std::function<void(StreamRef)>& enqueue) {
        check(calls_.begin_capture(stream_->handle(), capture_mode_thread_local),
              calls_.begin_capture);
        void* graph = nullptr;
        try {
            enqueue({stream_->handle()});
        } catch (...) {
            calls_.end_capture(stream_->handle(), &graph);
            if (graph != nullptr) calls_.destroy_graph(graph);
            throw;
        }
        check(calls_.end_capture(stream_->handle(), &graph), calls_.end_capture);
        const int status = calls_.instantiate(&executable_, graph, 0);
        calls_.destroy_graph(graph);
        check(status, calls_.instantiate);
    }

    const std::shared_ptr<const OpenDevice> device_;
    const GraphCalls& calls_;
    std::optional<OwnStream> stream_;
    void* executable_ = nullptr;
};

}  // namespace

std::unique_ptr<DeviceGraph> record_graph(std::shared_ptr<const OpenDevice> device,
                                          const std::function<void(StreamRef)>& enqueue) {
    if (!device->vendor->graph_calls()) return nullptr;
    const InContext in(*device);
    return std::make_unique<VendorGraph>(std::move(device), enqueue);
}

}  // namespace spmvgen
