#include <optional>
#include <utility>

#include "formats/stored_matrix.hpp"
#include "handle/base/handle_impl.hpp"
#include "handle/conversion/conversion_on_device.hpp"
#include "handle/conversion/csr_on_device.hpp"
#include "handle/conversion/gpu_matrix.hpp"
#include "handle/gpu/gpu_bound_kernel.hpp"
#include "handle/plan/trial_parts.hpp"
#include "registry.hpp"
#include "tuner/chooser/break_even.hpp"

namespace spmvgen {
namespace {

class GpuTrials : public Trials {
  public:
    GpuTrials(const CsrView& matrix, CsrOnDevice& csr, std::int64_t max_row, int num_rhs,
              std::shared_ptr<Device> device, const TrialTerms& terms, KernelProvider& provider,
              const KernelPolicy& policy)
        : Trials(matrix, num_rhs, terms, provider, policy),
          device_(std::move(device)),
          csr_(csr),
          max_row_(max_row),
          may_compile_(provider.may_compile(policy)) {}

    std::optional<double> storing_on_device_ms(const Signature& s) const override {
        if (kernel_entry(s.kernel).format != Format::csr && !converts(s)) return std::nullopt;
        return csr_.is_on_device() ? 0 : 1e3 * csr_.bytes() / assumed_cpu_rate;
    }
    std::vector<Signature> converters_of(const Signature& s) const override {
        return converts(s) ? conversions_to(s, matrix_) : std::vector<Signature>();
    }

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
        const ConversionKernels converter = converter_to(s);
        kernel_ms_ = watch.ms();
        bring(s, converter);
        const GpuMatrix& on_device =
            stored_.get(s, stored_as_, last_conversion_, [&] { return store(s, converter); });
        return std::make_unique<GpuRun>(
            provided.kernel, *device_, on_device, x_->data(),
            static_cast<std::size_t>(matrix_.rows * num_rhs_) * size_of(s.value));
    }
    std::vector<KernelMakers::Piece> pieces_of(const Signature& s) const override {
        std::vector<KernelMakers::Piece> pieces;
        std::vector<Signature> kernels = converters_of(s);
        kernels.insert(kernels.begin(), s);
        for (auto& kernel : kernels)
            pieces.push_back([&provider = provider_, policy = policy_, device = device_, kernel] {
                provider.get(kernel, policy, device);
            });
        return pieces;
    }
    bool are_made_beside_trials() const override { return true; }

    /// Whether the device makes what the kernel reads, with kernels that are there or can be made.
    bool converts(const Signature& s) const {
        return !has_csr_arrays(s) && num_rhs_ == 1 && csr_.pays() && terms_.memory_limit == 0 &&
               why_not_on_device({matrix_, matrix_, max_row_}, s).empty() &&
               (may_compile_ || conversion_distance(provider_, policy_, device_, s, matrix_) !=
                                    KernelProvider::Distance::compiler);
    }
    /// Without a converter the host has to convert.
    ConversionKernels converter_to(const Signature& s) {
        if (!converts(s)) return {};
        try {
            return load_converters(provider_, policy_, device_, s, matrix_);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::compile) throw;
            return {};
        }
    }

    /// Copies the matrix to the device where that is read there. No conversion takes that again.
    void bring(const Signature& s, const ConversionKernels& converter) {
        const bool is_read = has_csr_arrays(s) ? may_copy() : converter.converter != nullptr;
        if (is_read) csr_.view();
    }
    /// With a limit there is no copy beside what the kernel reads.
    bool may_copy() const {
        return csr_.is_on_device() || (terms_.memory_limit == 0 && csr_.has_room());
    }

    GpuMatrix store(const Signature& s, const ConversionKernels& converter) {
        if (converter.converter != nullptr) {
            const auto conversion =
                begin_conversion(*device_, converter, {csr_.view(), matrix_, max_row_}, s);
            if (conversion->fault().empty()) return conversion->store(s, terms_.memory_limit);
        }
        const StoredMatrix stored = convert(matrix_, s, true, terms_.memory_limit);
        if (!reads_arrays(stored, matrix_) || !may_copy()) return upload(*device_, stored, matrix_);
        return upload(*device_, stored, matrix_, {.on_device = &csr_.view(), .borrow = true});
    }

    std::shared_ptr<Device> device_;
    CsrOnDevice& csr_;
    const std::int64_t max_row_;
    const bool may_compile_;
    std::unique_ptr<DeviceMemory> x_;
    Kept<GpuMatrix> stored_;
};

}  // namespace

std::unique_ptr<Trials> gpu_trials(const CsrView& matrix, CsrOnDevice& csr, std::int64_t max_row,
                                   int num_rhs, std::shared_ptr<Device> device,
                                   const TrialTerms& terms, KernelProvider& provider,
                                   const KernelPolicy& policy) {
    return std::make_unique<GpuTrials>(matrix, csr, max_row, num_rhs, std::move(device), terms,
                                       provider, policy);
}

}  // namespace spmvgen
