#include "handle/trials.hpp"

#include <algorithm>
#include <new>

#include "devices/host/bound_kernel.hpp"
#include "formats/stored_matrix.hpp"
#include "handle/gpu_bound_kernel.hpp"
#include "handle/gpu_matrix.hpp"
#include "handle/stopwatch.hpp"
#include "measure/random_vector.hpp"
#include "measure/timing.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

Buffer elements(std::int64_t count, ValueType type) {
    return make_buffer<char>(count * static_cast<std::int64_t>(size_of(type)));
}

/// α = 1 and β = 0 of a type, where an apply can point to them.
class Ones {
  public:
    explicit Ones(ValueType type) {
        dispatch(type, [&](auto tag) {
            new (one_) decltype(tag)(1);
            new (zero_) decltype(tag)(0);
        });
    }
    const void* one() const { return one_; }
    const void* zero() const { return zero_; }

  private:
    alignas(16) std::byte one_[16]{}, zero_[16]{};
};

template <typename Kernel>
const Provided<Kernel>& needed(const Provided<Kernel>& provided) {
    if (provided.kernel == nullptr) throw Error(ErrorCode::compile, provided.warning);
    return provided;
}

class HostTrials : public Trials {
  public:
    HostTrials(const CsrView& matrix, int num_rhs, int threads, bool borrow,
               std::int64_t memory_limit, KernelProvider& provider, const KernelPolicy& policy)
        : Trials(matrix, num_rhs, memory_limit, provider, policy),
          threads_(threads),
          borrow_(borrow) {}

  private:
    class HostRun : public Run {
      public:
        HostRun(std::shared_ptr<const LoadedKernel> kernel, StoredMatrix stored, const void* x,
                Buffer y, int threads)
            : stored_(std::move(stored)),
              kernel_(std::move(kernel), stored_),
              y_(std::move(y)),
              ones_(kernel_.kernel().signature().value),
              operands_{ones_.one(), x, ones_.zero(), y_.data()},
              threads_(threads),
              workspace_(kernel_.workspace_bytes(threads)) {}
        void apply() override {
            kernel_.run(operands_, threads_, static_cast<std::byte*>(workspace_.data()));
        }
        void finish() override {}
        void fetch(void* y) const override {
            std::copy_n(static_cast<const std::byte*>(y_.data()), y_.bytes(),
                        static_cast<std::byte*>(y));
        }

      private:
        StoredMatrix stored_;
        BoundKernel kernel_;
        Buffer y_;
        Ones ones_;
        Operands operands_;
        int threads_;
        Buffer workspace_;
    };

    std::unique_ptr<Run> prepare(const Signature& s, const Buffer& x) override {
        const ProvidedKernel provided = provider_.get_or_nothing(s, policy_);
        return std::make_unique<HostRun>(needed(provided).kernel,
                                         convert(matrix_, s, borrow_, memory_limit_), x.data(),
                                         elements(matrix_.rows * num_rhs_, s.value), threads_);
    }

    int threads_;
    bool borrow_;
};

class GpuTrials : public Trials {
  public:
    GpuTrials(const CsrView& matrix, int num_rhs, std::shared_ptr<Device> device,
              std::int64_t memory_limit, KernelProvider& provider, const KernelPolicy& policy)
        : Trials(matrix, num_rhs, memory_limit, provider, policy), device_(std::move(device)) {}

  private:
    class GpuRun : public Run {
      public:
        GpuRun(std::shared_ptr<const GpuKernel> kernel, Device& device, GpuMatrix matrix, void* x,
               std::size_t y_bytes)
            : device_(device),
              matrix_(std::move(matrix)),
              kernel_(std::move(kernel), matrix_.stored),
              workspaces_(device),
              y_(device.allocate(y_bytes)),
              ones_(kernel_.kernel().loaded->signature().value),
              operands_{ones_.one(), x, ones_.zero(), y_->data()} {}
        void apply() override { kernel_.enqueue(operands_, workspaces_, {}); }
        void finish() override { device_.synchronize({}); }
        void fetch(void* y) const override { device_.copy_to_host(y, y_->data(), y_->bytes()); }

