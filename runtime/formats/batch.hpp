#pragma once
#include <span>

#include "formats/stored_matrix.hpp"
#include "matrix/features/batch_features.hpp"

namespace spmvgen {

/// The systems of a batch as the caller gave them: all of them, or one that stands for each.
class BatchSystems {
  public:
    explicit BatchSystems(std::span<const CsrView> all)
        : all_(all), count_(static_cast<std::int64_t>(all.size())) {}
    BatchSystems(const CsrView& one, std::int64_t count) : all_(&one, 1), count_(count) {}

    std::int64_t size() const { return count_; }
    const CsrView& operator[](std::int64_t i) const {
        return all_[all_.size() == 1 ? 0 : static_cast<std::size_t>(i)];
    }

  private:
    std::span<const CsrView> all_;
    std::int64_t count_;
};

/// Fields of a row of the table `systems`, as templates/dialect/batches/batch.hpp has them.
inline constexpr std::int64_t batch_fields = 8;

/// Converts a batch to the format of the signature's kernel: arrays `systems`, `col_idx`, `values`,
/// of CSR `row_ptr`, of COO `row_idx`, of a CPU's kernels `work_ptr`; scalars num_systems,
/// num_rows, num_cols, nnz. What systems have in common is stored once. For a GPU, flexible systems
/// stand in the table by falling size, so that the last blocks to start are short ones. Parallel.
/// Throws Error(invalid_argument) and TooLarge as convert() does; a value that does not fit names
/// its system.
StoredMatrix store_batch(const BatchSystems& systems, const BatchFeatures& features,
                         const Signature& signature, std::int64_t memory_limit = 0);

/// The systems' sizes together, with their types: what stands for the batch where one matrix would.
CsrView batch_totals(const BatchFeatures& features);

/// The largest number that an offset of the stored batch has, for any of the formats.
std::int64_t largest_offset(const BatchFeatures& features);

/// A system of a batch that is stored as CSR: a view of its arrays, and where it begins in y and x.
struct StoredSystem {
    CsrView matrix;
    std::int64_t first_row = 0, first_col = 0;
};
StoredSystem stored_system(const StoredMatrix& stored, const Signature& signature,
                           std::int64_t number);

}  // namespace spmvgen
