#include <algorithm>
#include <cstddef>
#include <utility>

#include "devices/host/host_kernel.hpp"
#include "formats/stored_matrix.hpp"
#include "handle/plan/trial_parts.hpp"

namespace spmvgen {
namespace {

class HostTrials : public Trials {
  public:
    HostTrials(const CsrView& matrix, int num_rhs, int threads, bool borrow,
               const TrialTerms& terms, KernelProvider& provider, const KernelPolicy& policy)
        : Trials(matrix, num_rhs, terms, provider, policy), threads_(threads), borrow_(borrow) {}

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
            return convert(matrix_, s, borrow_, terms_.memory_limit);
        });
        return std::make_unique<HostRun>(kernel, stored, x.data(),
                                         elements(matrix_.rows * num_rhs_, s.value), threads_);
    }
    std::vector<KernelMakers::Piece> pieces_of(const Signature& s) const override {
        return {
            [&provider = provider_, policy = policy_, s] { provider.get_or_nothing(s, policy); }};
    }

    int threads_;
    bool borrow_;
    Kept<StoredMatrix> stored_;
};

}  // namespace

std::unique_ptr<Trials> host_trials(const CsrView& matrix, int num_rhs, int threads, bool borrow,
                                    const TrialTerms& terms, KernelProvider& provider,
                                    const KernelPolicy& policy) {
    return std::make_unique<HostTrials>(matrix, num_rhs, threads, borrow, terms, provider, policy);
}

}  // namespace spmvgen
