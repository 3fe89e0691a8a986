#pragma once
#include <memory>
#include <string>

#include "options/operands.hpp"

namespace spmvgen::cli {

/// How block sizes are timed.
struct BlockTiming {
    std::string device = "host";
    int threads = 0;
    double time_ms = 20;  ///< for each
};

/// What one format reached.
struct BlockTime {
    double seconds = 0;       ///< of an apply, the shortest sample
    std::int64_t stored = 0;  ///< elements with fill
    std::string kernel;
};

/// One matrix in formats and block sizes that are timed in turn, y = Ax. Every product is checked
/// against the reference before it is timed; a wrong one is Error(internal).
class BlockBench {
  public:
    BlockBench(std::string name, CsrMatrix matrix, const BlockTiming& timing,
               std::shared_ptr<Device> device);

    /// Blocked CSR; on a GPU its fused kernel.
    BlockTime time_blocks(int rows, int cols) const;
    /// What is chosen without blocks, or any other kernel that `options` ask for.
    BlockTime time(Options options) const;
    const CsrMatrix& matrix() const { return matrix_; }

  private:
    std::string name_;
    CsrMatrix matrix_;
    BlockTiming timing_;
    std::shared_ptr<Device> device_;
    Operands operands_;
    mutable PlacedOperands placed_;
};

}  // namespace spmvgen::cli
