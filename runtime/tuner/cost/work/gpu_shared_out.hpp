#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "registry.hpp"

namespace spmvgen::gpu {

inline constexpr int load_bytes = 16;  ///< that an instruction of a lane moves at most

/// How a kernel's lanes share the right-hand sides, and what they have registers for.
struct Sharing {
    double lanes = 1;  ///< that share an entry
    double sums = 1;   ///< of a lane, for each row
    double loads = 1;  ///< of a lane, for its part of an element of x
    double parts = 1;  ///< of the right-hand sides, for each of which all of A is read
    /// Blocks that a multiprocessor holds because of a bound of registers; 0 = there is none.
    double bounded_blocks = 0;
    /// Entries in turn, whose parts of x such a bound leaves registers for.
    double most_turns = std::numeric_limits<double>::infinity();

    /// Of csr_classical, csr_by_length and bcsr_fused, whose first step multiplies.
    static Sharing of(const Signature& complete) {
        if (complete.num_rhs == 1) return {};
        const int lanes = rhs_lanes(complete), group = rhs_group(complete);
        Sharing s{.lanes = static_cast<double>(lanes), .sums = static_cast<double>(group)};
        s.loads = s.sums / rhs_of_a_load(complete);
        s.parts = std::ceil(complete.num_rhs / (s.lanes * s.sums));
        const auto bound = kernel_entry(complete.kernel).steps[0].resident_blocks;
        s.bounded_blocks = bound != nullptr ? static_cast<double>(bound(complete)) : 0;
        if (s.bounded_blocks > 0) {
            constexpr double file = 65536, own = 32, of_load = 4;  // registers
            const auto block = static_cast<double>(complete.params.at("block"));
            const double registers = file / (s.bounded_blocks * block);
            s.most_turns = std::max(1.0, std::floor((registers - own) / (of_load * s.loads)));
        }
        return s;
    }
};

/// How a subwarp shares out the entries of a row, or the blocks of a row of blocks: each lane takes
/// one, or, with several right-hand sides, groups of lanes one each, every lane a part of the
/// element of x.
struct SharedOut {
    Sharing sharing;
    double side = 1;   ///< entries side by side
    double turns = 1;  ///< of them in turn, whose elements of x are under way together
    /// Entries whose columns lanes load together, and wait for; infinite where those of the next
    /// ones are on their way meanwhile.
    double loaded = std::numeric_limits<double>::infinity();

    /// Of `lanes` lanes, each with `unroll` loads of x under way, in warps of `wavefront` threads.
    static SharedOut of(const Sharing& sharing, double lanes, double unroll, double wavefront) {
        SharedOut shared{.sharing = sharing, .side = std::max(1.0, lanes / sharing.lanes)};
        shared.turns = unroll;
        if (sharing.lanes == 1) return shared;
        shared.turns = std::min({unroll, sharing.lanes, sharing.most_turns});
        // As the dialect loads columns of rows (gpu_rows.hpp); blocks are counted alike.
        if (lanes < wavefront && (unroll <= 2 || sharing.lanes <= 2))
            shared.loaded = lanes * std::max(1.0, std::floor(unroll / sharing.lanes));
        return shared;
    }
    double entries() const { return side * turns; }  ///< under way together
    /// Loads that wait for each other in a row of so many entries. Where lanes share these, also
    /// what handing them round takes, and adding up what the lanes have of `rows` rows.
    double waits(double of_row, double rows = 1) const {
        constexpr double step_waits = 0.05;  // shuffles and multiplications, of a load's wait
        const double rounds = std::ceil(of_row / entries());
        if (sharing.lanes == 1) return rounds;
        return rounds + std::max(0.0, std::ceil(of_row / loaded) - 1) +
               step_waits * ((sharing.loads + rows - 1) * of_row / side +
                             rows * sharing.sums * std::log2(side));
    }
};

}  // namespace spmvgen::gpu
