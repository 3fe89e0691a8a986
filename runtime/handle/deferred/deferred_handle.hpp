#pragma once
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "devices/device.hpp"
#include "handle/base/handle_impl.hpp"

namespace spmvgen {

/// How the handles are made that take over from the first one, all of the same matrix.
struct LaterHandles {
    /// Planned for so many more products; 0 = many.
    std::function<std::unique_ptr<HandleImpl>(std::int64_t applies)> planned;
    /// Of CSR as it is, too, with a kernel that is at hand, or precompiled code where none is;
    /// empty = there is none in between.
    std::function<std::unique_ptr<HandleImpl>()> chosen_csr = {};
};

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

/// Plain CSR, until another handle of the same matrix is made, which then takes over. On a CPU one
/// comes in between, of CSR with a kernel that is chosen. Each stays as long as this: an apply may
/// be in it, or a graph have captured it.
class DeferredHandle : public HandleImpl {
  public:
    /// `later` may be called by any thread, by one at a time; it reads `matrix`.
    DeferredHandle(std::shared_ptr<DeferredMatrix> matrix, const Options& options,
                   KernelProvider& provider, std::shared_ptr<Device> device,
                   std::unique_ptr<HandleImpl> plain, LaterHandles later, Deferral deferral);
    ~DeferredHandle() override {
        if (planner_.joinable()) planner_.join();
    }

    void apply(ValueType type, const Operands& o, Stream stream) override;
    void apply_many(ValueType type, const ManyOperands& m, Stream stream) override;
    void apply_out_of_place(ValueType type, const Operands& o, void* z, Stream stream) override;
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
    void choose_csr();  ///< ends what busy_ began
    void take_over(HandleImpl& next, std::atomic<HandleImpl*>& place);
    HandleImpl& now() const {
        HandleImpl* const planned = serving_.load(std::memory_order_acquire);
        return planned != nullptr ? *planned : *csr_.load(std::memory_order_acquire);
    }
    HandleImpl& last();

    std::shared_ptr<DeferredMatrix> matrix_;
    std::shared_ptr<Device> device_;  ///< that multiplies; null = this host
    std::unique_ptr<HandleImpl> plain_, chosen_csr_, planned_;
    LaterHandles later_;
    Deferral deferral_;
    std::int64_t expected_;                        ///< options.expected_applies
    std::atomic<HandleImpl*> csr_;                 ///< plain_, or chosen_csr_ once it is ready
    std::atomic<HandleImpl*> serving_ = nullptr;   ///< the planned one, once it is ready
    std::atomic<bool> csr_is_chosen_;              ///< it was tried, or there is none in between
    std::atomic<bool> busy_ = false;               ///< whether some thread plans
    std::atomic<bool> done_ = false;               ///< there will be no other handle
    std::atomic<unsigned> modes_ = 0;              ///< that were asked for: bit 3·α + β
    std::atomic<std::int64_t> products_ = 0;       ///< of plain CSR
    std::atomic<std::int64_t> spent_ns_ = 0;       ///< what they took
    std::atomic<std::int64_t> not_before_ns_ = 0;  ///< of these, the next attempt
    std::atomic<bool> captured_ = false;           ///< whether a graph may have plain CSR
    std::mutex telling_;                           ///< guards told_ and what is told to later ones
    std::vector<std::function<void(Info&)>> told_;
    std::mutex starting_;  ///< guards planner_
    std::thread planner_;
};

}  // namespace spmvgen
