#include <algorithm>
#include <utility>
#include <vector>

#include "formats/format_storage.hpp"
#include "formats/layout.hpp"
#include "formats/narrow.hpp"
#include "formats/padded_rows.hpp"

namespace spmvgen {
namespace {

/// A piece of a diagonal: one entry of each of the rows first … last-1 of a tile.
struct Piece {
    std::int64_t offset = 0;  ///< column minus row
    std::int64_t first = 0, last = 0;
    std::int64_t begin = 0;  ///< where its values are, from the tile's first on
};

/// The pieces of a tile of rows.
class Tile {
  public:
    /// Lays out the rows first_row … end_row-1.
    void lay_out(const CsrView& matrix, std::int64_t first_row, std::int64_t end_row) {
        pieces_.clear();
        open_.clear();
        piece_of_.clear();
        first_entry_ = matrix.row_begin(first_row);
        piece_of_.resize(static_cast<std::size_t>(matrix.row_begin(end_row) - first_entry_));
        for (std::int64_t row = first_row; row < end_row; ++row)
            add_row(matrix, row, row - first_row);
        sort();
    }

    const std::vector<Piece>& pieces() const { return pieces_; }
    /// Places of values that the tile takes, gaps included: a multiple of gpu_alignment.
    std::int64_t places() const { return places_; }
    /// Writes the place of each entry in places[k], from the tile's first on.
    template <typename Offset>
    void write_places(const CsrView& matrix, std::int64_t first_row, std::int64_t end_row,
                      Offset* places) const {
        std::int64_t k = first_entry_;
        for (std::int64_t row = first_row; row < end_row; ++row)
            for (const std::int64_t end = matrix.row_begin(row + 1); k < end; ++k) {
                const Piece& piece = piece_of(k);
                places[k] = static_cast<Offset>(piece.begin + row - first_row - piece.first);
            }
    }

  private:
    const Piece& piece_of(std::int64_t k) const {
        return pieces_[rank_[piece_of_[static_cast<std::size_t>(k - first_entry_)]]];
    }

    struct Entry {
        std::int64_t offset;
        std::size_t at;  ///< of an entry its place in the tile, of an open piece its number
    };

    /// Whether a row has the diagonals of the row above, in their order.
    template <typename Column>
    bool is_as_above(const Column* col_idx, std::int64_t begin, std::int64_t end,
                     std::int64_t row) const {
        return end - begin == std::ssize(open_) &&
               std::equal(
                   open_.begin(), open_.end(), col_idx + begin,
                   [&](const Entry& above, Column column) { return above.offset == column - row; });
    }

    /// An entry goes on with the piece that the row above had on its diagonal, or begins one.
    void add_row(const CsrView& matrix, std::int64_t row, std::int64_t own) {
        entries_.clear();
        const std::int64_t end = matrix.row_begin(row + 1);
        const bool goes_on = dispatch(matrix.index_type, [&]<typename Column>(Column) {
            return is_as_above(matrix.col_idx_as<Column>(), matrix.row_begin(row), end, row);
        });
        if (goes_on) {
            auto piece_of = piece_of_.begin() + (matrix.row_begin(row) - first_entry_);
            for (const Entry& above : open_) {
                *piece_of++ = above.at;
                pieces_[above.at].last = own + 1;
            }
            return;
        }
        dispatch(matrix.index_type, [&]<typename Column>(Column) {
            const Column* const col_idx = matrix.col_idx_as<Column>();
            for (std::int64_t k = matrix.row_begin(row); k < end; ++k)
                entries_.push_back({col_idx[k] - row, static_cast<std::size_t>(k - first_entry_)});
        });
        if (!std::ranges::is_sorted(entries_, {}, &Entry::offset))
            std::ranges::stable_sort(entries_, {}, &Entry::offset);
        next_.clear();
        auto above = open_.begin();
        for (const Entry& entry : entries_) {
            while (above != open_.end() && above->offset < entry.offset) ++above;
            std::size_t piece = pieces_.size();
            if (above != open_.end() && above->offset == entry.offset)
                piece = (above++)->at;
            else
                pieces_.push_back({entry.offset, own, own});
            pieces_[piece].last = own + 1;
            piece_of_[entry.at] = piece;
            next_.push_back({entry.offset, piece});
        }
        std::swap(open_, next_);
    }

