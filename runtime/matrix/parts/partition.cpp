#include "matrix/parts/partition.hpp"

#include <fmt/format.h>

#include "kernel/refuse.hpp"
#include "matrix/chunks.hpp"
#include "matrix/csr_matrix.hpp"

namespace spmvgen {
namespace {

void check_bounds(const std::vector<std::int64_t>& bounds, const char* name, std::int64_t size) {
    if (bounds.empty() || bounds.front() != 0)
        refuse(fmt::format("partition.{} does not begin with 0", name));
    for (std::size_t p = 1; p < bounds.size(); ++p)
        if (bounds[p] < bounds[p - 1])
            refuse(fmt::format("partition.{}[{}] is {}, less than {} before it", name, p, bounds[p],
                               bounds[p - 1]));
    if (size >= 0 && bounds.back() != size)
        refuse(fmt::format("partition.{} ends with {}, but the matrix has {}", name, bounds.back(),
                           size));
}

}  // namespace

void check_partition(const RowPartition& partition, std::int64_t rows, std::int64_t cols) {
    check_bounds(partition.rows, "rows", rows);
    check_bounds(partition.cols, "cols", cols);
    if (partition.rows.size() != partition.cols.size())
        refuse(fmt::format("partition.rows is of {} parts, but partition.cols of {}",
                           partition.rows.size() - 1, partition.cols.size() - 1));
}

RowPartition partition_by_entries(const CsrView& matrix, int parts) {
    if (parts < 1) refuse(fmt::format("parts is {}: use 1 or more", parts));
    if (!rows_are_right(matrix)) validate(matrix);  // says what is wrong
    const auto before = [&](std::int64_t row) { return row == 0 ? 0 : matrix.row_begin(row); };
    RowPartition partition;
    for (int p = 1; p <= parts; ++p) {
        partition.rows.push_back(first_of_share(matrix.rows, before, p, parts));
        partition.cols.push_back(matrix.rows == matrix.cols
                                     ? partition.rows.back()
                                     : matrix.cols / parts * p + matrix.cols % parts * p / parts);
    }
    return partition;
}

}  // namespace spmvgen
