#include "matrix/gallery.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "matrix/gallery/families.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using generators::Generator;
using generators::Parameter;

constexpr double largest = 68719476736;  // 2^36

constexpr Parameter size(std::string_view name, double preset, double min = 1) {
    return {name, preset, min, largest, true};
}
constexpr Parameter share(std::string_view name, double preset) {
    return {name, preset, 0, 1, false};
}
constexpr Parameter flag(std::string_view name, bool preset) {
    return {name, preset ? 1.0 : 0.0, 0, 1, true};
}
constexpr Parameter bits(std::string_view name, double preset) {
    return {name, preset, 1, 36, true};
}

/// A row of the table; every generator also takes seed and random_values.
Generator generator(std::string_view name, std::string_view summary, bool random_values,
                    std::vector<Parameter> parameters,
                    CsrMatrix (*make)(const generators::Arguments&)) {
    parameters.push_back({"seed", 1, 0, 9007199254740992, true});
    parameters.push_back(flag("random_values", random_values));
    return {name, summary, std::move(parameters), make};
}

const std::vector<Generator>& table() {
    namespace g = generators;
    static const std::vector<Generator> rows{
        generator("stencil5", "5-point Laplacian on an nx×ny grid", false,
                  {size("nx", 450), size("ny", 450)}, g::stencil5),
        generator("stencil7", "7-point Laplacian on an nx×ny×nz grid", false,
                  {size("nx", 53), size("ny", 53), size("nz", 53)}, g::stencil7),
        generator("stencil9", "9-point Laplacian on an nx×ny grid", false,
                  {size("nx", 335), size("ny", 335)}, g::stencil9),
        generator("stencil27", "27-point Laplacian on an nx×ny×nz grid", false,
                  {size("nx", 34), size("ny", 34), size("nz", 34)}, g::stencil27),
        generator("fem", "dense dofs×dofs blocks over a grid with diagonals; symmetric", true,
                  {size("nx", 110), size("ny", 110), size("nz", 1), size("dofs", 3)}, g::fem),
        generator("fem_tri", "dofs×dofs blocks over a triangulation of jittered points; symmetric",
                  true, {size("nx", 380), size("ny", 380), size("dofs", 1), size("window", 64)},
                  g::fem_tri),
        generator("rmat", "R-MAT graph of 2^scale nodes with degree·2^scale edges", true,
                  {bits("scale", 16), size("degree", 16), share("a", 0.57), share("b", 0.19),
                   share("c", 0.19), flag("symmetric", false), flag("scatter", true)},
                  g::rmat),
        generator("debruijn", "de Bruijn graph of 2^k nodes", true,
                  {bits("k", 18), flag("symmetric", true)}, g::debruijn),
        generator("random", "per_row entries in each row, anywhere", true,
                  {size("rows", 100000), size("cols", 100000), size("per_row", 10, 0)},
                  g::random_rows),
        generator("banded", "lower and upper diagonals, of which a share is stored", true,
                  {size("n", 50000), size("lower", 10, 0), size("upper", 10, 0), share("fill", 1)},
                  g::banded),
        generator("arrow", "diagonal, first rows and first columns", true,
                  {size("n", 333334), size("width", 1, 0)}, g::arrow),
        generator("diagonal", "diagonal", true, {size("n", 1000000)}, g::diagonal),
        generator(
            "powerlaw", "row lengths by a power law, columns anywhere", true,
            {size("n", 100000), size("min_row", 3), size("max_row", 20000), share("tail", 0.35)},
            g::powerlaw),
        generator("circuit", "circuit-like: near couplings, a few dense rows and columns", true,
                  {size("n", 160000),
                   size("per_row", 6),
                   size("span", 32),
                   {"dense", 8, 0, 65536},
                   size("dense_length", 20000)},
                  g::circuit),
        generator("road", "road-like net: very short rows; symmetric", true,
                  {size("nx", 600), size("ny", 600), share("keep", 0.7), size("window", 64)},
                  g::road)};
    return rows;
}

}  // namespace

std::span<const GalleryEntry> gallery() {
    static const std::vector<GalleryEntry> entries = [] {
        std::vector<GalleryEntry> all;
        for (const Generator& g : table()) {
            all.push_back({g.name, g.summary, {}});
            for (const Parameter& p : g.parameters)
                all.back().params.emplace_back(p.name, p.preset);
        }
        return all;
    }();
    return entries;
}

CsrMatrix make_gallery_matrix(std::string_view specification) {
    const std::size_t colon = specification.find(':');
    const std::string_view name = specification.substr(0, colon);
    const auto& rows = table();
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const Generator& g) { return g.name == name; });
    if (found == rows.end()) {
        std::vector<std::string_view> names;
        for (const Generator& g : rows) names.push_back(g.name);
        throw Error(
            ErrorCode::invalid_argument,
            fmt::format("gallery: no generator '{}'; there are {}", name, fmt::join(names, ", ")));
    }
    const std::string_view text =
        colon == std::string_view::npos ? std::string_view{} : specification.substr(colon + 1);
    return found->make(generators::Arguments(*found, text));
}

}  // namespace spmvgen
