#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "handle/base/handle_impl.hpp"
#include "handle/plan/planning.hpp"
#include "kernel/refuse.hpp"
#include "matrix/reorder/reordering.hpp"
#include "tuner/chooser/break_even.hpp"

namespace spmvgen {
namespace {

/// A handle of the same matrix that is planned for so many more products; 0 = many.
using MakePlanned = std::function<std::unique_ptr<HandleImpl>(std::int64_t applies)>;

/// The matrix of a deferred handle: the caller's arrays, or a copy, with the numbers that
/// update_values brought last.
struct DeferredMatrix {
    CsrView view;
    std::shared_ptr<const void> owner = {};  ///< null when the arrays are the caller's to keep
    std::shared_ptr<Device> device = {};     ///< that has the arrays; null = this host
    bool own = false;                        ///< whether new numbers go into the arrays

    void take_values(const void* values) {
        const auto bytes = static_cast<std::size_t>(view.nnz) * size_of(view.value_type);
        void* const to = const_cast<void*>(view.values);
        if (!own)
            view.values = values;
        else if (device != nullptr)
            device->copy_on_device(to, values, bytes);
        else if (to != values)
            std::memcpy(to, values, bytes);
    }
};

/// How a handle of plain CSR comes to be planned.
struct Deferral {
    bool lazy = false;    ///< once products took as long as planning is predicted to, else at once
    bool thread = false;  ///< in a thread of its own, else in the apply that finds it due
};

/// The place of two modes in a set of modes.
unsigned bit_of(Scale alpha, Scale beta) {
    return 1U << (4 * static_cast<int>(alpha) + static_cast<int>(beta));
}

/// Plain CSR, until another handle of the same matrix is made, which then takes over. Plain CSR
/// stays as long as this: an apply may be in it, or a graph have captured it.
class DeferredHandle : public HandleImpl {
  public:
    /// `plan` may be called by any thread, by one at a time; it reads `matrix`.
    DeferredHandle(std::shared_ptr<DeferredMatrix> matrix, const Options& options,
                   KernelProvider& provider, std::shared_ptr<Device> device,
                   std::unique_ptr<HandleImpl> plain, MakePlanned plan, Deferral deferral);
    ~DeferredHandle() override {
        if (planner_.joinable()) planner_.join();
    }

    void apply(ValueType type, const Operands& o, Stream stream) override {
        note_mode(type, o);
        serve([&](HandleImpl& handle) { handle.apply(type, o, stream); }, stream);
    }
    void apply_many(ValueType type, const ManyOperands& m, Stream stream) override {
        serve([&](HandleImpl& handle) { handle.apply_many(type, m, stream); }, stream);
    }
    void apply_out_of_place(ValueType type, const Operands& o, void* z, Stream stream) override {
        note_mode(type, o);
        serve([&](HandleImpl& handle) { handle.apply_out_of_place(type, o, z, stream); }, stream);
    }
    /// What is made ready must not change any more.
    void prepare(Scale alpha, Scale beta, Stream stream) override {
        last().prepare(alpha, beta, stream);
    }
    std::size_t workspace_bytes(Scale alpha, Scale beta) override {
        return last().workspace_bytes(alpha, beta);
    }
    std::string source() const override { return now().source(); }
    std::span<const std::int32_t> row_order() const override { return now().row_order(); }
    const Info& info() const override { return now().info(); }
    bool borrows(const CsrView&) const override { return matrix_->owner == nullptr; }
    void tell(const std::function<void(Info&)>& change) override;
    bool has_kernel(ValueType type, const Operands& o) override { return now().offers(type, o); }
    VectorPacker& packer() override { return plain_->packer(); }

  private:
    void set_values(const NewValues& values, Stream stream) override;
    void note_mode(ValueType type, const Operands& operands);
    /// Calls `product` with the handle that serves, and counts it where that is plain CSR.
    template <typename Product>
    void serve(Product product, Stream stream);
    bool is_due(double us);
    void begin();
    void release();  ///< ends what busy_ began
    void attempt(std::int64_t applies);
    HandleImpl& now() const {
        HandleImpl* const planned = serving_.load(std::memory_order_acquire);
        return planned != nullptr ? *planned : *plain_;
    }
    HandleImpl& last();

