#include <algorithm>

#include "formats/format_storage.hpp"
#include "formats/layout.hpp"
#include "formats/padded_rows.hpp"

namespace spmvgen {
namespace {

/// Shortest and longest row of each block of rows, which the CPU's kernel reads.
void add_block_widths(const CsrView& matrix, const Signature& signature, std::int64_t height,
                      StoredMatrix& stored) {
    const std::int64_t blocks = round_up(matrix.rows, height) / height;
    dispatch(signature.offset, [&]<typename Offset>(Offset) {
        Offset* full = add_array<Offset>(stored, "block_full", blocks);
        Offset* widest = add_array<Offset>(stored, "block_width", blocks);
#pragma omp parallel for schedule(static)
        for (std::int64_t block = 0; block < blocks; ++block) {
            const Widths w = widths_of(matrix, height, [&](std::int64_t l) {
                return block * height + l < matrix.rows ? block * height + l : -1;
            });
            full[block] = static_cast<Offset>(w.full);
            widest[block] = static_cast<Offset>(w.width);
        }
    });
    stored.bytes += 2 * blocks * static_cast<std::int64_t>(size_of(signature.offset));
}

/// Entries that are read when each block of rows ends with its own longest row.
std::int64_t entries_read(const CsrView& matrix, std::int64_t height, std::int64_t limit,
                          std::int64_t chunk) {
    const std::int64_t blocks = round_up(matrix.rows, height) / height;
    std::int64_t read = 0;
#pragma omp parallel for schedule(static) reduction(+ : read)
    for (std::int64_t block = 0; block < blocks; ++block) {
        const Widths w = widths_of(matrix, height, [&](std::int64_t l) {
            return block * height + l < matrix.rows ? block * height + l : -1;
        });
        read += round_up(std::min(w.width, limit), chunk) * height;
    }
    return read;
}

StoredMatrix store_ell(const CsrView& matrix, const Signature& signature, const Storing& how) {
    const bool gpu = is_gpu(signature);
    EllShape shape = gpu_ell_shape(signature, longest_row(matrix));
    if (!gpu) shape.height = param(signature, "lanes") * param(signature, "unroll");
    StoredMatrix stored = new_stored(Format::ell, matrix, how.memory_limit);
    if (gpu) {
        stored.scalars["num_parts"] = ell_parts(matrix, signature);
    } else {
        add_block_widths(matrix, signature, shape.height, stored);
    }
    add_ell(matrix, signature, shape, stored);
    return stored;
}

}  // namespace

std::int64_t longest_row(const CsrView& matrix) {
    std::int64_t longest = 0;
#pragma omp parallel for schedule(static) reduction(max : longest)
    for (std::int64_t row = 0; row < matrix.rows; ++row)
        longest = std::max(longest, matrix.row_length(row));
    return longest;
}

void add_ell(const CsrView& matrix, const Signature& signature, const EllShape& shape,
             StoredMatrix& stored) {
    const std::int64_t stride = round_up(matrix.rows, shape.height);
    const Strip strip{0, stride, round_up(shape.width, shape.chunk), shape.chunk};
    check_padding(matrix, stored, static_cast<double>(strip.width) * static_cast<double>(stride));
    const std::int64_t entries = stride * strip.width;
    dispatch_values(matrix.value_type, signature, [&]<typename From, typename To>(From, To) {
        dispatch(signature.index, [&]<typename Index>(Index) {
            Index* col_idx = add_array<Index>(stored, "col_idx", entries);
            To* values = add_array<To>(stored, "values", entries);
#pragma omp parallel for schedule(static)
            for (std::int64_t row = 0; row < stride; ++row)
                fill_row<From>(matrix, row < matrix.rows ? row : -1, strip, row, col_idx, values);
        });
    });
    describe_ell(matrix, signature, shape, stored);
}

void describe_ell(const CsrView& matrix, const Signature& signature, const EllShape& shape,
                  StoredMatrix& stored) {
    const std::int64_t stride = round_up(matrix.rows, shape.height);
    const std::int64_t width = round_up(shape.width, shape.chunk);
    stored.scalars["width"] = width;
    stored.scalars["stride"] = stride;
    stored.stored += stride * width;
    stored.bytes +=
        entries_read(matrix, shape.height, shape.width, shape.chunk) * entry_bytes(signature);
}

EllShape gpu_ell_shape(const Signature& signature, std::int64_t longest) {
    return {gpu_alignment, longest, param(signature, "group", 1)};
}

std::int64_t ell_parts(const CsrView& matrix, const Signature& signature) {
    const std::int64_t rows_per_block =
        param(signature, "block", 1) / param(signature, "groups", 1);
    return round_up(matrix.rows, rows_per_block) / rows_per_block *
           param(signature, "blocks_per_row", 1);
}

extern constexpr FormatStorage ell_storage{
    .format = Format::ell,
    .store = store_ell,
    .places = [](const Signature&) { return ValuePlaces::by_row; },
    .update_products = {.cpu = 2.2, .gpu = 9},
    .most_stored =
        [](const RowFeatures& f) {
            return static_cast<double>(f.nnz) * std::max(f.ell_padding, 1.0) +
                   64.0 * static_cast<double>(f.max_row);
        },
    .padding = [](const RowFeatures& f, const Signature&) { return std::max(f.ell_padding, 1.0); },
    .rows_suffice = rows_suffice_to_kernels};

}  // namespace spmvgen
