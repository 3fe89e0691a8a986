#pragma once
#include <optional>

#include "tuner/chooser/order_choice.hpp"

namespace spmvgen {

/// may_choose_order() for several vectors: of a square matrix on a GPU, where kernel, format,
/// parameters and epilogue are free and a row of x has a sector of the caches or more.
bool may_choose_order_of_many(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                              const Request& request);

/// choose_order() for several vectors, of a matrix for which that may be done: rows in clusters,
/// where blocks of threads then load so many fewer rows of x that far fewer bytes come from the L2
/// cache. First a sample says so, then some clusters; only then the order is made.
std::optional<OrderChoice> choose_order_of_many(const OrderProblem& problem);

}  // namespace spmvgen
