#pragma once
#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "fixtures.hpp"

/// Which modes of α and β the tables of kernels run, and with which matrices.
namespace spmvgen::fixtures {

/// Modes of α and β that a row of a table of kernels is run with; each is a kernel that is
/// compiled.
enum class Modes {
    plain,              ///< y = Ax, which a handle compiles in any case
    plain_and_general,  ///< and y = αAx + βy
    telling,            ///< and y = βy
    every
};

/// With $SPMVGEN_EVERY_MODE, as the long tests have it, every row has every mode.
inline bool is_every_mode_wanted() {
    return std::getenv("SPMVGEN_EVERY_MODE") != nullptr;
}

inline bool has_mode(Modes modes, float alpha, float beta) {
    if (modes == Modes::every || is_every_mode_wanted()) return true;
    if (alpha == 1 && beta == 0) return true;
    const bool general = beta != 0 && beta != 1;
    return general && ((alpha == 0 && modes == Modes::telling) ||
                       (alpha != 0 && alpha != 1 && modes >= Modes::plain_and_general));
}

/// What a row of a table differs in from the kernel as it usually is.
struct Usual {
    bool params = true;    ///< the presets
    bool integers = true;  ///< 32 bits
    bool type = true;      ///< f64, one right-hand side
};

/// Parameters and integers change how A is walked, types the loads and the arithmetic, and modes
/// the store: so one row has every mode, and the others only what can differ.
inline Modes modes_of(const Usual& usual) {
    if (!usual.params || !usual.integers) return Modes::plain;
    return usual.type ? Modes::every : Modes::plain_and_general;
}

/// A row's modes, matrix by matrix. A matrix may choose parameters, so that it has kernels of its
/// own. Parameters do not change the store, so one matrix has all modes, and besides the plain one
/// others have only what can differ: where a store is of another kind (no rows or columns, rows
/// without entries, rows that are cut, blocks of rows), and where 0 · NaN would show. A matrix that
/// shares their kernel has their modes. Ask for those of matrices_of in turn.
class ModesByKernel {
  public:
    explicit ModesByKernel(Modes row) : row_(row) {}

    /// `kernel` is Info::kernel of the matrix's handle.
    Modes of(const Fixture& fixture, const std::string& kernel) {
        static const std::map<std::string, Modes> own{
            {"every_length", Modes::every},      {"longer_than_a_block", Modes::telling},
            {"many_empty_rows", Modes::telling}, {"nan_x", Modes::telling},
            {"zero_by_three", Modes::telling},   {"two_by_two", Modes::plain_and_general}};
        const auto found = own.find(fixture.name);
        Modes& modes = of_kernel_[kernel];
        if (found != own.end()) modes = std::max(modes, std::min(row_, found->second));
        return modes;
    }

  private:
    Modes row_;
    std::map<std::string, Modes> of_kernel_;
};

/// The matrices of a row: all, or those that break most. What differs between types is the
/// arithmetic, not where entries go.
inline std::vector<const Fixture*> matrices_of(bool usual_types) {
    std::vector<const Fixture*> list;  // first those that ModesByKernel has modes for
    for (const char* name : {"every_length", "longer_than_a_block", "many_empty_rows", "nan_x",
                             "zero_by_three", "two_by_two", "duplicates"})
        list.push_back(&find(name));
    if (!usual_types && !is_every_mode_wanted()) return list;
    for (auto& fixture : all())
        if (std::ranges::find(list, &fixture) == list.end()) list.push_back(&fixture);
    return list;
}

}  // namespace spmvgen::fixtures
