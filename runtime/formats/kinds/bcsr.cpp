#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "formats/block_row.hpp"
#include "formats/format_storage.hpp"
#include "formats/layout.hpp"
#include "formats/narrow.hpp"
#include "formats/padded_rows.hpp"
#include "matrix/chunks.hpp"

namespace spmvgen {
namespace {

/// Block rows that a thread takes at once.
constexpr std::int64_t block_rows_a_part = 256;

/// What decides where an element of a block goes.
struct Layout {
    std::int64_t rows, cols;  ///< of a block
    std::int64_t tile;        ///< blocks that are stored together, element by element
    bool by_columns;          ///< elements of a block column after column

    std::int64_t size() const { return rows * cols; }
    std::int64_t bit(std::int64_t i, std::int64_t j) const { return i * cols + j; }
    /// Where element (i, j) of block k is.
    std::int64_t place(std::int64_t k, std::int64_t i, std::int64_t j) const {
        const std::int64_t element = by_columns ? j * rows + i : bit(i, j);
        if (tile == 1) return k * size() + element;  // the divisions would take most of the time
        return (k / tile * size() + element) * tile + k % tile;
    }
};

Layout layout_of(const Signature& signature) {
    const std::int64_t rows = param(signature, "block_rows"), cols = param(signature, "block_cols");
    if (is_gpu(signature)) return {rows, cols, 32, false};
    return {rows, cols, 1, rows >= cols};
}

/// How many blocks there are where.
struct Counted {
    std::vector<std::int64_t> ends;  ///< where those of each block row begin; at last their number
    /// Of each part of block_rows_a_part the block columns, but of block rows whose columns do not
    /// ascend, which are noted.
    std::vector<std::vector<std::int64_t>> columns;
    std::vector<char> ascending;

    std::int64_t begin(std::int64_t b) const { return ends[static_cast<std::size_t>(b)]; }
};

Counted count_blocks(const CsrView& matrix, const Layout& layout) {
    const std::int64_t count = round_up(matrix.rows, layout.rows) / layout.rows;
    const auto size = static_cast<std::size_t>(count);
    Counted found{std::vector<std::int64_t>(size + 1, 0),
                  std::vector<std::vector<std::int64_t>>(
                      static_cast<std::size_t>(count / block_rows_a_part + 1)),
                  std::vector<char>(size, 0)};
    for_parts(count, block_rows_a_part, 0, [&](std::int64_t begin, std::int64_t end, int) {
        BlockRow blocks(matrix, layout.rows, layout.cols, true);
        auto& columns = found.columns[static_cast<std::size_t>(begin / block_rows_a_part)];
        for (std::int64_t b = begin; b < end; ++b) {
            const bool ascending = blocks.count(b * layout.rows);
            found.ascending[static_cast<std::size_t>(b)] = ascending ? 1 : 0;
            if (ascending)
                columns.insert(columns.end(), blocks.columns().begin(), blocks.columns().end());
            found.ends[static_cast<std::size_t>(b + 1)] = static_cast<std::int64_t>(blocks.size());
        }
    });
    std::inclusive_scan(found.ends.begin(), found.ends.end(), found.ends.begin());
    return found;
}

/// Goes through the block rows begin … end-1 with the block columns of each that is known.
class KnownColumns {
  public:
    KnownColumns(const Counted& counted, std::int64_t begin) : counted_(counted), next_(begin) {
        const std::int64_t part = begin / block_rows_a_part * block_rows_a_part;
        for (next_ = part; next_ < begin;) take();
    }
    /// Those of the next block row; nothing where they are not known.
    std::optional<std::span<const std::int64_t>> take() {
        if (next_ % block_rows_a_part == 0) at_ = 0;
        const auto& part = counted_.columns[static_cast<std::size_t>(next_ / block_rows_a_part)];
        const std::int64_t b = next_++;
        if (counted_.ascending[static_cast<std::size_t>(b)] == 0) return std::nullopt;
        const auto size = static_cast<std::size_t>(counted_.begin(b + 1) - counted_.begin(b));
        at_ += size;
        return std::span(part).subspan(at_ - size, size);
    }

