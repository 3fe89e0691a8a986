#pragma once
#include <functional>
#include <optional>
#include <string>

#include "matrix/reorder/reordering.hpp"
#include "tuner/chooser/chooser.hpp"

namespace spmvgen {

/// An order of the rows that pays, and what is predicted of it.
struct OrderChoice {
    Reordering order;
    double us = 0;               ///< of an apply
    double plain_us = 0;         ///< of one of the kernel that is chosen for the rows as they come
    std::string reason;          ///< one line for people
    std::int64_t bandwidth = 0;  ///< of the matrix, whose columns stay where they are
};

/// Microseconds that it takes to put the rows into clusters and to copy them in their order.
double ordering_us(const CsrView& matrix, int threads);

/// Whether another order of the rows may be chosen at all: for a product of a large square real
/// matrix with one vector on a GPU whose times are predicted (Request::profile), where kernel,
/// format and parameters are free and many applies are expected; for several vectors as
/// may_choose_order_of_many() says.
bool may_choose_order(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                      const Request& request);

/// A matrix whose order is in question, and what its kernel is chosen by.
struct OrderProblem {
    const CsrView& matrix;
    const RowFeatures& features;
    const Request& request;
    std::int64_t expected_applies = 0;    ///< 0 = many
    int threads = 0;                      ///< 0 = what OpenMP would use
    Chooser& chooser;                     ///< of the matrix
    std::function<const Choice&()> rule;  ///< its choice for the rows as they come, by the sample
    EntrySource* source = nullptr;        ///< as the chooser's
    reordering::ClusteringElsewhere elsewhere = {};
};

/// Rows in clusters (ReorderMethod::rows), where blocks of threads ask for the same elements of x
/// again and again, and fewer times with rows that are neighbours: where the product is predicted
/// to save `order_margin` of its time, first by some clusters, then by the order itself; by
/// clusters only sectors of x are counted where the order is made elsewhere. Nothing where that
/// does not pay, or not within the expected applies. What is looked at first is a sample, and most
/// matrices go no further; of the others all columns come from the source. Throws
/// Error(invalid_argument) for a broken one that seems to profit.
std::optional<OrderChoice> choose_order(const OrderProblem& problem);

}  // namespace spmvgen
