#include "cache/cache.hpp"

#include <fmt/format.h>

#include <memory>

#include "cache/cache_state.hpp"
#include "spmvgen/error.hpp"
#include "text/output.hpp"
#include "text/units.hpp"

namespace spmvgen::cli {

namespace {

struct ListOptions : CacheOptions {
    bool names = false;
};

void info(const ListOptions& o, std::ostream& out) {
    const CacheState state = cache_state(Store(o.directory, false));
    if (o.json)
        print_json(out, to_json(state));
    else
        out << to_string(state) << "\n";
}

void list(const ListOptions& o, std::ostream& out) {
    if (o.names && o.json) throw UsageError("--names: is text, --json has the names too; drop one");
    const Store store(o.directory, false);
    Json entries = Json::array();
    for (auto& entry : store.list()) {
        const std::string name = entry.name + "@" + entry.target;
        if (o.json)
            entries.push_back({{"path", entry.path},
                               {"name", entry.name},
                               {"target", entry.target},
                               {"bytes", entry.bytes},
                               {"problem", entry.problem}});
        else if (!o.names)
            out << fmt::format(
                "{:>9}  {}\n           {}\n", in_bytes(static_cast<double>(entry.bytes)),
                entry.problem.empty() ? name : "unsound: " + entry.problem, entry.path);
        else if (entry.problem.empty())
            out << name << "\n";
    }
    if (o.json) print_json(out, {{"directory", store.directory()}, {"entries", entries}});
}

void clear(const ListOptions& o, std::ostream& out) {
    Store store(o.directory);
    require_usable(store);
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

void add_cache_options(CLI::App& verb, CacheOptions& o) {
    verb.add_option("--cache-dir", o.directory,
                    "the cache's directory (default: $SPMVGEN_CACHE_DIR, else "
                    "~/.cache/spmvgen/v2)")
        ->type_name("DIR");
    verb.add_flag("--json", o.json, "print one JSON object instead");
}

void require_usable(const Store& store) {
    if (const std::string problem = store.problem(); !problem.empty())
        throw Error(ErrorCode::io, store.directory() + " is not used: " + problem);
}

void add_cache(CLI::App* verb, Verbs& verbs) {
    verb->require_subcommand(1);
    const auto add = [&](const char* name, const char* summary, auto work) {
        auto o = std::make_shared<ListOptions>();
        CLI::App* sub = verb->add_subcommand(name, summary);
        add_cache_options(*sub, *o);
        if (work == list)
            sub->add_flag("--names", o->names,
                          "only the sound ones' names, a line each, for: cache warm --list");
        sub->footer(std::string("Examples:\n  spmvgen cache ") + name + "\n  spmvgen cache " +
                    name + " --cache-dir kernels --json");
        verbs.push_back({sub, [o, work](Streams& streams) { work(*o, streams.out); }});
    };
    add("info", "where it is and how much is in it", info);
    add("list", "its entries", list);
    add_cache_verify(*verb, verbs);
    add_cache_prune(*verb, verbs);
    add("clear", "remove all entries, and what was chosen for matrices", clear);
    add_cache_warm(*verb, verbs);
    verb->footer("Examples:\n  spmvgen cache info\n  spmvgen cache list\n  spmvgen cache clear");
}

}  // namespace spmvgen::cli
