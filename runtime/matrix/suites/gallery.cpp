#include "matrix/suites/gallery.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "matrix/gallery/families.hpp"
#include "matrix/sampler/random_spec.hpp"
#include "matrix/suites/suites.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using generators::Generator;
using generators::Growth;
using generators::Parameter;

constexpr double largest = 68719476736;  // 2^36

constexpr Parameter fixed_size(std::string_view name, double preset, double min = 1) {
    return {name, preset, min, largest, true};
}
constexpr Parameter size(std::string_view name, double preset, double min = 1) {
    return {name, preset, min, largest, true, Growth::size};
}
constexpr Parameter side(std::string_view name, double preset) {
    return {name, preset, 1, largest, true, Growth::side};
}
/// The length of a row or of a reach, which stays long in a matrix that is made smaller.
constexpr Parameter length(std::string_view name, double preset, double min = 1) {
    return {name, preset, min, largest, true, Growth::size, 128};
}
constexpr Parameter share(std::string_view name, double preset) {
    return {name, preset, 0, 1, false};
}
constexpr Parameter flag(std::string_view name, bool preset) {
    return {name, preset ? 1.0 : 0.0, 0, 1, true};
}
constexpr Parameter bits(std::string_view name, double preset) {
    return {name, preset, 1, 36, true, Growth::bits};
}

/// A row of the table; every generator also takes seed, random_values, long_rows and longest.
Generator generator(std::string_view name, std::string_view summary, bool random_values,
                    std::vector<Parameter> parameters,
                    CsrMatrix (*make)(const generators::Arguments&)) {
    parameters.push_back({"seed", 1, 0, 9007199254740992, true});
    parameters.push_back(flag("random_values", random_values));
    parameters.push_back(fixed_size("long_rows", 0, 0));
    parameters.push_back(length("longest", 1000));
    return {name, summary, std::move(parameters), make};
}

