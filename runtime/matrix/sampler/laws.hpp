#pragma once
#include <cstdint>

#include "matrix/random.hpp"
#include "matrix/sampler/draw.hpp"
#include "matrix/sampler/pattern.hpp"

namespace spmvgen::sampler {

/// Lengths of rows: a pure function of the law, the seed and the row.
class Lengths {
  public:
    /// `rows`, `cols`: of the matrix, whose rows are at most cols long.
    Lengths(const LengthLaw& law, std::int64_t rows, std::int64_t cols, std::uint64_t seed);

    std::int64_t operator()(std::int64_t row) const;
    /// The mean of many rows, in units of 1/1024; exact but for chance.
    std::int64_t mean() const;

  private:
    std::int64_t of(std::int64_t row, std::uint64_t chance) const;
    bool is_long(std::int64_t row) const;

    LengthLaw law_;
    std::int64_t longest_, every_;  ///< few_dense: one of so many rows is long
    generators::Random random_;
};

/// Columns of rows: a pure function of the law, the seed, the row and how many are wanted.
class ColumnDraw {
  public:
    ColumnDraw(const ColumnLaw& law, std::int64_t rows, std::int64_t cols, std::uint64_t seed)
        : law_(law), rows_(rows), cols_(cols), random_(seed, generators::Purpose::column) {}

    /// Appends `length` columns of row i, fewer where the law meets the same ones too often.
    void append(std::int64_t i, std::int64_t length, Places& columns) const;

  private:
    std::int64_t one_column(std::int64_t i, std::int64_t draw, std::int64_t length) const;
    void append_spread(std::int64_t i, std::int64_t length, std::int64_t begin, std::int64_t width,
                       Places& columns) const;

    ColumnLaw law_;
    std::int64_t rows_, cols_;
    generators::Random random_;
};

/// Of that kind, with rows of about `mean` entries.
LengthLaw draw_lengths(Draw& draw, RowLengths kind, std::int64_t mean);

/// One of all kinds, or of those given.
ColumnLaw draw_columns(Draw& draw, std::int64_t cols);
ColumnLaw draw_columns(Draw& draw, ColumnPlaces kind, std::int64_t cols);

/// Rows by the specification's two laws.
Pattern rows_by_laws(const RandomSpec& spec);

}  // namespace spmvgen::sampler
