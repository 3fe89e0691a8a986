#include <atomic>
#include <cstring>
#include <exception>
#include <thread>

#include "handle/base/handle_impl.hpp"
#include "kernel/refuse.hpp"
#include "matrix/reorder/reordering.hpp"

namespace spmvgen {
namespace {

using MakeHandle = std::function<std::unique_ptr<HandleImpl>()>;

/// Plain CSR, until another handle of the same matrix is made in a thread of its own, which then
/// takes over. Plain CSR stays as long as this: an apply may be in it, or a graph have captured it.
class BehindHandle : public HandleImpl {
  public:
    /// `plan` runs in that thread. The modes that were asked for by then are made ready there, too.
    BehindHandle(const CsrView& matrix, const Options& options, KernelProvider& provider,
                 std::unique_ptr<HandleImpl> plain, MakeHandle plan,
                 std::shared_ptr<const CsrMatrix> own);
    ~BehindHandle() override { planner_.join(); }

    void apply(ValueType type, const Operands& o, Stream stream) override;
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
    bool borrows(const CsrView&) const override { return own_ == nullptr; }

  private:
    void set_values(const NewValues& values, Stream stream) override {
        last().update_values(given_type(), values.data, stream);
    }
    void run(const MakeHandle& plan);
    HandleImpl& now() const {
        HandleImpl* const planned = serving_.load(std::memory_order_acquire);
        return planned != nullptr ? *planned : *plain_;
    }
    /// Once there will be no other.
    HandleImpl& last() const {
        done_.wait(false, std::memory_order_acquire);
        return now();
    }

    std::shared_ptr<const CsrMatrix> own_;  ///< the matrix, unless the caller's is borrowed
    std::unique_ptr<HandleImpl> plain_, planned_;
    std::atomic<HandleImpl*> serving_ = nullptr;  ///< the planned one, once it is ready
    std::atomic<bool> done_ = false;
    std::atomic<unsigned> modes_ = 0;  ///< that were asked for: bit 3·α + β
    std::thread planner_;
};

BehindHandle::BehindHandle(const CsrView& matrix, const Options& options, KernelProvider& provider,
                           std::unique_ptr<HandleImpl> plain, MakeHandle plan,
                           std::shared_ptr<const CsrMatrix> own)
    : HandleImpl(options, provider), own_(std::move(own)), plain_(std::move(plain)) {
    set_types(options, matrix.value_type);
    plain_storage_ = matrix.value_type;  // the planned one looks at new values itself
    planner_ = std::thread([this, plan = std::move(plan)] { run(plan); });
}

void BehindHandle::run(const MakeHandle& plan) {
    try {
        planned_ = plan();
        const unsigned modes = modes_.load(std::memory_order_relaxed);
        for (const Scale alpha : {Scale::zero, Scale::one, Scale::general})
            for (const Scale beta : {Scale::zero, Scale::one, Scale::general})
                if ((modes >> (3 * static_cast<int>(alpha) + static_cast<int>(beta)) & 1) != 0)
                    planned_->prepare(alpha, beta, {});
        serving_.store(planned_.get(), std::memory_order_release);
    } catch (const std::exception& error) {
        provider_.warn(std::string("plain CSR goes on, for planning failed: ") + error.what());
    }
    done_.store(true, std::memory_order_release);
    done_.notify_all();
}

void BehindHandle::apply(ValueType type, const Operands& o, Stream stream) {
    HandleImpl& handle = now();
    if (&handle == plain_.get() && type == signature_.value && o.alpha != nullptr &&
        o.beta != nullptr)
        modes_.fetch_or(1U << (3 * static_cast<int>(scale_of(type, o.alpha)) +
                               static_cast<int>(scale_of(type, o.beta))),
                        std::memory_order_relaxed);
    handle.apply(type, o, stream);
}

void check_behind(const Options& o) {
    const auto no = [](const char* what, const char* instead) {
        refuse(std::string("options.compile behind begins with plain CSR, ") + what +
               ": use now, or " + instead);
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
    o.level = "rule";
    o.format = "auto";
    o.kernel = host ? "auto" : "csr_classical";
    o.expected_applies = host ? 1 : 0;
    o.rule.clear();
    o.params.clear();
    o.reorder = "none";
    return o;
}

}  // namespace

std::unique_ptr<HandleImpl> make_behind_handle(const CsrView& matrix, const Options& options,
                                               KernelProvider& provider,
                                               std::shared_ptr<Device> device, Arrays arrays) {
    check_behind(options);
    Options later = options;
    later.compile = "now";
    later.copy = false;
    // A GPU's handle reads the caller's arrays while it is made only; this one goes on.
    const bool copies = options.copy || (device != nullptr && arrays == Arrays::callers &&
                                         options.owner == nullptr);
    const auto own = copies ? copy_of(matrix) : nullptr;
    const CsrView view = own != nullptr ? own->view() : matrix;
    const Arrays whose = own != nullptr ? Arrays::own : arrays;
    const auto make = [=, &provider](const Options& o) {
        auto impl = make_of_host_matrix(view, o, provider, device, nullptr, whose);
        if (whose == Arrays::own) impl->keep(own, view, true);
        impl->tell_given(view.value_type, view.nnz);
        return impl;
    };
    auto plain = make(plain_options(later));
    plain->tell_reason("plain CSR, while the matrix is planned for (options.compile behind)");
    return std::make_unique<BehindHandle>(
        matrix, options, provider, std::move(plain), [=] { return make(later); }, own);
}

}  // namespace spmvgen
