// What a specification is, in words.
#include <fmt/format.h>

#include "matrix/sampler/random_spec.hpp"

namespace spmvgen {

std::string describe(const LengthLaw& law) {
    switch (law.kind) {
        case RowLengths::equal:
            return fmt::format("equal, {}", law.typical);
        case RowLengths::normal:
            return fmt::format("normal, mean {} ± {} %", law.typical, law.spread);
        case RowLengths::log_normal:
            return fmt::format("log-normal, median {}, {}.{:02} octaves, at most {}", law.typical,
                               law.spread / 100, law.spread % 100, law.longest);
        case RowLengths::zipf:
            return fmt::format("Zipf, from {} on, exponent {}.{:02}, at most {}", law.typical,
                               law.spread / 100, law.spread % 100, law.longest);
        case RowLengths::two_kinds:
            return fmt::format("two kinds, {} and {} of a million {}", law.typical, law.share,
                               law.longest);
        case RowLengths::few_dense:
            return fmt::format("about {}, and {} of {}", law.typical, law.share, law.longest);
        default:
            return "by structure";
    }
}

std::string describe(const ColumnLaw& law) {
    switch (law.kind) {
        case ColumnPlaces::anywhere:
            return "anywhere";
        case ColumnPlaces::near:
            return fmt::format("within {} of the diagonal", law.width);
        case ColumnPlaces::popular:
            return "by Zipf's law";
        case ColumnPlaces::communities:
            return fmt::format("communities of {}, {} of a thousand in the row's own", law.width,
                               law.share);
        case ColumnPlaces::runs:
            return fmt::format("runs of {}", law.width);
        default:
            return "by structure";
    }
}

std::string_view name_of(NodeOrder order) {
    constexpr std::string_view names[] = {"natural", "local", "spatial", "partitioned", "random"};
    return names[static_cast<std::size_t>(order)];
}

std::string_view name_of(EntryValues values) {
    constexpr std::string_view names[] = {"random",    "ones",  "signs",  "few",
                                          "laplacian", "units", "weights"};
    return names[static_cast<std::size_t>(values)];
}

std::string describe(const RandomSpec& spec) {
    std::string text = fmt::format(
        "seed {}: {}, {} x {}{}, {} entries wanted; rows {}; columns {}; order {}; values {}",
        spec.seed, spec.family, spec.made_rows(), spec.made_cols(),
        spec.transposed ? " (transposed)" : "", spec.entries, describe(spec.lengths),
        describe(spec.columns), name_of(spec.order), name_of(spec.values));
    const char* separator = "; ";
    for (const auto& [parameter, value] : spec.parameters) {
        text += fmt::format("{}{}={}", separator, parameter, value);
        separator = " ";
    }
    return text;
}

}  // namespace spmvgen
