#include "devices/host/permute_rows.hpp"
#include "handle/base/apply_memory.hpp"
#include "handle/base/permuter.hpp"

namespace spmvgen {
namespace {

class HostPermuter : public Permuter {
  public:
    HostPermuter(const PermutedVectors& vectors, int threads)
        : vectors_(vectors),
          threads_(threads),
          bytes_(vectors.order.size() * static_cast<std::size_t>(vectors.num_rhs) *
                 size_of(vectors.type)) {}

    void apply(HandleImpl& product, const Operands& o, Scale alpha, Scale, Stream stream) override {
        // y = βy is the same in every order.
        if (alpha == Scale::zero) return product.apply(vectors_.type, o, stream);
        const auto& [type, num_rhs, order] = vectors_;
        ApplyMemory x(vectors_in_order_, o.workspace, bytes_);
        ApplyMemory y(vectors_in_order_, x.rest(), bytes_);
        gather_rows(type, order, num_rhs, o.x, x.data(), threads_);
        dispatch(type, [&](auto tag) {
            const decltype(tag) one(1), zero(0);
            product.apply(type, {&one, x.data(), &zero, y.data(), y.rest(), num_rhs}, stream);
        });
        scatter_rows(type, order, num_rhs, o.alpha, y.data(), o.beta, o.y, threads_);
    }

    void prepare(HandleImpl& product, Scale alpha, Scale beta, Stream stream) override {
        if (alpha == Scale::zero) return product.prepare(alpha, beta, stream);
        ScratchPool::Loan x(vectors_in_order_, bytes_), y(vectors_in_order_, bytes_);
        product.prepare(Scale::one, Scale::zero, stream);
    }

    std::size_t workspace_bytes(HandleImpl& product, Scale alpha, Scale beta) override {
        if (alpha == Scale::zero) return product.workspace_bytes(alpha, beta);
        return 2 * workspace_with_slack(bytes_) + product.workspace_bytes(Scale::one, Scale::zero);
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
