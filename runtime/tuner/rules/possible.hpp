#pragma once
#include <vector>

#include "tuner/rules/choose.hpp"

/// What the tuner's rules may choose, whatever the matrix: for kernels that are made ahead.
namespace spmvgen {

/// Every signature that choose() may return for the request and a matrix with values of that type,
/// and perhaps a few that it never does; for α = 1, β = 0, in the order of their names. The
/// request's threads, units and blocks are not looked at. Throws Error(invalid_argument) as
/// choose() does, and Error(unsupported) for CSR-k and blocked CSR, whose parameters are too many.
std::vector<Signature> possible_choices(const Request& request, ValueType value);

/// The same of choose_batch().
std::vector<Signature> possible_batch_choices(const Request& request, ValueType value);

/// The pairs of modes of α and β for which a handle asks for a kernel on such a target.
struct Modes {
    Scale alpha = Scale::one, beta = Scale::zero;
    bool operator==(const Modes&) const = default;
};
std::vector<Modes> handle_modes(TargetKind kind, bool has_epilogue);

}  // namespace spmvgen
