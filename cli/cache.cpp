#include <fmt/format.h>

#include <memory>

#include "cache_state.hpp"
#include "output.hpp"
#include "spmvgen/error.hpp"
#include "units.hpp"
#include "verb.hpp"

namespace spmvgen::cli {

namespace {

struct CacheOptions {
    std::string directory;
    bool json = false;
};

void info(const CacheOptions& o, std::ostream& out) {
    const CacheState state = cache_state(Store(o.directory, false));
    if (o.json)
        print_json(out, to_json(state));
    else
        out << to_string(state) << "\n";
}

void list(const CacheOptions& o, std::ostream& out) {
    const Store store(o.directory, false);
    Json entries = Json::array();
    for (auto& entry : store.list()) {
        if (o.json)
            entries.push_back({{"path", entry.path},
                               {"name", entry.name},
                               {"target", entry.target},
                               {"bytes", entry.bytes},
                               {"problem", entry.problem}});
        else
            out << fmt::format("{:>9}  {}\n           {}\n",
                               in_bytes(static_cast<double>(entry.bytes)),
                               entry.problem.empty() ? entry.name + "@" + entry.target
                                                     : "unsound: " + entry.problem,
                               entry.path);
    }
    if (o.json) print_json(out, {{"directory", store.directory()}, {"entries", entries}});
}

void clear(const CacheOptions& o, std::ostream& out) {
    Store store(o.directory);
    const int removed = store.clear();
    const auto left = static_cast<std::int64_t>(store.list().size());
    if (left > 0)
        throw Error(ErrorCode::io, store.directory() + ": " + plural(left, "entry") +
                                       " could not be removed (" + std::to_string(removed) +
                                       " were): look at the directory's owner and permissions");
    if (o.json)
        print_json(out, {{"directory", store.directory()}, {"removed", removed}});
    else
        out << store.directory() << ": " << plural(removed, "entry") << " removed\n";
}

}  // namespace

void add_cache(CLI::App& program, Verbs& verbs) {
    auto o = std::make_shared<CacheOptions>();
    CLI::App* verb = program.add_subcommand("cache", "the kernels that are kept on disk");
    verb->require_subcommand(1);
    const auto add = [&](const char* name, const char* summary, auto work) {
        CLI::App* sub = verb->add_subcommand(name, summary);
        sub->add_option("--cache-dir", o->directory,
                        "the cache's directory (default: $SPMVGEN_CACHE_DIR, else "
                        "~/.cache/spmvgen/v2)")
            ->type_name("DIR");
        sub->add_flag("--json", o->json, "print one JSON object instead");
        sub->footer(std::string("Examples:\n  spmvgen cache ") + name + "\n  spmvgen cache " +
                    name + " --cache-dir kernels --json");
        verbs.push_back({sub, [o, work](Streams& streams) { work(*o, streams.out); }});
    };
    add("info", "where it is and how much is in it", info);
    add("list", "its entries", list);
    add("clear", "remove all entries", clear);
    verb->footer("Examples:\n  spmvgen cache info\n  spmvgen cache list\n  spmvgen cache clear");
}

}  // namespace spmvgen::cli