    /// Pieces by diagonals, from left to right, and the places of their values.
    void sort() {
        order_.resize(pieces_.size());
        rank_.resize(pieces_.size());
        for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
        std::ranges::stable_sort(order_, {}, [&](std::size_t i) {
            return std::pair(pieces_[i].offset, pieces_[i].first);
        });
        sorted_.clear();
        places_ = 0;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            rank_[order_[i]] = i;
            Piece& piece = sorted_.emplace_back(pieces_[order_[i]]);
            const std::int64_t length = piece.last - piece.first;
            // Shorter ones would take more room for gaps than for values.
            if (length >= gpu_alignment)
                places_ += (piece.first - places_ % gpu_alignment + gpu_alignment) % gpu_alignment;
            piece.begin = places_;
            places_ += length;
        }
        places_ = round_up(places_, gpu_alignment);
        std::swap(pieces_, sorted_);
    }

    std::int64_t first_entry_ = 0, places_ = 0;
    std::vector<Piece> pieces_, sorted_;
    std::vector<std::size_t> piece_of_, order_, rank_;
    std::vector<Entry> entries_, open_, next_;  ///< open: pieces that the last row is in
};

/// All tiles: the pieces of each, where it begins, and their sums behind the last.
struct Tiles {
    std::int64_t height = 0, count = 0;
    std::vector<std::vector<Piece>> pieces;
    std::vector<std::int64_t> first_piece, first_place;