    std::shared_ptr<DeferredMatrix> matrix_;
    std::shared_ptr<Device> device_;  ///< that multiplies; null = this host
    std::unique_ptr<HandleImpl> plain_, planned_;
    MakePlanned plan_;
    Deferral deferral_;
    std::int64_t expected_;                        ///< options.expected_applies
    std::atomic<HandleImpl*> serving_ = nullptr;   ///< the planned one, once it is ready
    std::atomic<bool> busy_ = false;               ///< whether some thread plans
    std::atomic<bool> done_ = false;               ///< there will be no other handle
    std::atomic<unsigned> modes_ = 0;              ///< that were asked for: bit 3·α + β
    std::atomic<std::int64_t> products_ = 0;       ///< of plain CSR
    std::atomic<std::int64_t> spent_ns_ = 0;       ///< what they took
    std::atomic<std::int64_t> not_before_ns_ = 0;  ///< of these, the next attempt
    std::atomic<bool> captured_ = false;           ///< whether a graph may have plain CSR
    std::mutex telling_;                           ///< guards told_ and what is told to planned_
    std::vector<std::function<void(Info&)>> told_;
    std::mutex starting_;  ///< guards planner_
    std::thread planner_;
};

DeferredHandle::DeferredHandle(std::shared_ptr<DeferredMatrix> matrix, const Options& options,
                               KernelProvider& provider, std::shared_ptr<Device> device,
                               std::unique_ptr<HandleImpl> plain, MakePlanned plan,
                               Deferral deferral)
    : HandleImpl(options, provider),
      matrix_(std::move(matrix)),
      device_(std::move(device)),
      plain_(std::move(plain)),
      plan_(std::move(plan)),
      deferral_(deferral),
      expected_(options.expected_applies) {
    set_types(options, matrix_->view.value_type);
    plain_storage_ = matrix_->view.value_type;  // the others look at new values themselves
    if (!deferral_.lazy) begin();
}

void DeferredHandle::release() {
    busy_.store(false);
    busy_.notify_all();
}

/// A product that found planning due may come here when another one's plan serves already.
void DeferredHandle::begin() {
    if (busy_.exchange(true)) return;
    if (done_.load()) return release();
    const std::int64_t applies = deferral_.lazy ? products_.load() : expected_;
    if (!deferral_.thread) return attempt(applies);
    // The last one may be done before it was noted here.
    const std::lock_guard lock(starting_);
    if (planner_.joinable()) planner_.join();
    planner_ = std::thread([=, this] { attempt(applies); });
}

/// Ends what busy_ began. As many products are expected as there have been; where these do not
/// repay a plan, plain CSR goes on, until there have been twice as many.
void DeferredHandle::attempt(std::int64_t applies) {
    const bool last = !deferral_.lazy || applies == expected_;
    const Stopwatch watch;
    try {
        auto planned = plan_(applies);
        const bool is_plain = planned->info().kernel == plain_->info().kernel;
        if (last || !is_plain) {
            planned_ = std::move(planned);
            const unsigned modes = modes_.load(std::memory_order_relaxed);
            constexpr Scale scales[] = {Scale::zero, Scale::one, Scale::general, Scale::device};
            for (const Scale alpha : scales)
                for (const Scale beta : scales)
                    if ((modes & bit_of(alpha, beta)) != 0) planned_->prepare(alpha, beta, {});
            if (deferral_.lazy)
                planned_->tell_reason_before("level lazy, planned after " +
                                             std::to_string(products_.load()) + " products");
            const std::lock_guard lock(telling_);
            for (auto& change : told_) planned_->tell(change);
            serving_.store(planned_.get(), std::memory_order_release);
            done_.store(true);
        } else {
            const auto took = static_cast<std::int64_t>(1e6 * watch.ms());
            not_before_ns_.store(2 * std::max(spent_ns_.load(), took));
        }
    } catch (const std::exception& error) {
        provider_.warn(std::string("plain CSR goes on, for planning failed: ") + error.what());
        done_.store(true);
    }
    release();
}

void DeferredHandle::tell(const std::function<void(Info&)>& change) {
    const std::lock_guard lock(telling_);
    told_.push_back(change);
    plain_->tell(change);
    if (HandleImpl* const planned = serving_.load()) planned->tell(change);
}

HandleImpl& DeferredHandle::last() {
    while (!done_.load()) {
        if (busy_.exchange(true))
            busy_.wait(true);
        else if (done_.load())
            release();
        else
            attempt(expected_);
    }
    return now();
}

void DeferredHandle::note_mode(ValueType type, const Operands& o) {
    if (serving_.load(std::memory_order_relaxed) != nullptr) return;
    if (type == signature_.value && o.alpha != nullptr && o.beta != nullptr)
        modes_.fetch_or(bit_of(scale_of(type, o.alpha, o.device_scalars),
                               scale_of(type, o.beta, o.device_scalars)),
                        std::memory_order_relaxed);
}

/// Of a product of a GPU, which is not waited for.
double predicted_us(const HandleImpl& plain) {
    const Info& info = plain.info();
    if (info.predicted_us > 0) return info.predicted_us;
    return 1e6 * static_cast<double>(info.bytes) / assumed_gpu_rate;
}

/// Counts a product of plain CSR.
bool DeferredHandle::is_due(double us) {
    const auto ns = static_cast<std::int64_t>(1e3 * us);
    const std::int64_t products = products_.fetch_add(1, std::memory_order_relaxed) + 1;
    const std::int64_t spent = spent_ns_.fetch_add(ns, std::memory_order_relaxed) + ns;
    return spent >= not_before_ns_.load(std::memory_order_relaxed) &&
           planning_is_due(1e-3 * static_cast<double>(spent), products, device_ != nullptr);
}

template <typename Product>
void DeferredHandle::serve(Product product, Stream stream) {
    if (HandleImpl* const planned = serving_.load(std::memory_order_acquire))
        return product(*planned);
    if (!deferral_.lazy || done_.load(std::memory_order_relaxed)) return product(*plain_);
    if (device_ != nullptr && device_->is_capturing({stream.native})) {
        captured_.store(true, std::memory_order_relaxed);
        return product(*plain_);
    }
    const Stopwatch watch;
    product(*plain_);
    if (is_due(device_ != nullptr ? predicted_us(*plain_) : 1e3 * watch.ms())) begin();
}

/// As long as nothing is planned, a plan is made of the new numbers later.
void DeferredHandle::set_values(const NewValues& given, Stream stream) {
    NewValues values = given;
    Buffer here;
    // Entries in order that a device has are a matrix of this host.
    if (given.on_device && matrix_->device == nullptr) {
        here = Buffer(static_cast<std::size_t>(now().info().nnz) * size_of(given_type()));
        device_->synchronize({stream.native});
        device_->copy_to_host(here.data(), given.data, here.bytes());
        values = {here.data(), false};
    }
    if (!deferral_.lazy) return last().update_values(given_type(), values.data, stream);
    busy_.wait(true);
    const bool planned = serving_.load() != nullptr;
    now().update_values(given_type(), values.data, stream);
    if (planned && captured_.load()) plain_->update_values(given_type(), values.data, stream);
    if (planned) return;
    if (device_ != nullptr && matrix_->device != nullptr) device_->synchronize({stream.native});
    matrix_->take_values(values.data);
}

void check_deferred(const Options& o) {
    const bool lazy = o.level == "lazy";
    const std::string begin = lazy ? "options.level lazy begins with plain CSR, "
                                   : "options.compile behind begins with plain CSR, ";
    const std::string at_once = lazy ? ": use rule, or " : ": use now, or ";
    const auto no = [&](const char* what, const char* instead) {
        refuse(begin + what + at_once + instead);
    };
    if (o.deterministic)
        no("whose bits are not those of the kernel that takes over", "leave deterministic false");
    if (names_order(o.reorder)) no("which has no order of its own", "leave reorder auto");
    if (o.memory_limit != 0) no("which stays beside what is planned", "leave memory_limit 0");
    if (!o.epilogue.empty()) no("which has no epilogue", "leave epilogue empty");
}

std::shared_ptr<const CsrMatrix> copy_of(const CsrView& a) {
    const auto copy = [](const void* from, std::int64_t count, std::size_t element) {
        Buffer to(static_cast<std::size_t>(count) * element);
        if (to.bytes() > 0) std::memcpy(to.data(), from, to.bytes());
        return to;
    };
    return std::make_shared<const CsrMatrix>(
        CsrMatrix{a.rows, a.cols, a.nnz, a.offset_type, a.index_type, a.value_type,
                  copy(a.row_ptr, a.rows > 0 ? a.rows + 1 : 0, size_of(a.offset_type)),
                  copy(a.col_idx, a.nnz, size_of(a.index_type)),
                  copy(a.values, a.nnz, size_of(a.value_type))});
}

/// Of a handle that multiplies at once.
Options plain_options(Options o) {
    const bool host = o.device == "host";
    o.format = "auto";
    o.kernel = host ? "auto" : "csr_classical";
    o.expected_applies = host ? 1 : 0;
    o.rule.clear();
    o.params.clear();
    o.reorder = "none";
    return o;
}

/// Of the handles that a deferred one is made of: each as it is now, of arrays that stay.
Options at_once(Options o) {
    if (o.level == "lazy") o.level = "rule";
    o.compile = "now";
    o.copy = false;
    o.owner = nullptr;
    return o;
}

using MakeHandle = std::function<std::unique_ptr<HandleImpl>(const CsrView&, const Options&)>;

std::unique_ptr<HandleImpl> make_deferred(const DeferredMatrix& matrix, const Options& options,
                                          KernelProvider& provider, std::shared_ptr<Device> device,
                                          const MakeHandle& make) {
    const Deferral deferral{options.level == "lazy", options.compile == "behind"};
    const Options later = at_once(options);
    const auto shared = std::make_shared<DeferredMatrix>(matrix);
    auto plain = make(matrix.view, plain_options(later));
    plain->tell_reason(deferral.lazy ? "plain CSR, until products have taken as long as planning "
                                       "is predicted to take (level lazy)"
                                     : "plain CSR, while the matrix is planned for "
                                       "(options.compile behind)");
    const auto plan = [=](std::int64_t applies) {
        Options o = later;
        if (deferral.lazy) o.expected_applies = applies;
        return make(shared->view, o);
    };
    return std::make_unique<DeferredHandle>(shared, options, provider, std::move(device),
                                            std::move(plain), plan, deferral);
}

/// The three arrays of a matrix on a device, copied.
struct CopyOnDevice {
    std::unique_ptr<DeviceMemory> row_ptr, col_idx, values;
    CsrView view;

