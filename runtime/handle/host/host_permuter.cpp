#include "devices/host/permute_rows.hpp"
#include "handle/base/apply_memory.hpp"
#include "handle/base/permuter.hpp"

namespace spmvgen {
namespace {

class HostPermuter : public Permuter {
  public:
    HostPermuter(const PermutedVectors& vectors, int threads)
        : vectors_(vectors), threads_(threads), bytes_(vectors.bytes()) {}

    void apply(HandleImpl& product, const Operands& o, Scale alpha, Scale, Stream stream) override {
        const auto& [type, num_rhs, order, gathers, scatters] = vectors_;
        if (alpha == Scale::zero) {
            // In every order the same, where that has all elements.
            if (gathers || !scatters) return product.apply(type, o, stream);
            return scale_rows(type, order, num_rhs, o.beta, o.y, threads_);
        }
        ApplyMemory x(vectors_in_order_, o.workspace, gathers ? bytes_ : 0);
        ApplyMemory y(vectors_in_order_, x.rest(), scatters ? bytes_ : 0);
        if (gathers) gather_rows(type, order, num_rhs, o.x, x.data(), threads_);
        Operands inner = o;
        if (gathers) inner.x = x.data();
        inner.workspace = y.rest();
        inner.num_rhs = num_rhs;
        if (!scatters) return product.apply(type, inner, stream);
        inner.y = y.data();
        dispatch(type, [&](auto tag) {
            const decltype(tag) one(1), zero(0);
            inner.alpha = &one;
            inner.beta = &zero;
            product.apply(type, inner, stream);
        });
        scatter_rows(type, order, num_rhs, o.alpha, y.data(), o.beta, o.y, threads_);
    }

    void prepare(HandleImpl& product, Scale alpha, Scale beta, Stream stream) override {
        if (alpha == Scale::zero) {
            if (vectors_.gathers || !vectors_.scatters) product.prepare(alpha, beta, stream);
            return;
        }
        ScratchPool::Loan x(vectors_in_order_, vectors_.gathers ? bytes_ : 0);
        ScratchPool::Loan y(vectors_in_order_, vectors_.scatters ? bytes_ : 0);
        if (vectors_.scatters) return product.prepare(Scale::one, Scale::zero, stream);
        product.prepare(alpha, beta, stream);
    }

    std::size_t workspace_bytes(HandleImpl& product, Scale alpha, Scale beta) override {
        const auto& [type, num_rhs, order, gathers, scatters] = vectors_;
        if (alpha == Scale::zero)
            return gathers || !scatters ? product.workspace_bytes(alpha, beta) : 0;
        const std::size_t vectors = static_cast<std::size_t>(gathers + scatters);
        return vectors * workspace_with_slack(bytes_) +
               (scatters ? product.workspace_bytes(Scale::one, Scale::zero)
                         : product.workspace_bytes(alpha, beta));
    }

  private:
    const PermutedVectors vectors_;
    const int threads_;
    const std::size_t bytes_;  ///< of one vector
    ScratchPool vectors_in_order_;
};

}  // namespace

std::unique_ptr<Permuter> make_host_permuter(const PermutedVectors& vectors, int threads) {
    return std::make_unique<HostPermuter>(vectors, threads);
}

}  // namespace spmvgen