const std::vector<Generator>& table() {
    namespace g = generators;
    static const std::vector<Generator> rows{
        generator("stencil5", "5-point Laplacian on an nx×ny grid", false,
                  {side("nx", 450), side("ny", 450)}, g::stencil5),
        generator("stencil7", "7-point Laplacian on an nx×ny×nz grid", false,
                  {side("nx", 53), side("ny", 53), side("nz", 53)}, g::stencil7),
        generator("stencil9", "9-point Laplacian on an nx×ny grid", false,
                  {side("nx", 335), side("ny", 335)}, g::stencil9),
        generator("stencil27", "27-point Laplacian on an nx×ny×nz grid", false,
                  {side("nx", 34), side("ny", 34), side("nz", 34)}, g::stencil27),
        generator("curl_curl", "13-point curl of curl on the edges of a grid; symmetric", true,
                  {side("nx", 30), side("ny", 30), side("nz", 30), fixed_size("dofs", 1),
                   share("keep", 1)},
                  g::curl_curl),
        generator("fem", "dense dofs×dofs blocks over a grid with diagonals; symmetric", true,
                  {side("nx", 110), side("ny", 110), fixed_size("nz", 1), fixed_size("dofs", 3)},
                  g::fem),
        generator(
            "fem_tri", "dofs×dofs blocks over a triangulation of jittered points; symmetric", true,
            {side("nx", 380), side("ny", 380), fixed_size("dofs", 1), fixed_size("window", 64)},
            g::fem_tri),
        generator("mesh3d", "dofs×dofs blocks over a grid in space; symmetric", true,
                  {side("nx", 26), side("ny", 26), side("nz", 26), fixed_size("points", 15),
                   fixed_size("dofs", 2), flag("diagonal", true), share("keep", 1)},
                  g::mesh3d),
        generator("delaunay", "dofs×dofs blocks over a Delaunay triangulation; symmetric", true,
                  {size("n", 150000), fixed_size("dofs", 1), flag("lattice", true),
                   share("jitter", 1), flag("spatial", true), flag("diagonal", true)},
                  g::delaunay),
        generator(
            "dual", "triangles of a Delaunay triangulation with a common side; symmetric", true,
            {size("n", 170000), flag("lattice", true), share("jitter", 1), flag("diagonal", false)},
            g::dual),
        generator("rmat", "R-MAT graph of 2^scale nodes with degree·2^scale edges", true,
                  {bits("scale", 16), fixed_size("degree", 16), share("a", 0.57), share("b", 0.19),
                   share("c", 0.19), flag("symmetric", false), flag("scatter", true),
                   flag("every", false), size("nodes", 0, 0), size("edges", 0, 0)},
                  g::rmat),
        generator("debruijn", "de Bruijn graph of 2^k nodes", true,
                  {bits("k", 18), flag("symmetric", true)}, g::debruijn),
        generator("rgg", "random geometric graph: points near each other; symmetric", true,
                  {size("n", 77000), {"degree", 13, 0, 65536, false}}, g::rgg),
        generator("random", "per_row entries in each row, anywhere", true,
                  {size("rows", 100000), size("cols", 100000), fixed_size("per_row", 10, 0)},
                  g::random_rows),
        generator("banded", "lower and upper diagonals, of which a share is stored", true,
                  {size("n", 50000), fixed_size("lower", 10, 0), fixed_size("upper", 10, 0),
                   share("fill", 1)},
                  g::banded),
        generator("near", "random couplings around the diagonal", true,
                  {size("n", 55000), fixed_size("min_row", 2), fixed_size("max_row", 35),
                   length("span", 2000)},
                  g::near),
        generator("arrow", "diagonal, first rows and first columns", true,
                  {size("n", 333334), fixed_size("width", 1, 0)}, g::arrow),
        generator("diagonal", "diagonal", true, {size("n", 1000000)}, g::diagonal),
        generator("powerlaw", "row lengths by a power law, columns anywhere", true,
                  {size("n", 100000), fixed_size("min_row", 3), length("max_row", 20000),
                   share("tail", 0.35)},
                  g::powerlaw),
        generator("web", "row lengths by a power law, most columns near, the rest popular", true,
                  {size("n", 64000), fixed_size("min_row", 4), length("max_row", 20000),
                   share("tail", 0.4), share("near", 0.8), fixed_size("span", 100)},
                  g::web),
        generator(
            "citations", "earlier rows, recent ones more often", true,
            {size("n", 240000), {"per_row", 4.4, 0, 65536, false}, fixed_size("max_row", 800)},
            g::citations),
        generator("circuit", "circuit-like: near couplings, a few dense rows and columns", true,
                  {size("n", 160000),
                   {"per_row", 6, 1, 65536, false},
                   fixed_size("span", 32),
                   {"dense", 8, 0, 65536},
                   length("dense_length", 20000)},
                  g::circuit),
        generator("road", "road-like net: very short rows; symmetric", true,
                  {side("nx", 600), side("ny", 600), share("keep", 0.7), fixed_size("window", 64),
                   flag("diagonal", false)},
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

namespace {

const Generator* find_generator(std::string_view name) {
    const auto found = std::ranges::find(table(), name, &Generator::name);
    return found == table().end() ? nullptr : &*found;
}

[[noreturn]] void refuse_name(std::string_view name) {
    std::vector<std::string_view> names;
    for (const Generator& g : table()) names.push_back(g.name);
    names.push_back("lp");
    throw Error(ErrorCode::invalid_argument,
                fmt::format("gallery: no generator '{}'; there are {}, and the twins that "
                            "spmvgen gallery list --suite all shows",
                            name, fmt::join(names, ", ")));
}

/// Takes "scale=0.1" out of the parameters; 1 when it is not there.
double take_scale(std::string_view name, std::string& text) {
    constexpr std::string_view prefix = "scale=";
    double scale = 1;
    std::string rest;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string item = text.substr(begin, end - begin);
        begin = end + 1;
        if (!item.starts_with(prefix)) {
            rest += (rest.empty() ? "" : ",") + item;
            continue;
        }
        const char* last = item.data() + item.size();
        const auto [stop, error] = std::from_chars(item.data() + prefix.size(), last, scale);
        if (error != std::errc{} || stop != last || !(scale > 0 && scale <= 100))
            throw Error(
                ErrorCode::invalid_argument,
                fmt::format("gallery: {}: {}: use a number above 0, at most 100", name, item));
    }
    text = rest;
    return scale;
}

CsrMatrix make_twin(const Twin& twin, std::string text) {
    const double scale = take_scale(twin.name, text);
    const std::size_t colon = twin.specification.find(':');
    const Generator* generator = find_generator(twin.specification.substr(0, colon));
    generators::Arguments arguments(*generator, twin.specification.substr(colon + 1));
    arguments.scale(scale);
    arguments.read(text);
    return generator->make(arguments);
}

/// Whether the parameters of `random` ask for a draw of the sampler, seed=N, and not for the
/// generator of that name, which has sizes.
bool is_draw(const Generator& generator, std::string_view text) {
    bool draw = false;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view name = text.substr(0, std::min(text.find('='), comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
        if (name == "seed" || name == "max_nnz" || name == "family")
            draw = true;
        else if (std::ranges::find(generator.parameters, name, &Parameter::name) !=
                 generator.parameters.end())
            return false;
    }
    return draw;
}

}  // namespace

CsrMatrix make_gallery_matrix(std::string_view specification) {
    const std::size_t colon = specification.find(':');
    const std::string_view name = specification.substr(0, colon);
    const std::string_view text =
        colon == std::string_view::npos ? std::string_view{} : specification.substr(colon + 1);
    if (const Twin* twin = find_twin(name)) return make_twin(*twin, std::string(text));
    if (name == "lp") return make_random_matrix(random_spec(text, name));
    const Generator* generator = find_generator(name);
    if (generator == nullptr) refuse_name(name);
    if (name == "random" && is_draw(*generator, text)) return make_random_matrix(random_spec(text));
    return generator->make(generators::Arguments(*generator, text));
}

}  // namespace spmvgen
