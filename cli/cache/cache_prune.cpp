/// `spmvgen cache verify` and `spmvgen cache prune`.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "cache/cache.hpp"
#include "spmvgen/error.hpp"
#include "store/quantities.hpp"
#include "text/output.hpp"
#include "text/units.hpp"

namespace spmvgen::cli {
namespace {

struct VerifyOptions : CacheOptions {
    bool remove = false;
};

const char* state_of(const Store::Entry& entry) {
    return entry.removed            ? "removed"
           : entry.damaged          ? "damaged"
           : !entry.problem.empty() ? "not usable"
                                    : "sound";
}

void verify(const VerifyOptions& o, std::ostream& out) {
    // The default directory is made when the first kernel is kept; one that is named is meant.
    if (std::error_code unknown;
        !o.directory.empty() && !std::filesystem::exists(o.directory, unknown))
        throw Error(ErrorCode::io, o.directory +
                                       ": there is no such directory: name the one that "
                                       "kernels are kept in (spmvgen cache info)");
    Store store(o.directory, o.remove);
    require_usable(store);
    const auto entries = store.verify(o.remove);
    std::int64_t damaged = 0, removed = 0, unusable = 0;
    Json problems = Json::array();
    std::string lines;
    for (auto& entry : entries) {
        damaged += entry.damaged;
        removed += entry.removed;
        unusable += !entry.damaged && !entry.problem.empty();
        if (entry.problem.empty()) continue;
        problems.push_back({{"path", entry.path},
                            {"name", entry.name},
                            {"problem", entry.problem},
                            {"state", state_of(entry)}});
        lines += fmt::format("{}: {}: {}\n", state_of(entry), entry.path, entry.problem);
    }
    const auto count = static_cast<std::int64_t>(entries.size());
    if (o.json)
        print_json(out, {{"directory", store.directory()},
                         {"entries", count},
                         {"damaged", damaged},
                         {"removed", removed},
                         {"not_usable", unusable},
                         {"problems", problems}});
    else
        out << lines
            << fmt::format("{}: {} read, {} damaged, {} removed\n", store.directory(),
                           plural(count, "entry"), damaged, removed);
    if (damaged > removed)
        throw Error(ErrorCode::io,
                    fmt::format("{} damaged: {}", plural(damaged - removed, "entry"),
                                o.remove ? "could not be removed: look at the directory's owner "
                                           "and permissions"
                                         : "a look-up removes such an entry and makes the kernel "
                                           "again; spmvgen cache verify --remove does so now"));
}

struct PruneOptions : CacheOptions {
    std::string max_size, max_age;
};

Store::Limits limits_of(const PruneOptions& o, const Store& store) {
    Store::Limits limits;
    if (!o.max_size.empty()) {
        limits.bytes = parse_size(o.max_size);
        if (!limits.bytes)
            throw UsageError("--max-size: '" + o.max_size + "' is no size, such as 200M or 1.5G");
    }
    if (!o.max_age.empty()) {
        limits.age_seconds = parse_age(o.max_age);
        if (!limits.age_seconds)
            throw UsageError("--max-age: '" + o.max_age +
                             "' is no time, such as 90d, 12h, 30m or 2w");
    }
    // 0 stands for no limit there.
    if (o.max_size.empty() && o.max_age.empty() && store.max_bytes() > 0)
        limits.bytes = store.max_bytes();
    return limits;
}

void prune(const PruneOptions& o, std::ostream& out) {
    Store store(o.directory);
    const Store::Limits limits = limits_of(o, store);
    require_usable(store);
    const Store::Pruned done = store.prune(limits);
    if (o.json)
        print_json(out,
                   {{"directory", store.directory()},
                    {"max_bytes", limits.bytes ? Json(*limits.bytes) : Json()},
                    {"max_age_seconds", limits.age_seconds ? Json(*limits.age_seconds) : Json()},
                    {"removed", done.entries},
                    {"removed_bytes", done.bytes},
                    {"removed_temporary_files", done.temporary},
                    {"left", done.left},
                    {"left_bytes", done.left_bytes},
                    {"young", done.young},
                    {"refused", done.refused}});
    else
        out << fmt::format("{}: {} removed, {}; {} left, {}{}\n", store.directory(),
                           plural(done.entries, "entry"), in_bytes(static_cast<double>(done.bytes)),
                           done.left, in_bytes(static_cast<double>(done.left_bytes)),
                           done.young > 0 ? fmt::format("; {} beyond the limit stay, for they were "
                                                        "used in the last ten minutes",
                                                        done.young)
                                          : "");
    if (done.refused > 0)
        throw Error(ErrorCode::io, fmt::format("{}: {} could not be removed: look at the "
                                               "directory's owner and permissions",
                                               store.directory(), plural(done.refused, "entry")));
}

}  // namespace

void add_cache_verify(CLI::App& cache, Verbs& verbs) {
    auto o = std::make_shared<VerifyOptions>();
    CLI::App* verb = cache.add_subcommand("verify", "read every byte of it; damage: exit 1");
    add_cache_options(*verb, *o);
    verb->add_flag("--remove", o->remove, "remove the entries that are damaged");
    verb->footer("Examples:\n  spmvgen cache verify\n  spmvgen cache verify --remove --json");
    verbs.push_back({verb, [o](Streams& streams) { verify(*o, streams.out); }});
}

void add_cache_prune(CLI::App& cache, Verbs& verbs) {
    auto o = std::make_shared<PruneOptions>();
    CLI::App* verb = cache.add_subcommand("prune", "remove what was not used for longest");
    add_cache_options(*verb, *o);
    verb->add_option("--max-size", o->max_size,
                     "until no more than this is left: 200M, 1.5G (default, without --max-age: "
                     "$SPMVGEN_CACHE_MAX_SIZE, else 1G)")
        ->type_name("SIZE");
    verb->add_option("--max-age", o->max_age, "all that was not used for so long: 90d, 12h, 2w")
        ->type_name("TIME");
    verb->footer(
        "Examples:\n  spmvgen cache prune\n  spmvgen cache prune --max-size 200M --max-age 90d");
    verbs.push_back({verb, [o](Streams& streams) { prune(*o, streams.out); }});
}

}  // namespace spmvgen::cli