  private:
    const Counted& counted_;
    std::int64_t next_;
    std::size_t at_ = 0;
};

/// The arrays of the blocks.
template <typename To, typename Index>
struct Blocks {
    Index* col_idx;
    std::int64_t* masks;
    To* values;
};

/// Writes the blocks of one block row, the first of them as block `begin`.
template <typename From, typename To, typename Index>
void write_block_row(const CsrView& matrix, const Layout& layout, BlockRow& row, std::int64_t first,
                     std::int64_t begin, std::int64_t end,
                     const std::optional<std::span<const std::int64_t>>& columns,
                     const Blocks<To, Index>& to) {
    if (layout.tile == 1) {
        std::fill(to.values + begin * layout.size(), to.values + end * layout.size(), To{});
    } else {
        for (std::int64_t k = begin; k < end; ++k)
            for (std::int64_t i = 0; i < layout.rows; ++i)
                for (std::int64_t j = 0; j < layout.cols; ++j)
                    to.values[layout.place(k, i, j)] = To{};
    }
    const From* const source = matrix.values_as<From>();
    const auto write = [&](const auto& put) {
        columns ? row.make(first, *columns, put) : row.make(first, put);
    };
    if (layout.tile == 1) {
        To* const values = to.values + begin * layout.size();
        const std::int64_t size = layout.size(), down = layout.by_columns ? 1 : layout.cols,
                           right = layout.by_columns ? layout.rows : 1;
        write([=](std::size_t block, std::int64_t i, std::int64_t j, std::int64_t entry) {
            values[static_cast<std::int64_t>(block) * size + i * down + j * right] =
                stored_value<To>(source[entry]);
        });
    } else {
        write([&](std::size_t block, std::int64_t i, std::int64_t j, std::int64_t entry) {
            to.values[layout.place(begin + static_cast<std::int64_t>(block), i, j)] =
                stored_value<To>(source[entry]);
        });
    }
    for (std::int64_t k = begin; k < end; ++k) {
        const auto block = static_cast<std::size_t>(k - begin);
        to.col_idx[k] = static_cast<Index>(row.first_column_of(block));
        to.masks[k] = static_cast<std::int64_t>(row.mask(block));
    }
}

template <typename From, typename To, typename Index>
void fill(const CsrView& matrix, const Signature& signature, const Layout& layout,
          const Counted& counted, StoredMatrix& stored) {
    // Beyond the last block: the rest of its tile, and what a vector of a CPU loads at the end.
    constexpr std::int64_t most_lanes = 8;
    const std::int64_t blocks = counted.ends.back();
    const std::int64_t elements = round_up(blocks, layout.tile) * layout.size();
    const std::int64_t beyond = is_gpu(signature) ? 0 : most_lanes;
    const Blocks<To, Index> to{add_array<Index>(stored, "col_idx", blocks),
                               add_array<std::int64_t>(stored, "block_masks", blocks),
                               add_array<To>(stored, "values", elements + beyond)};
    for (std::int64_t k = blocks; k < round_up(blocks, layout.tile); ++k)
        for (std::int64_t i = 0; i < layout.rows; ++i)
            for (std::int64_t j = 0; j < layout.cols; ++j) to.values[layout.place(k, i, j)] = To{};
    std::fill_n(to.values + elements, beyond, To{});
    const auto before = [&](std::int64_t b) { return counted.begin(b); };
    for_shares(std::ssize(counted.ends) - 1, before, [&](std::int64_t begin, std::int64_t end) {
        BlockRow row(matrix, layout.rows, layout.cols, true);
        KnownColumns columns(counted, begin);
        for (std::int64_t b = begin; b < end; ++b)
            write_block_row<From>(matrix, layout, row, b * layout.rows, before(b), before(b + 1),
                                  columns.take(), to);
    });
}

StoredMatrix store_bcsr(const CsrView& matrix, const Signature& signature, const Storing& how) {
    const Layout layout = layout_of(signature);
    StoredMatrix stored = new_stored(Format::bcsr, matrix, how.memory_limit);
    const Counted counted = count_blocks(matrix, layout);
    const std::int64_t blocks = counted.ends.back();
    check_padding(matrix, stored, static_cast<double>(blocks) * static_cast<double>(layout.size()));
    dispatch(signature.offset, [&]<typename Offset>(Offset) {
        std::ranges::transform(counted.ends,
                               add_array<Offset>(stored, "block_ptr", std::ssize(counted.ends)),
                               [](std::int64_t n) { return static_cast<Offset>(n); });
    });
    dispatch_values(matrix.value_type, signature, [&]<typename From, typename To>(From, To) {
        dispatch(signature.index, [&]<typename Index>(Index) {
            fill<From, To, Index>(matrix, signature, layout, counted, stored);
        });
    });
    describe_bcsr(matrix, signature, blocks, stored);
    return stored;
}

}  // namespace

void describe_bcsr(const CsrView& matrix, const Signature& signature, std::int64_t blocks,
                   StoredMatrix& stored) {
    const Layout layout = layout_of(signature);
    const std::int64_t block_rows = round_up(matrix.rows, layout.rows) / layout.rows;
    stored.scalars["num_block_rows"] = block_rows;
    stored.scalars["num_blocks"] = blocks;
    stored.stored = blocks * layout.size();
    stored.bytes = stored.stored * static_cast<std::int64_t>(size_of(storage_type(signature))) +
                   blocks * static_cast<std::int64_t>(size_of(signature.index)) +
                   (block_rows + 1) * static_cast<std::int64_t>(size_of(signature.offset));
}

extern constexpr FormatStorage bcsr_storage{
    .format = Format::bcsr,
    .store = store_bcsr,
    .places = [](const Signature&) { return ValuePlaces::by_column; },
    .update_products = {.cpu = 4.9, .gpu = 3},
    .rows_suffice =
        [](std::string_view kernel, const Params& params) {
            return !kernel.empty() && params.contains("block_rows") &&
                   params.contains("block_cols");
        }};

}  // namespace spmvgen
