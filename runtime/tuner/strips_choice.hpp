#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "formats/strips_plan.hpp"
#include "matrix/block_fill.hpp"
#include "matrix/features.hpp"
#include "tuner/choose.hpp"

namespace spmvgen {

/// Whether row lengths leave it open that strips are the fastest format: enough entries for bytes
/// to count (fewer on the host), and rows that are even when sorted, or of which a few are far
/// longer than the rest.
bool may_be_strips(const RowFeatures& features, bool host);

/// What one matrix suggests for signatures of format strips. A pass over rows and columns for each
/// shape that is asked for, at most once. The matrix must outlive it. For one thread at a time.
class StripsChooser {
  public:
    StripsChooser(const CsrView& matrix, int threads) : matrix_(matrix), threads_(threads) {}

    /// Sets the parameters of the matrix that are not in `given`: the block that takes the fewest
    /// bytes (`fill` is a sample of what is free), long rows, whether slices are ragged or filled,
    /// and the codes: those that occur, short of one that hardly saves. Returns a line for people.
    std::string fit(Signature& signature, const std::map<std::string, std::int64_t>& given,
                    const std::function<BlockFill()>& fill);

    /// What storing the matrix so takes.
    StripsOutlook outlook(const Signature& signature);

    /// How it would lie. Lives as long as this.
    const StripsPlan& plan(const Signature& signature);

  private:
    /// Sets `fill` for 1×1 blocks: whether holes save bytes, of rows as they come or, with
    /// `period`, taking turns.
    void choose_holes(Signature& signature, const std::map<std::string, std::int64_t>& given);
    /// Whether all values are one, and columns as they are, of rows as they come, are faster than
    /// compressed ones; what the signature says of codes and σ does not matter.
    bool whole_columns_pay(const Signature& signature);
    /// Sets `codes`, `sigma` and `unroll` where that is so and they are open. Whether it did.
    bool choose_whole_columns(Signature& signature,
                              const std::map<std::string, std::int64_t>& given);
    double bytes(const Signature& signature);

    const CsrView matrix_;
    const int threads_;
    std::map<std::string, StripsPlan> plans_;  ///< by shape
    std::optional<int> period_;                ///< of the rows (tuner/row_period.hpp)
};

/// The parameter `codes` for this plan: codes that occur, but none whose slices take hardly more
/// bytes, of `all_bytes`, in the next wider one that occurs. A kernel of one code has no branch.
std::int64_t worthwhile_codes(const StripsPlan& plan, const StripsShape& shape, double all_bytes);

}  // namespace spmvgen
