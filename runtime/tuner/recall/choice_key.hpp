#pragma once
#include <array>
#include <compare>
#include <cstdint>

#include "matrix/features/features.hpp"
#include "tuner/cost/figures/sampled_rows.hpp"
#include "tuner/request.hpp"

namespace spmvgen {

/// Stands for all that a choice by a sample depends on. Two matrices of the same key are taken for
/// equal; where they are not, that may cost time and never makes a product wrong.
struct ChoiceKey {
    std::array<std::uint64_t, 2> bits{};
    auto operator<=>(const ChoiceKey&) const = default;
};

/// Of a matrix with these features and this sample, what its values allow (Request::exact) among
/// what is asked of it. `situation` stands for Request::profile and all else that choices are made
/// by (tuner/recall/situation.hpp).
ChoiceKey choice_key(const CsrView& matrix, const RowFeatures& features, const SampledRows& sample,
                     const Request& request, std::uint64_t situation);

}  // namespace spmvgen