    /// Calls body(tile, its first row, the row behind its last).
    template <typename Body>
    void for_each(std::int64_t rows, Body body) const {
#pragma omp parallel for schedule(static)
        for (std::int64_t t = 0; t < count; ++t)
            body(static_cast<std::size_t>(t), t * height, std::min(rows, (t + 1) * height));
    }
};

/// The tiles of a matrix. `places` gets the place of each entry from its tile's first on; it is of
/// no use where Offset cannot hold the number of all places.
template <typename Offset>
Tiles lay_out_tiles(const CsrView& matrix, const Signature& signature, Offset* places) {
    Tiles tiles;
    tiles.height = param(signature, is_gpu(signature) ? "block" : "tile");
    tiles.count = round_up(matrix.rows, tiles.height) / tiles.height;
    const auto count = static_cast<std::size_t>(tiles.count);
    tiles.pieces.resize(count);
    tiles.first_piece.resize(count + 1);
    tiles.first_place.resize(count + 1);
#pragma omp parallel
    {
        Tile tile;
#pragma omp for schedule(static)
        for (std::int64_t t = 0; t < tiles.count; ++t) {
            const std::int64_t first = t * tiles.height;
            const std::int64_t end = std::min(matrix.rows, first + tiles.height);
            tile.lay_out(matrix, first, end);
            tile.write_places(matrix, first, end, places);
            const auto at = static_cast<std::size_t>(t);
            tiles.pieces[at] = tile.pieces();
            tiles.first_piece[at + 1] = std::ssize(tile.pieces());
            tiles.first_place[at + 1] = tile.places();
        }
    }
    for (std::size_t t = 1; t <= count; ++t) {
        tiles.first_piece[t] += tiles.first_piece[t - 1];
        tiles.first_place[t] += tiles.first_place[t - 1];
    }
    return tiles;
}

template <typename Index, typename Offset>
void add_pieces(const Tiles& tiles, StoredMatrix& stored) {
    const std::int64_t count = tiles.first_piece.back();
    Offset* const tile_ptr = add_array<Offset>(stored, "tile_ptr", tiles.count + 1);
    Index* const piece_offset = add_array<Index>(stored, "piece_offset", count);
    auto* const piece_rows = add_array<std::uint32_t>(stored, "piece_rows", count);
    Offset* const piece_begin = add_array<Offset>(stored, "piece_begin", count);
    std::ranges::transform(tiles.first_piece, tile_ptr,
                           [](std::int64_t first) { return static_cast<Offset>(first); });
    std::int64_t at = 0;
    for (std::size_t t = 0; t < tiles.pieces.size(); ++t)
        for (const Piece& piece : tiles.pieces[t]) {
            piece_offset[at] = static_cast<Index>(piece.offset);
            piece_rows[at] = static_cast<std::uint32_t>(piece.first + (piece.last << 16));
            piece_begin[at++] = static_cast<Offset>(tiles.first_place[t] + piece.begin);
        }
    stored.bytes +=
        (tiles.count + 1) * static_cast<std::int64_t>(sizeof(Offset)) +
        count * static_cast<std::int64_t>(sizeof(Index) + sizeof(std::uint32_t) + sizeof(Offset));
}

/// Gaps hold zeros.
template <typename From, typename To, typename Offset>
void add_values(const CsrView& matrix, const Tiles& tiles, const Offset* places,
                StoredMatrix& stored) {
    To* const values = add_array<To>(stored, "values", stored.stored);
    const From* const from = matrix.values_as<From>();
    tiles.for_each(matrix.rows, [&](std::size_t t, std::int64_t first, std::int64_t end) {
        To* const to = values + tiles.first_place[t];
        std::fill_n(to, tiles.first_place[t + 1] - tiles.first_place[t], To{});
        for (std::int64_t k = matrix.row_begin(first); k < matrix.row_begin(end); ++k)
            to[places[k]] = stored_value<To>(from[k]);
    });
}

template <typename Index, typename Offset>
void store_tiles(const CsrView& matrix, const Signature& signature, StoredMatrix& stored) {
    Buffer places = make_buffer<Offset>(matrix.nnz);
    Offset* const place = places.as<Offset>().data();
    const Tiles tiles = lay_out_tiles(matrix, signature, place);
    stored.stored = tiles.first_place.back();
    check_fits(stored.stored, signature.offset, "stored entries", "offset");
    check_padding(matrix, stored, static_cast<double>(stored.stored + tiles.first_piece.back()));
    add_pieces<Index, Offset>(tiles, stored);
    dispatch_values(matrix.value_type, signature, [&]<typename From, typename To>(From, To) {
        add_values<From, To, Offset>(matrix, tiles, place, stored);
    });
}

StoredMatrix store_dia(const CsrView& matrix, const Signature& signature, const Storing& how) {
    check_fits(matrix.rows, signature.index, "rows", "index");
    StoredMatrix stored = new_stored(Format{"dia"}, matrix, how.memory_limit);
    dispatch(signature.index, [&]<typename Index>(Index) {
        dispatch(signature.offset, [&]<typename Offset>(Offset) {
            store_tiles<Index, Offset>(matrix, signature, stored);
        });
    });
    stored.bytes += matrix.nnz * static_cast<std::int64_t>(size_of(storage_type(signature)));
    return stored;
}

/// A long piece has fewer places of gaps before it than values, and each tile ends with fewer than
/// it has rows.
double most_stored(const RowFeatures& f) {
    return 2 * static_cast<double>(f.nnz) + static_cast<double>(f.rows + gpu_alignment);
}

}  // namespace

extern constexpr FormatStorage dia_storage{
    .format = Format{"dia"},
    .store = store_dia,
    .places = [](const Signature&) { return ValuePlaces::by_column; },
    .update_products = {.cpu = 4.1, .gpu = 3},
    .most_stored = most_stored};

}  // namespace spmvgen
