#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/csr_matrix.hpp"

namespace spmvgen::generators {

/// How a parameter goes with the size of the matrix: not at all, in proportion, with a root of it
/// (sides of a grid: the square root where two of them are above 1), with its binary logarithm.
enum class Growth { none, size, side, bits };

/// A parameter of a generator: its preset and what it may be.
struct Parameter {
    std::string_view name;
    double preset = 0, min = 0, max = 0;
    bool whole = true;
    Growth grows = Growth::none;
    double least = 1;  ///< made smaller, the matrix keeps this much of it
};

class Arguments;

/// A row of the gallery's table.
struct Generator {
    std::string_view name;
    std::string_view summary;
    std::vector<Parameter> parameters;
    CsrMatrix (*make)(const Arguments&);
};

/// The values that a specification gives to a generator's parameters.
class Arguments {
  public:
    /// Reads "nx=100,ny=50" (empty: presets). Throws Error(invalid_argument).
    Arguments(const Generator& generator, std::string_view text);

    /// Reads more, which wins over what was read before. Throws Error(invalid_argument).
    void read(std::string_view text);
    /// Makes the matrix about `factor` times as large.
    void scale(double factor);

    std::int64_t whole(std::string_view name) const {
        return static_cast<std::int64_t>(real(name));
    }
    double real(std::string_view name) const;
    bool flag(std::string_view name) const { return real(name) != 0; }
    std::uint64_t seed() const { return static_cast<std::uint64_t>(whole("seed")); }

    /// Throws Error(invalid_argument): "gallery: <generator>: <what>".
    [[noreturn]] void fail(const std::string& what) const;

  private:
    void assign(std::string_view item, std::vector<bool>& given);

    const Generator* generator_;
    std::vector<double> values_;
};

}  // namespace spmvgen::generators
