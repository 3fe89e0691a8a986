#include "gallery/gallery_random.hpp"

#include <fmt/format.h>

#include <memory>

#include "matrix/sampler/random_spec.hpp"
#include "options/options.hpp"
#include "spmvgen/error.hpp"
#include "text/output.hpp"

namespace spmvgen::cli {
namespace {

struct DrawOptions {
    bool json = false;
    std::int64_t seed = 0, count = 1;
    RandomLimits limits;
};

/// How the matrix is named wherever one is taken.
std::string source_of(const RandomSpec& spec, const DrawOptions& o) {
    std::string source = fmt::format("gallery:{}:seed={}", spec.collection, spec.seed);
    if (o.limits.max_nnz != RandomLimits{}.max_nnz)
        source += fmt::format(",max_nnz={:.0f}", o.limits.max_nnz);
    if (!o.limits.family.empty()) source += ",family=" + o.limits.family;
    if (o.limits.transposed) source += ",transposed=1";
    return source;
}

Json to_json(const RandomSpec& spec, const std::string& source) {
    Json parameters = Json::object();
    for (const auto& [name, value] : spec.parameters) parameters[name] = value;
    return {{"seed", spec.seed},
            {"source", source},
            {"family", spec.family},
            {"rows", spec.made_rows()},
            {"cols", spec.made_cols()},
            {"entries_wanted", spec.entries},
            {"row_lengths", describe(spec.lengths)},
            {"columns", describe(spec.columns)},
            {"order", name_of(spec.order)},
            {"transposed", spec.transposed},
            {"values", name_of(spec.values)},
            {"parameters", parameters}};
}

RandomSpec drawn(std::uint64_t seed, const RandomLimits& limits) {
    try {
        return random_spec(seed, limits);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::invalid_argument) throw;
        throw UsageError(error.what());
    }
}

void draw(const DrawOptions& o, Streams& streams) {
    if (!(o.limits.max_nnz >= RandomLimits::least && o.limits.max_nnz <= RandomLimits::most))
        throw UsageError(fmt::format("--max-nnz: {} is outside {} … {}", o.limits.max_nnz,
                                     RandomLimits::least, RandomLimits::most));
    Json list = Json::array();
    for (std::int64_t k = 0; k < o.count; ++k) {
        const RandomSpec spec = drawn(static_cast<std::uint64_t>(o.seed + k), o.limits);
        if (o.json)
            list.push_back(to_json(spec, source_of(spec, o)));
        else
            streams.out << describe(spec) << "\n";
        if (!o.json && k + 1 == o.count)
            streams.err << "to make it, wherever a matrix is taken: " << source_of(spec, o) << "\n";
    }
    if (o.json) print_json(streams.out, {{"matrices", list}});
}

/// The options that the verbs of all collections share.
std::shared_ptr<DrawOptions> add_draw_options(CLI::App& drawer) {
    auto o = std::make_shared<DrawOptions>();
    drawer.add_option("--seed", o->seed, "the first seed")
        ->required()
        ->check(whole_between(0, std::int64_t{1} << 53))
        ->type_name("N");
    drawer.add_option("--count", o->count, "so many seeds, one after another")
        ->check(whole_between(1, 1000000))
        ->type_name("K")
        ->capture_default_str();
    drawer
        .add_option("--max-nnz", o->limits.max_nnz,
                    "entries wanted at most, 1000 to 1e8: fewer scale sizes down")
        ->type_name("M")
        ->capture_default_str();
    drawer.add_option("--family", o->limits.family, "of this family, whatever the seed says")
        ->type_name("NAME");
    drawer.add_flag("--json", o->json, "print one JSON object instead");
    return o;
}

}  // namespace

void add_gallery_random(CLI::App& gallery, Verbs& verbs) {
    CLI::App* drawer = gallery.add_subcommand("random", "show what matrix a seed stands for");
    const auto o = add_draw_options(*drawer);
    drawer->footer(
        "Examples:\n"
        "  spmvgen gallery random --seed 1000000 --count 40\n"
        "  spmvgen gallery random --seed 1000000 --max-nnz 1e6 --family blocks --json\n"
        "Wherever a matrix is taken, a seed makes it on the spot:\n"
        "  spmvgen analyze gallery:random:seed=1000000,max_nnz=1e4");
    verbs.push_back({drawer, [o](Streams& streams) { draw(*o, streams); }});
}

void add_gallery_lp(CLI::App& gallery, Verbs& verbs) {
    CLI::App* drawer = gallery.add_subcommand(
        "lp", "the same for matrices of linear programs, which have seeds of their own");
    const auto o = add_draw_options(*drawer);
    o->limits.collection = "lp";
    drawer->add_flag("--transposed", o->limits.transposed, "the transpose");
    drawer->footer(
        "Examples:\n"
        "  spmvgen gallery lp --seed 1000000 --count 14\n"
        "  spmvgen gallery lp --seed 1000000 --max-nnz 1e6 --family scenarios --json\n"
        "Wherever a matrix is taken, a seed makes it on the spot:\n"
        "  spmvgen analyze gallery:lp:seed=1000000,max_nnz=1e4\n"
        "  spmvgen analyze gallery:lp:seed=1000000,max_nnz=1e4,transposed=1");
    verbs.push_back({drawer, [o](Streams& streams) { draw(*o, streams); }});
}

}  // namespace spmvgen::cli
