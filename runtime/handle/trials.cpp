#include "handle/trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include "devices/host/bound_kernel.hpp"
#include "formats/storage_key.hpp"
#include "formats/stored_matrix.hpp"
#include "handle/gpu_bound_kernel.hpp"
#include "handle/gpu_matrix.hpp"
#include "handle/handle_impl.hpp"
#include "handle/stopwatch.hpp"
#include "matrix/vectors_fit.hpp"
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

/// Products that take less are timed in a graph: a launch takes a host 2 to 5 µs.
constexpr double most_launched_s = 20e-6;
constexpr int graph_applies = 50;

template <typename Kernel>
const Provided<Kernel>& needed(const Provided<Kernel>& provided) {
    if (provided.kernel == nullptr) throw Error(ErrorCode::compile, provided.warning);
    return provided;
}

/// The matrix as it was stored last, for as long as kernels read the same.
template <typename Matrix>
class Kept {
  public:
    /// Tells what it stored anew in `conversion`, and in `key` as what.
    template <typename Make>
    const Matrix& get(const Signature& signature, std::string& key,
                      std::optional<Trials::Conversion>& conversion, Make make) {
        std::string wanted = storage_key(signature);
        if (!matrix_ || key != wanted) {
            matrix_.reset();  // before another one is made, which may need its memory
            key.clear();
            const Stopwatch watch;
            matrix_.emplace(make());
            conversion = {wanted, watch.ms()};
            key = std::move(wanted);
        }
        return *matrix_;
    }

  private:
    std::optional<Matrix> matrix_;
};

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
        HostRun(std::shared_ptr<const LoadedKernel> kernel, const StoredMatrix& stored,
                const void* x, Buffer y, int threads)
            : kernel_(std::move(kernel), stored),
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
        BoundKernel kernel_;
        Buffer y_;
        Ones ones_;
        Operands operands_;
        int threads_;
        Buffer workspace_;
    };

    std::unique_ptr<Run> prepare(const Signature& s, const Buffer& x) override {
        const Stopwatch watch;
        const ProvidedKernel provided = provider_.get_or_nothing(s, policy_);
        kernel_ms_ = watch.ms();
        const auto kernel = needed(provided).kernel;
        const StoredMatrix& stored = stored_.get(s, stored_as_, last_conversion_, [&] {
            return convert(matrix_, s, borrow_, memory_limit_);
        });
        return std::make_unique<HostRun>(kernel, stored, x.data(),
                                         elements(matrix_.rows * num_rhs_, s.value), threads_);
    }
    void make_kernel(const Signature& s) override { provider_.get_or_nothing(s, policy_); }
    bool compiled_nothing() const override { return !provider_.mean_compile_ms(nullptr); }

    int threads_;
    bool borrow_;
    Kept<StoredMatrix> stored_;
};

/// The caller's arrays in a device's memory.
class CsrOnDevice {
  public:
    CsrOnDevice(Device& device, const CsrView& matrix) : view_(matrix) {
        const auto copy = [&](const void*& array, std::int64_t count, std::size_t element) {
            const auto bytes = static_cast<std::size_t>(count) * element;
            memory_.push_back(device.allocate(bytes));
            device.copy_to_device(memory_.back()->data(), array, bytes);
            array = memory_.back()->data();
        };
        copy(view_.row_ptr, matrix.rows + 1, size_of(matrix.offset_type));
        copy(view_.col_idx, matrix.nnz, size_of(matrix.index_type));
        copy(view_.values, matrix.nnz, size_of(matrix.value_type));
    }
    const CsrView& view() const { return view_; }

  private:
    CsrView view_;
    std::vector<std::unique_ptr<DeviceMemory>> memory_;
};

class GpuTrials : public Trials {
  public:
    GpuTrials(const CsrView& matrix, int num_rhs, std::shared_ptr<Device> device,
              std::int64_t memory_limit, KernelProvider& provider, const KernelPolicy& policy)
        : Trials(matrix, num_rhs, memory_limit, provider, policy), device_(std::move(device)) {}

  private:
    class GpuRun : public Run {
      public:
        GpuRun(std::shared_ptr<const GpuKernel> kernel, Device& device, const GpuMatrix& matrix,
               void* x, std::size_t y_bytes)
            : device_(device),
              kernel_(std::move(kernel), matrix.stored),
              workspaces_(device),
              y_(device.allocate(y_bytes)),
              ones_(kernel_.kernel().loaded->signature().value),
              operands_{ones_.one(), x, ones_.zero(), y_->data()} {}
        void apply() override { kernel_.enqueue(operands_, workspaces_, {}); }
        void finish() override { device_.synchronize({}); }
        void fetch(void* y) const override { device_.copy_to_host(y, y_->data(), y_->bytes()); }
        bool has_graphs() const override { return device_.facts().loads != BinaryKind::simt; }
        std::unique_ptr<DeviceGraph> record(int applies) override {
            return device_.record([&](StreamRef stream) {
                for (int i = 0; i < applies; ++i) kernel_.enqueue(operands_, workspaces_, stream);
            });
        }