    CopyOnDevice(Device& device, const CsrView& a) : view(a) {
        const auto copy = [&](const void* from, std::int64_t count, std::size_t element) {
            const std::size_t bytes = static_cast<std::size_t>(count) * element;
            auto to = device.allocate(bytes);
            if (bytes > 0) device.copy_on_device(to->data(), from, bytes);
            return to;
        };
        row_ptr = copy(a.row_ptr, a.rows > 0 ? a.rows + 1 : 0, size_of(a.offset_type));
        col_idx = copy(a.col_idx, a.nnz, size_of(a.index_type));
        values = copy(a.values, a.nnz, size_of(a.value_type));
        view.row_ptr = row_ptr->data();
        view.col_idx = col_idx->data();
        view.values = values->data();
    }
};

}  // namespace

bool is_deferred(const Options& o) {
    return o.compile == "behind" || (o.level == "lazy" && !o.deterministic);
}

std::unique_ptr<HandleImpl> make_deferred_handle(const CsrView& matrix, const Options& options,
                                                 KernelProvider& provider,
                                                 std::shared_ptr<Device> device, Arrays arrays) {
    check_deferred(options);
    DeferredMatrix kept{.view = matrix, .own = arrays == Arrays::own};
    // A GPU's handle reads the caller's arrays while it is made only; this one goes on.
    if (options.copy ||
        (device != nullptr && arrays == Arrays::callers && options.owner == nullptr)) {
        const auto copy = copy_of(matrix);
        kept = {.view = copy->view(), .owner = copy, .own = true};
    }
    const Arrays whose = kept.own ? Arrays::own : arrays;
    const auto make = [=, owner = kept.owner, &provider](const CsrView& view, const Options& o) {
        auto impl = make_of_host_matrix(view, o, provider, device, nullptr, whose);
        if (whose == Arrays::own) impl->keep(owner, view, true);
        impl->tell_given(view.value_type, view.nnz);
        return impl;
    };
    return make_deferred(kept, options, provider, device, make);
}

std::unique_ptr<HandleImpl> make_deferred_from_device(const CsrView& matrix, const Options& options,
                                                      KernelProvider& provider,
                                                      const std::shared_ptr<Device>& device) {
    check_deferred(options);
    DeferredMatrix kept{.view = matrix, .device = device};
    if (options.copy) {
        const auto copy = std::make_shared<const CopyOnDevice>(*device, matrix);
        kept = {.view = copy->view, .owner = copy, .device = device, .own = true};
    }
    const auto make = [=, &provider](const CsrView& view, const Options& o) {
        return make_from_device(view, o, provider, device);
    };
    auto impl = make_deferred(kept, options, provider, device, make);
    impl->keep(options.owner, matrix, false);
    impl->tell_given(matrix.value_type, matrix.nnz, device);
    return impl;
}

}  // namespace spmvgen
