// Halos that kernels of another device write while both run: products of another x each time,
// enqueued without a wait between, by one thread, by a thread for each part and as graphs.
#include <functional>
#include <future>

#include "gpu_products.hpp"
#include "peers/cuda_driver.hpp"
#include "spmvgen/distributed.hpp"

namespace spmvgen::gpu_tests {
namespace {

/// A part on its device, which multiplies x number 0, 1, … and keeps each product.
class PartOnDevice {
  public:
    PartOnDevice(const Part& part, int device, const std::vector<std::vector<double>>& xs)
        : number(device),
          driver(device),
          device_(open_device("cuda:" + std::to_string(device))),
          rows_(static_cast<std::size_t>(part.rows())),
          cols_(static_cast<std::size_t>(part.cols())),
          handle(part, options_on(device)),
          xs_(device_->allocate(8 * cols_ * xs.size())),
          ys_(device_->allocate(8 * rows_ * xs.size())),
          x_(device_->allocate(8 * cols_)),
          y_(device_->allocate(8 * rows_)) {
        for (std::size_t i = 0; i < xs.size(); ++i)
            device_->copy_to_device(at(*xs_, i * cols_), xs[i].data() + part.first_col, 8 * cols_);
        handle.prepare(Scale::one, Scale::zero, {compute.get()});
    }
    static Options options_on(int device) {
        Options options = options_for("auto");
        options.device = "cuda:" + std::to_string(device);
        return options;
    }

    /// Product i, in two halves. x changes when the exchange before has ended, and nothing else is
    /// waited for.
    void begin(std::size_t i, const PeerHalo& halo) const {
        driver.copy(x_->data(), at(*xs_, i * cols_), 8 * cols_, compute.get());
        driver.record(there_, compute.get());
        driver.wait(travel.get(), there_);
        halo.exchange(x(), {travel.get()});
        driver.record(arrived_, travel.get());
    }
    void finish(std::size_t i, const PeerHalo& halo) const {
        handle.multiply_local(1.0, x(), 0.0, y(), {compute.get()});
        driver.wait(compute.get(), arrived_);
        handle.multiply_halo(1.0, halo.data<double>(), y(), {compute.get()});
        driver.copy(at(*ys_, i * rows_), y_->data(), 8 * rows_, compute.get());
    }
    /// Launches, and the copies of x and y.
    std::size_t nodes() const {
        return static_cast<std::size_t>(
            3 + handle.local().info().launches +
            (handle.halo() != nullptr ? handle.halo()->info().launches : 0));
    }
    /// NaN in all products.
    void spoil() const {
        driver.fill(ys_->data(), 0xff, ys_->bytes(), compute.get());
        driver.synchronize(compute.get());
    }
    void copy_product(std::size_t i, double* to) const {
        device_->copy_to_host(to, at(*ys_, i * rows_), 8 * rows_);
    }
    std::size_t rows() const { return rows_; }

    const int number;
    const CudaDriver driver;  ///< before the streams, which are made where it has made current
    const CudaDriver::Owned compute = driver.make_stream(), travel = driver.make_stream(true);
    const CudaDriver::Owned end = driver.make_event();

  private:
    static double* at(const DeviceMemory& memory, std::size_t i) {
        return static_cast<double*>(memory.data()) + i;
    }
    const double* x() const { return at(*x_, 0); }
    double* y() const { return at(*y_, 0); }

    const CudaDriver::Owned there_ = driver.make_event(), arrived_ = driver.make_event();
    const std::shared_ptr<Device> device_;
    const std::size_t rows_, cols_;

  public:
    const PartHandle handle;