      private:
        Device& device_;
        GpuMatrix matrix_;
        GpuBoundKernel kernel_;
        StreamWorkspaces workspaces_;
        std::unique_ptr<DeviceMemory> y_;
        Ones ones_;
        Operands operands_;
    };

    std::unique_ptr<Run> prepare(const Signature& s, const Buffer& x) override {
        if (x_ == nullptr) {
            x_ = device_->allocate(x.bytes());
            device_->copy_to_device(x_->data(), x.data(), x.bytes());
        }
        const ProvidedGpuKernel provided = provider_.get(s, policy_, device_);
        GpuMatrix on_device = upload(*device_, convert(matrix_, s, true, memory_limit_), matrix_);
        return std::make_unique<GpuRun>(
            provided.kernel, *device_, std::move(on_device), x_->data(),
            static_cast<std::size_t>(matrix_.rows * num_rhs_) * size_of(s.value));
    }

    std::shared_ptr<Device> device_;
    std::unique_ptr<DeviceMemory> x_;
};

}  // namespace

Trial Trials::time(const Signature& signature, double seconds) {
    try {
        if (x_.bytes() == 0) {
            x_ = elements(matrix_.cols * num_rhs_, signature.value);
            fill_random(signature.value, x_.data(), matrix_.cols * num_rhs_, 1);
        }
        const std::unique_ptr<Run> run = prepare(signature, x_);
        return timed(*run, signature, seconds);
    } catch (const std::bad_alloc&) {
        return {.trouble = "there is not enough memory", .defect = false};
    } catch (const Error& error) {
        return {.trouble = error.what(), .defect = is_defect(error)};
    }
}

bool Trials::is_defect(const Error& error) const {
    // A matrix need not suit every kernel, and a cache that is only loaded from need not have it.
    return error.code() != ErrorCode::invalid_argument &&
           !(error.code() == ErrorCode::compile && policy_.mode == CacheMode::load);
}

Trial Trials::timed(Run& run, const Signature& signature, double seconds) {
    const auto once_ms = [&] {
        const Stopwatch watch;
        run.apply();
        run.finish();
        return watch.ms();
    };
    const bool slow = once_ms() > 1e3 * seconds;
    if (std::string wrong = difference(run, signature); !wrong.empty())
        return {.trouble = std::move(wrong)};
    if (slow) return {.us = 1e3 * once_ms()};
    const TimingPlan plan{.warm_up_s = seconds / 4,
                          .sample_s = std::min(1e-3, seconds / 5),
                          .budget_s = seconds,
                          .min_samples = 3};
    const Timing timing = time_apply([&] { run.apply(); }, plan, [&] { run.finish(); });
    return {.us = 1e6 * timing.median_s};
}

std::string Trials::difference(const Run& run, const Signature& signature) {
    Buffer y = elements(matrix_.rows * num_rhs_, signature.value);
    run.fetch(y.data());
    if (!agreement_) {
        agreement_.emplace(matrix_, x_.data(), signature.value, num_rhs_);
        expected_ = std::move(y);
        return "";
    }
    return agreement_->difference(expected_.data(), y.data());
}

std::unique_ptr<Trials> host_trials(const CsrView& matrix, int num_rhs, int threads, bool borrow,
                                    std::int64_t memory_limit, KernelProvider& provider,
                                    const KernelPolicy& policy) {
    return std::make_unique<HostTrials>(matrix, num_rhs, threads, borrow, memory_limit, provider,
                                        policy);
}

std::unique_ptr<Trials> gpu_trials(const CsrView& matrix, int num_rhs,
                                   std::shared_ptr<Device> device, std::int64_t memory_limit,
                                   KernelProvider& provider, const KernelPolicy& policy) {
    return std::make_unique<GpuTrials>(matrix, num_rhs, std::move(device), memory_limit, provider,
                                       policy);
}

}  // namespace spmvgen