      private:
        Device& device_;
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
        const Stopwatch watch;
        const ProvidedGpuKernel provided = provider_.get(s, policy_, device_);
        kernel_ms_ = watch.ms();
        const GpuMatrix& on_device = stored_.get(s, stored_as_, last_conversion_, [&] {
            return upload(*device_, convert(matrix_, s, true, memory_limit_), matrix_);
        });
        return std::make_unique<GpuRun>(
            provided.kernel, *device_, on_device, x_->data(),
            static_cast<std::size_t>(matrix_.rows * num_rhs_) * size_of(s.value));
    }
    void make_kernel(const Signature& s) override { provider_.get(s, policy_, device_); }
    bool compiled_nothing() const override { return !provider_.mean_compile_ms(device_); }

    /// What kernels read of the matrix as it is, is copied to the device once for all of them.
    GpuMatrix stored_for(const Signature& s) {
        const StoredMatrix stored = convert(matrix_, s, true, memory_limit_);
        if (!reads_arrays(stored, matrix_)) return upload(*device_, stored, matrix_);
        if (!csr_) csr_.emplace(*device_, matrix_);
        return upload(*device_, stored, matrix_, {.on_device = &csr_->view(), .borrow = true});
    }

    std::shared_ptr<Device> device_;
    std::unique_ptr<DeviceMemory> x_;
    std::optional<CsrOnDevice> csr_;
    Kept<GpuMatrix> stored_;
};

}  // namespace

Trial Trials::time(const Signature& signature, double seconds) {
    kernel_ms_ = 0;
    last_conversion_.reset();
    Trial trial = tried(signature, seconds);
    trial.kernel_ms = kernel_ms_;
    return trial;
}

Trial Trials::tried(const Signature& signature, double seconds) {
    try {
        if (x_.bytes() == 0) {
            check_vectors_fit(signature.value, static_cast<double>(matrix_.cols) * num_rhs_,
                              static_cast<double>(matrix_.rows) * num_rhs_);
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

std::unique_ptr<DeviceGraph> Trials::recorded(Run& run) {
    constexpr int applies = 10;
    run.finish();
    const Stopwatch watch;
    for (int i = 0; i < applies; ++i) run.apply();
    run.finish();
    if (1e-3 * watch.ms() > applies * most_launched_s) return nullptr;
    try {
        return run.record(graph_applies);
    } catch (const Error& error) {  // drivers before CUDA 12.3 do not capture what overlaps
        provider_.warn(
            fmt::format("kernels are timed one after another, not in graphs: {}", error.what()),
            "graphs");
        return nullptr;
    }
}

Trial Trials::timed(Run& run, const Signature& signature, double seconds) {
    const auto once_ms = [&] {
        const Stopwatch watch;
        run.apply();
        run.finish();
        return watch.ms();
    };
    double first_ms = once_ms();
    if (std::string wrong = difference(run, signature); !wrong.empty())
        return {.trouble = std::move(wrong)};
    // The first apply may have met caches, or a machine, that were busy with something else.
    if (first_ms > 1e3 * seconds) first_ms = std::min(first_ms, once_ms());
    if (first_ms > 1e3 * seconds) {
        const double us = 1e3 * std::min(first_ms, once_ms());
        return {us, us, us};
    }
    const TimingPlan plan{.warm_up_s = seconds / 4,
                          .sample_s = std::min(1e-3, seconds / 5),
                          .budget_s = seconds,
                          .min_samples = 3};
    const auto told = [](const Timing& t, double applies) -> Trial {
        const double us = 1e6 / applies;
        return {us * t.median_s, us * t.low_s, us * t.high_s};
    };
    const bool may_be_short = run.has_graphs() && first_ms < 1e3 * 10 * most_launched_s;
    if (const auto graph = may_be_short ? recorded(run) : nullptr)
        return told(time_apply([&] { graph->launch(); }, plan, [&] { graph->synchronize(); }),
                    graph_applies);
    return told(time_apply([&] { run.apply(); }, plan, [&] { run.finish(); }), 1);
}

int Trials::makers() {
    return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
}

void Trials::make_ready(std::span<const Choice> choices, const Fits& fits) {
    const auto make = [&](const Choice& choice) {
        try {
            if (fits(choice)) make_kernel(choice.signature);
        } catch (const std::exception&) {  // it is told when the kernel is timed
        }
    };
    std::atomic<std::size_t> next = 0;
    while (next < choices.size() && compiled_nothing()) make(choices[next++]);
    const auto work = [&] {
        for (std::size_t i = next++; i < choices.size(); i = next++) make(choices[i]);
    };
    const auto most = static_cast<std::size_t>(makers());
    std::vector<std::jthread> team;
    for (std::size_t i = 1; i < std::min(most, choices.size()); ++i) team.emplace_back(work);
    work();
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