  private:
    const std::unique_ptr<DeviceMemory> xs_, ys_, x_, y_;
};

/// The parts of one matrix: each on a device of its own, or all on the first one.
class GpuPeers : public OnDevice, public testing::WithParamInterface<int> {
  protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (IsSkipped()) return;
        if (!is_cuda()) GTEST_SKIP() << device_text() << " runs one kernel at a time";
        if (GetParam() == 1) return;
        try {
            if (!enable_peer_access("cuda:0", "cuda:1") || !enable_peer_access("cuda:1", "cuda:0"))
                GTEST_SKIP() << "cuda:0 and cuda:1 cannot reach each other's memory";
        } catch (const Error& error) {
            GTEST_SKIP() << "there are no two devices: " << error.what();
        }
    }
    void make(const char* matrix, std::size_t rounds) {
        halos_.clear();
        parts_.clear();
        matrix_ = convert_values(make_gallery_matrix(matrix).view(), ValueType::f64);
        xs_.assign(rounds, std::vector<double>(static_cast<std::size_t>(matrix_.cols)));
        for (std::size_t i = 0; i < rounds; ++i)
            fill_random(ValueType::f64, xs_[i].data(), matrix_.cols, i + 1);
        const auto cut = make_parts(matrix_.view(), partition_by_entries(matrix_.view(), 2));
        const int first = std::stoi(device_text().substr(5));
        for (const Part& part : cut) {
            const int device = GetParam() == 1 ? first : part.number;
            parts_.push_back(std::make_unique<PartOnDevice>(part, device, xs_));
            halos_.emplace_back(part, PartOnDevice::options_on(device));
        }
        connect(halos_);
    }
    /// All products of some parts. What waits for an exchange is enqueued behind those of all of
    /// them: of one device, streams may share a queue.
    void enqueue(std::size_t first, std::size_t last) const {
        for (std::size_t i = 0; i < xs_.size(); ++i) {
            for (std::size_t p = first; p < last; ++p) parts_[p]->begin(i, halos_[p]);
            for (std::size_t p = first; p < last; ++p) parts_[p]->finish(i, halos_[p]);
        }
    }
    void enqueue_all() const { enqueue(0, parts_.size()); }
    /// Of parts that do not wait for each other's thread.
    void of_each_part(const std::function<void(std::size_t)>& work) const {
        std::vector<std::future<void>> all;
        for (std::size_t p = 0; p < parts_.size(); ++p)
            all.push_back(std::async(std::launch::async, [&, p] {
                const CudaDriver current(parts_[p]->number);
                work(p);
            }));
        for (auto& one : all) one.get();
    }
    static bool has_two_devices() { return GetParam() == 2; }
    void spoil() const {
        for (auto& part : parts_) part->spoil();
    }
    void check() const {
        std::vector<double> y(static_cast<std::size_t>(matrix_.rows));
        const double one = 1, zero = 0;
        for (auto& part : parts_) part->driver.synchronize(part->compute.get());
        for (std::size_t i = 0; i < xs_.size(); ++i) {
            std::size_t row = 0;
            for (auto& part : parts_) {
                part->copy_product(i, y.data() + row);
                row += part->rows();
            }
            ASSERT_EQ(
                check_product(matrix_.view(), {&one, xs_[i].data(), &zero, nullptr, y.data(), 1})
                    .message,
                "")
                << "product " << i;
        }
    }
    /// The same with graphs, of each part or of all, launched several times.
    void check_graphs_of_each(int launches) const {
        std::vector<CudaDriver::Owned> graphs(parts_.size());
        of_each_part([&](std::size_t p) {
            const PartOnDevice& part = *parts_[p];
            std::size_t nodes = 0;
            part.driver.begin_capture(part.compute.get());
            enqueue(p, p + 1);
            graphs[p] = part.driver.end_capture(part.compute.get(), &nodes);
            EXPECT_EQ(nodes, part.nodes() * xs_.size());
        });
        for (int i = 0; i < launches; ++i) {
            spoil();
            of_each_part([&](std::size_t p) {
                parts_[p]->driver.launch(graphs[p], parts_[p]->compute.get());
            });
            check();
        }
    }
    void check_graph_of_all(int launches) const {
        const PartOnDevice& first = *parts_[0];
        first.driver.begin_capture(first.compute.get());
        first.driver.record(first.end, first.compute.get());
        for (std::size_t p = 1; p < parts_.size(); ++p)
            first.driver.wait(parts_[p]->compute.get(), first.end);
        enqueue_all();
        for (std::size_t p = 1; p < parts_.size(); ++p) {
            first.driver.record(parts_[p]->end, parts_[p]->compute.get());
            first.driver.wait(first.compute.get(), parts_[p]->end);
        }
        const auto graph = first.driver.end_capture(first.compute.get());
        for (int i = 0; i < launches; ++i) {
            spoil();
            first.driver.launch(graph, first.compute.get());
            check();
        }
    }

    CsrMatrix matrix_;
    std::vector<std::vector<double>> xs_;
    std::vector<std::unique_ptr<PartOnDevice>> parts_;
    std::vector<PeerHalo> halos_;  ///< go first
};

constexpr const char* many_columns = "powerlaw:n=20000,max_row=5000";
constexpr const char* few_columns = "stencil27:nx=24,ny=24,nz=24";

TEST_P(GpuPeers, TwoHundredProducts) {
    make(many_columns, 200);
    for (int i = 0; i < 3; ++i) {
        spoil();
        enqueue_all();
        check();
    }
}

TEST_P(GpuPeers, SmallHalosOverAndOver) {
    make(few_columns, 200);
    for (int i = 0; i < 5; ++i) {
        spoil();
        enqueue_all();
        check();
    }
}

TEST_P(GpuPeers, TwoHundredProductsByAThreadEach) {
    if (!has_two_devices()) GTEST_SKIP() << "parts of one device are enqueued in one order";
    for (const char* matrix : {many_columns, few_columns}) {
        make(matrix, 200);
        for (int i = 0; i < 3; ++i) {
            spoil();
            of_each_part([&](std::size_t p) { enqueue(p, p + 1); });
            check();
        }
    }
}

TEST_P(GpuPeers, TwoHundredProductsInGraphs) {
    if (!has_two_devices())
        GTEST_SKIP() << "branches of a graph need not run at once on one device";
    for (const char* matrix : {many_columns, few_columns}) {
        make(matrix, 200);
        check_graphs_of_each(3);
        check_graph_of_all(3);
    }
}

/// What compute-sanitizer, which is slow, runs.
TEST_P(GpuPeers, Quick) {
    make("fem:nx=9,ny=8", 5);
    enqueue_all();
    check();
}

INSTANTIATE_TEST_SUITE_P(Devices, GpuPeers, testing::Values(1, 2), [](const auto& info) {
    return info.param == 1 ? "OneDevice" : "TwoDevices";
});

}  // namespace
}  // namespace spmvgen::gpu_tests
