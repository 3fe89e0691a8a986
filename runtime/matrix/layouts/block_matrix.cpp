#include "matrix/layouts/block_matrix.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "matrix/chunks.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t block_rows_a_part = 256;  ///< that a thread expands at a time

[[noreturn]] void broken_blocks(const std::string& what) {
    throw Error(ErrorCode::invalid_argument, "broken BSR matrix: " + what);
}

/// Writes the rows of one row of blocks, whose entries begin at `place`.
template <typename Col, typename Offset>
void expand_row(const BsrView& a, const CsrView& blocks, std::int64_t block_row, Offset* row_ptr,
                Col* col_idx, Offset* from) {
    const std::int64_t begin = blocks.row_begin(block_row), end = blocks.row_begin(block_row + 1);
    const std::int64_t numbers = a.height * a.width;
    std::int64_t place = begin * numbers;
    for (std::int64_t r = 0; r < a.height; ++r) {
        row_ptr[block_row * a.height + r] = static_cast<Offset>(place);
        for (std::int64_t b = begin; b < end; ++b)
            for (std::int64_t c = 0; c < a.width; ++c, ++place) {
                col_idx[place] = static_cast<Col>(blocks.col(b) * a.width + c);
                from[place] = static_cast<Offset>(
                    b * numbers + (a.by_columns ? c * a.height + r : r * a.width + c));
            }
    }
}

}  // namespace

CsrView blocks_of(const BsrView& a) {
    return {a.rows / a.height, a.cols / a.width, a.blocks,  a.offset_type, a.index_type,
            a.value_type,      a.row_ptr,        a.col_idx, a.values};
}

void validate_shape(const BsrView& a) {
    if (a.rows < 0 || a.cols < 0 || a.blocks < 0)
        broken_blocks(fmt::format("negative size ({} rows, {} columns, {} blocks)", a.rows, a.cols,
                                  a.blocks));
    if (a.height < 1 || a.width < 1)
        broken_blocks(fmt::format("blocks of {} x {}: use 1 x 1 or more", a.height, a.width));
    if (a.rows % a.height != 0)
        broken_blocks(fmt::format("{} rows are no multiple of the blocks' {}", a.rows, a.height));
    if (a.cols % a.width != 0)
        broken_blocks(fmt::format("{} columns are no multiple of the blocks' {}", a.cols, a.width));
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 16;  // of entries
    if (a.height > most / a.width || a.blocks > most / (a.height * a.width))
        broken_blocks(
            fmt::format("{} blocks of {} x {} are too many numbers", a.blocks, a.height, a.width));
}

void validate(const BsrView& a, int threads) {
    validate_shape(a);
    try {
        validate(blocks_of(a), threads);
    } catch (const Error& error) {
        throw Error(error.code(), std::string("broken BSR matrix, its blocks taken for entries: ") +
                                      error.what());
    }
}

ExpandedBlocks expand_blocks(const BsrView& a, int threads) {
    const CsrView blocks = blocks_of(a);
    ExpandedBlocks result;
    CsrMatrix& m = result.matrix;
    m.rows = a.rows;
    m.cols = a.cols;
    m.nnz = a.blocks * a.height * a.width;
    m.offset_type = narrowest(m.nnz);
    m.index_type = narrowest(m.cols);
    m.value_type = a.value_type;
    dispatch(m.index_type, [&]<typename Col>(Col) {
        dispatch(m.offset_type, [&]<typename Offset>(Offset) {
            m.row_ptr = make_buffer<Offset>(m.rows + 1);
            m.col_idx = make_buffer<Col>(m.nnz);
            result.order = {m.offset_type, make_buffer<Offset>(m.nnz), {}, m.nnz, false};
            Offset* const row_ptr = m.row_ptr.as<Offset>().data();
            row_ptr[m.rows] = static_cast<Offset>(m.nnz);
            for_parts(blocks.rows, block_rows_a_part, threads,
                      [&](std::int64_t begin, std::int64_t end, int) {
                          for (std::int64_t i = begin; i < end; ++i)
                              expand_row(a, blocks, i, row_ptr, m.col_idx.as<Col>().data(),
                                         result.order.from.as<Offset>().data());
                      });
        });
    });
    m.values = ordered_values(result.order, a.value_type, a.values, threads);
    return result;
}

}  // namespace spmvgen
