#include "handle/deferred/deferred_handle.hpp"

#include <exception>
#include <utility>

#include "handle/kernels/stopwatch.hpp"
#include "handle/plan/planning.hpp"
#include "tuner/chooser/break_even.hpp"

namespace spmvgen {
namespace {

/// Products that level lazy expects, of those that there have been. With fewer, matrices whose
/// products get little faster are looked at again and again before they are planned.
constexpr std::int64_t more_to_come = 2;

/// The place of two modes in a set of modes.
unsigned bit_of(Scale alpha, Scale beta) {
    return 1U << (4 * static_cast<int>(alpha) + static_cast<int>(beta));
}

/// Of a product of a GPU, which is not waited for.
double predicted_us(const HandleImpl& plain) {
    const Info& info = plain.info();
    if (info.predicted_us > 0) return info.predicted_us;
    return 1e6 * static_cast<double>(info.bytes) / assumed_gpu_rate;
}

}  // namespace

DeferredHandle::DeferredHandle(std::shared_ptr<DeferredMatrix> matrix, const Options& options,
                               KernelProvider& provider, std::shared_ptr<Device> device,
                               std::unique_ptr<HandleImpl> plain, LaterHandles later,
                               Deferral deferral)
    : HandleImpl(options, provider),
      matrix_(std::move(matrix)),
      device_(std::move(device)),
      plain_(std::move(plain)),
      later_(std::move(later)),
      deferral_(deferral),
      expected_(options.expected_applies),
      csr_(plain_.get()),
      csr_is_chosen_(!later_.chosen_csr) {
    set_types_around(options, matrix_->view.value_type);
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
    const std::int64_t applies = deferral_.lazy ? more_to_come * products_.load() : expected_;
    const auto go_on = [=, this] { csr_is_chosen_.load() ? attempt(applies) : choose_csr(); };
    if (!deferral_.thread) return go_on();
    // The last one may be done before it was noted here.
    const std::lock_guard lock(starting_);
    if (planner_.joinable()) planner_.join();
    planner_ = std::thread(go_on);
}

/// Prepares and tells a later handle what the first one was, and has it serve from then on.
void DeferredHandle::take_over(HandleImpl& next, std::atomic<HandleImpl*>& place) {
    const unsigned modes = modes_.load(std::memory_order_relaxed);
    constexpr Scale scales[] = {Scale::zero, Scale::one, Scale::general, Scale::device};
    for (const Scale alpha : scales)
        for (const Scale beta : scales)
            if ((modes & bit_of(alpha, beta)) != 0) next.prepare(alpha, beta, {});
    const std::lock_guard lock(telling_);
    for (auto& change : told_) next.tell(change);
    place.store(&next, std::memory_order_release);
}

/// Where there is no kernel at hand, or none that is wanted, what has served goes on.
void DeferredHandle::choose_csr() {
    try {
        auto chosen = later_.chosen_csr();
        if (chosen->info().kernel != plain_->info().kernel) {
            chosen->tell_reason(plain_->info().reason);
            chosen_csr_ = std::move(chosen);
            take_over(*chosen_csr_, csr_);
        }
    } catch (const std::exception& error) {
        provider_.warn(std::string("plain CSR goes on without a kernel: ") + error.what());
    }
    csr_is_chosen_.store(true);
    release();
}

/// Ends what busy_ began. Where the products that are expected do not repay a plan, plain CSR goes
/// on, until there have been twice as many.
void DeferredHandle::attempt(std::int64_t applies) {
    const bool last = !deferral_.lazy || applies == expected_;
    const Stopwatch watch;
    try {
        auto planned = later_.planned(applies);
        const bool is_plain = planned->info().kernel == plain_->info().kernel;
        if (last || !is_plain) {
            planned_ = std::move(planned);
            if (deferral_.lazy)
                planned_->tell_reason_before("level lazy, planned after " +
                                             std::to_string(products_.load()) + " products");
            take_over(*planned_, serving_);
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
    if (HandleImpl* const csr = csr_.load(); csr != plain_.get()) csr->tell(change);
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

/// Counts a product of plain CSR.
bool DeferredHandle::is_due(double us) {
    const auto ns = static_cast<std::int64_t>(1e3 * us);
    const std::int64_t products = products_.fetch_add(1, std::memory_order_relaxed) + 1;
    const std::int64_t spent = spent_ns_.fetch_add(ns, std::memory_order_relaxed) + ns;
    const auto is_due = [&](const Patience& patience) {
        return is_over(patience, 1e-6 * static_cast<double>(spent), products);
    };
    if (!csr_is_chosen_.load(std::memory_order_relaxed)) return is_due(to_choose_csr);
    return spent >= not_before_ns_.load(std::memory_order_relaxed) &&
           is_due(device_ != nullptr ? to_plan_on_gpus : to_plan_on_cpus);
}

template <typename Product>
void DeferredHandle::serve(Product product, Stream stream) {
    if (HandleImpl* const planned = serving_.load(std::memory_order_acquire))
        return product(*planned);
    HandleImpl& csr = *csr_.load(std::memory_order_acquire);
    if (!deferral_.lazy || done_.load(std::memory_order_relaxed)) return product(csr);
    if (device_ != nullptr && device_->is_capturing({stream.native})) {
        captured_.store(true, std::memory_order_relaxed);
        return product(csr);
    }
    const Stopwatch watch;
    product(csr);
    if (is_due(device_ != nullptr ? predicted_us(*plain_) : 1e3 * watch.ms())) begin();
}

void DeferredHandle::apply(ValueType type, const Operands& o, Stream stream) {
    note_mode(type, o);
    serve([&](HandleImpl& handle) { handle.apply(type, o, stream); }, stream);
}

void DeferredHandle::apply_many(ValueType type, const ManyOperands& m, Stream stream) {
    serve([&](HandleImpl& handle) { handle.apply_many(type, m, stream); }, stream);
}

void DeferredHandle::apply_out_of_place(ValueType type, const Operands& o, void* z, Stream stream) {
    note_mode(type, o);
    serve([&](HandleImpl& handle) { handle.apply_out_of_place(type, o, z, stream); }, stream);
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

}  // namespace spmvgen
