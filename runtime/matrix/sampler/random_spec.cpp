#include "matrix/sampler/random_spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "matrix/gallery/arguments.hpp"
#include "matrix/sampler/families.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using generators::mix;
using sampler::Collection;
using sampler::Family;

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;  // the golden ratio, of 2^64

[[noreturn]] void refuse_draw(std::string_view collection, const std::string& what) {
    throw Error(ErrorCode::invalid_argument, fmt::format("gallery: {}: {}", collection, what));
}

[[noreturn]] void refuse_family(const Collection& collection, std::string_view name) {
    std::vector<std::string_view> names;
    for (const Family& family : collection.families) names.push_back(family.name);
    refuse_draw(collection.name,
                fmt::format("no family '{}'; there are {}", name, fmt::join(names, ", ")));
}

const Collection& collection_of(std::string_view name) {
    const Collection* found = sampler::find_collection(name);
    if (found == nullptr) refuse_draw(name, "no such collection; there are random, lp");
    return *found;
}

const Family& family_of(const Collection& collection, std::string_view name) {
    const Family* found = sampler::find_family(collection.families, name);
    if (found == nullptr) refuse_family(collection, name);
    return *found;
}

/// Each block of as many seeds as there are families has each of them once, in an order of its own.
const Family& family_of(std::span<const Family> all, std::uint64_t seed) {
    const std::uint64_t block = seed / all.size();
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t k = order.size() - 1; k > 0; --k)  // Fisher-Yates
        std::swap(order[k], order[mix(mix(block + golden) + k) % (k + 1)]);
    return all[order[seed % all.size()]];
}

std::uint64_t key_of(std::string_view name) {
    std::uint64_t key = 0;
    for (const char letter : name) key = mix(key + static_cast<unsigned char>(letter) + golden);
    return key;
}

/// From 1000 to `most`, spread evenly over the orders of magnitude: seeds in a row by turns of the
/// golden ratio, which leave no gaps.
std::int64_t wanted_entries(std::uint64_t turn, double most) {
    const sampler::Fixed low = sampler::log2_of(1000);
    const sampler::Fixed high = sampler::log2_of(static_cast<std::uint64_t>(most));
    const auto part = static_cast<sampler::Fixed>(turn >> 48);
    return std::clamp<std::int64_t>(sampler::exp2_of(low + ((high - low) * part >> 16)), 1000,
                                    static_cast<std::int64_t>(most));
}

template <typename T>
T one_of(sampler::Draw& draw, std::span<const T> choices) {
    return choices[static_cast<std::size_t>(
        draw.between(0, static_cast<std::int64_t>(choices.size()) - 1))];
}

}  // namespace

std::int64_t RandomSpec::parameter(std::string_view name) const {
    const auto found =
        std::ranges::find_if(parameters, [&](const auto& known) { return known.first == name; });
    if (found == parameters.end())
        throw Error(ErrorCode::internal,
                    fmt::format("gallery: random: {} has no parameter '{}'", family, name));
    return found->second;
}

std::vector<std::pair<std::string_view, std::string_view>> random_families(
    std::string_view collection) {
    std::vector<std::pair<std::string_view, std::string_view>> list;
    for (const Family& family : collection_of(collection).families)
        list.emplace_back(family.name, family.summary);
    return list;
}

RandomSpec random_spec(std::uint64_t seed, const RandomLimits& limits) {
    const Collection& collection = collection_of(limits.collection);
    if (!(limits.max_nnz >= RandomLimits::least && limits.max_nnz <= RandomLimits::most))
        refuse_draw(collection.name, fmt::format("max_nnz={} is outside {} … {}", limits.max_nnz,
                                                 RandomLimits::least, RandomLimits::most));
    const Family& family = limits.family.empty() ? family_of(collection.families, seed)
                                                 : family_of(collection, limits.family);
    const std::uint64_t key = key_of(family.name);
    sampler::Draw draw(mix(seed) ^ key);
    RandomSpec spec;
    spec.seed = seed;
    spec.collection = collection.name;
    spec.family = family.name;
    spec.entries = wanted_entries(seed * golden + key, limits.max_nnz);
    spec.order = one_of(draw, family.orders);
    spec.values = one_of(draw, family.values);
    spec.transposed = draw.chance(family.transposed) != limits.transposed;
    family.draw(draw, spec);
    return spec;
}

RandomSpec random_spec(std::string_view text, std::string_view name) {
    // Names of families become numbers, which Arguments reads as it does those of all generators.
    const Collection& collection = collection_of(name);
    const auto all = collection.families;
    const double last = static_cast<double>(all.size()) - 1;
    generators::Generator generator{
        collection.name,
        "",
        {{"seed", 1, 0, 9007199254740992},
         {"max_nnz", RandomLimits{}.max_nnz, RandomLimits::least, RandomLimits::most},
         {"family", -1, 0, last}},
        nullptr};
    const bool turns = collection.name != "random";
    if (turns) generator.parameters.push_back({"transposed", 0, 0, 1});
    constexpr std::string_view prefix = "family=";
    std::string numbers;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        std::string item(text.substr(begin, end - begin));
        if (item.starts_with(prefix))
            item = fmt::format("{}{}", prefix,
                               &family_of(collection, item.substr(prefix.size())) - all.data());
        numbers += item;
        if (end < text.size()) numbers += ',';
        begin = end + 1;
    }
    const generators::Arguments arguments(generator, numbers);
    RandomLimits limits{.max_nnz = arguments.real("max_nnz"),
                        .transposed = turns && arguments.whole("transposed") != 0,
                        .collection = std::string(name)};
    if (const std::int64_t number = arguments.whole("family"); number >= 0)
        limits.family = all[static_cast<std::size_t>(number)].name;
    return random_spec(arguments.seed(), limits);
}

CsrMatrix make_random_matrix(const RandomSpec& spec) {
    const Family& family = family_of(collection_of(spec.collection), spec.family);
    return sampler::assemble(spec, family.pattern(spec));
}

}  // namespace spmvgen
