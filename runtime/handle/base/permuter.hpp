#pragma once
#include <memory>
#include <span>

#include "handle/base/handle_impl.hpp"

namespace spmvgen {

/// Applies a matrix whose rows or columns are others than those of the caller's vectors: x is
/// gathered, multiplied by `product`, and the sums are scattered into y with α, β and the epilogue.
/// Safe for any number of threads, each with its own y.
class Permuter {
  public:
    virtual ~Permuter() = default;
    /// The operands' pointers have been checked; `alpha` and `beta` are their modes.
    virtual void apply(HandleImpl& product, const Operands& operands, Scale alpha, Scale beta,
                       Stream stream) = 0;
    virtual void prepare(HandleImpl& product, Scale alpha, Scale beta, Stream stream) = 0;
    /// Of a workspace for an apply, the product's included.
    virtual std::size_t workspace_bytes(HandleImpl& product, Scale alpha, Scale beta) = 0;
    /// Of a GPU: what an apply launches beside the product, and what that uses.
    virtual int launches() const { return 0; }
    virtual std::map<std::string, KernelFacts> facts() const { return {}; }
};

/// What a permuter is for: n×k vectors of a type.
struct PermutedVectors {
    ValueType type = ValueType::f64;
    int num_rhs = 1;
    /// Which element of the caller's vector is element i of the product's, each at most once; must
    /// outlive the permuter.
    std::span<const std::int32_t> order;
    bool gathers = true;   ///< x is in another order
    bool scatters = true;  ///< y is; elements that the order does not name are not touched

    std::size_t bytes() const {
        return order.size() * static_cast<std::size_t>(num_rhs) * size_of(type);
    }
};

std::unique_ptr<Permuter> make_host_permuter(const PermutedVectors& vectors, int threads);

/// Its kernels come from `provider`; throws as that does.
std::unique_ptr<Permuter> make_gpu_permuter(const PermutedVectors& vectors,
                                            const std::string& epilogue, KernelProvider& provider,
                                            const KernelPolicy& policy,
                                            std::shared_ptr<Device> device);

}  // namespace spmvgen
