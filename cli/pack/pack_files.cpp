#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <system_error>

#include "pack/pack.hpp"
#include "sets/exported.hpp"
#include "sets/search.hpp"
#include "spmvgen/error.hpp"
#include "text/output.hpp"
#include "text/units.hpp"

namespace spmvgen::cli {
namespace {

struct FileOptions {
    std::vector<std::string> files;
    std::string output, prefer;
    bool json = false;
};

KernelSet open_or_say(const std::string& path) {
    try {
        return open_set(path);
    } catch (const std::system_error& e) {
        throw Error(ErrorCode::io, path + ": " + e.code().message());
    } catch (const BadSet& e) {
        throw Error(ErrorCode::invalid_input, path + ": " + e.what());
    }
}

bool is_ours(const SetHeader& h) {
    return h.maker == this_maker() && h.launch_abi == launch_abi;
}

std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (auto& text : texts) all += (all.empty() ? "" : ", ") + text;
    return all;
}

Json summary_json(const std::string& path, const KernelSet& set) {
    const SetHeader& h = set.header();
    return {{"path", path},
            {"name", h.name},
            {"targets", h.targets},
            {"kernels", set.size()},
            {"bytes", set.file_bytes()},
            {"version", h.version},
            {"compiler", h.maker.compiler + " " + h.maker.compiler_series},
            {"generator", h.maker.generator},
            {"usable", is_ours(h)}};
}

/// An entry's name, or what is wrong with it.
struct Line {
    std::string name = {}, target = {}, kind = {}, compiler = {}, problem = {};
};

Line line_of(const KernelSet& set, std::size_t i) {
    try {
        const Summary s = summary_of_entry(set.entry(i));
        const auto kind = s.key.fields.find("binary");
        const auto* text =
            kind != s.key.fields.end() ? std::get_if<std::string>(&kind->second) : nullptr;
        return {s.name, s.target, text != nullptr ? *text : "", s.compiler, ""};
    } catch (const std::runtime_error& e) {
        return {.problem = e.what()};
    }
}

void list_one(const std::string& path, const KernelSet& set, std::ostream& out) {
    const SetHeader& h = set.header();
    out << fmt::format("{}: {}, {} for {}, {}, of spmvgen {}{}\n", path, h.name,
                       plural(static_cast<std::int64_t>(set.size()), "kernel"), joined(h.targets),
                       in_bytes(static_cast<double>(set.file_bytes())), h.version,
                       is_ours(h) ? "" : ", of no use here: its kernels are another spmvgen's");
    for (std::size_t i = 0; i < set.size(); ++i) {
        const Line line = line_of(set, i);
        out << fmt::format("{:>9}  {}\n", in_bytes(static_cast<double>(set.entry_bytes(i))),
                           line.problem.empty()
                               ? fmt::format("{}@{}  {}", line.name, line.target, line.kind)
                               : "damaged: " + line.problem);
    }
}

Json entries_json(const KernelSet& set) {
    Json entries = Json::array();
    for (std::size_t i = 0; i < set.size(); ++i) {
        const Line line = line_of(set, i);
        entries.push_back({{"name", line.name},
                           {"target", line.target},
                           {"kind", line.kind},
                           {"bytes", set.entry_bytes(i)},
                           {"compiler", line.compiler},
                           {"digest", set.digest(i)},
                           {"problem", line.problem}});
    }
    return entries;
}

void list(const FileOptions& o, Streams& streams) {
    Json all = Json::array();
    for (auto& path : o.files) {
        const KernelSet set = open_or_say(path);
        if (o.json) {
            all.push_back(summary_json(path, set));
            all.back()["entries"] = entries_json(set);
        } else {
            list_one(path, set, streams.out);
        }
    }
    if (o.json) print_json(streams.out, {{"sets", all}});
}

/// What is wrong with a file, a line each.
std::vector<std::string> problems_of(const std::string& path) {
    try {
        return open_or_say(path).problems();
    } catch (const Error& error) {
        return {std::string(error.what()).substr(path.size() + 2)};
    }
}

void verify(const FileOptions& o, Streams& streams) {
    Json all = Json::array();
    int damaged = 0;
    for (auto& path : o.files) {
        const std::vector<std::string> problems = problems_of(path);
        damaged += problems.empty() ? 0 : 1;
        if (o.json) {
            all.push_back({{"path", path}, {"sound", problems.empty()}, {"problems", problems}});
            continue;
        }
        streams.out << path << (problems.empty() ? ": sound" : ": damaged") << "\n";
        for (auto& problem : problems) streams.out << "  " << problem << "\n";
    }
    if (o.json) print_json(streams.out, {{"sets", all}});
    if (damaged > 0)
        throw Error(ErrorCode::invalid_input,
                    plural(damaged, "kernel set") + " of " + std::to_string(o.files.size()) +
                        " is damaged: make it anew with spmvgen pack build");
}

void check_sound(const std::string& path, const KernelSet& set) {
    if (const auto problems = set.problems(); !problems.empty())
        throw Error(ErrorCode::invalid_input, path + ": " + problems.front());
}

void merge(const FileOptions& o, Streams& streams) {
    if (!o.prefer.empty() && o.prefer != "first" && o.prefer != "last")
        throw UsageError("--prefer: unknown word '" + o.prefer + "': use first or last");
    SetEntries entries;
    SetHeader header;
    for (auto& path : o.files) {
        const KernelSet set = open_or_say(path);
        check_sound(path, set);
        const SetHeader& h = set.header();
        if (&path == &o.files.front()) header = h;
        if (h.maker != header.maker || h.launch_abi != header.launch_abi)
            throw Error(ErrorCode::invalid_argument,
                        path + ": was made by another spmvgen than " + o.files.front() +
                            ": a set holds the kernels of one; make both anew");
        for (auto& target : h.targets)
            if (std::ranges::find(header.targets, target) == header.targets.end())
                header.targets.push_back(target);
        if (h.name != header.name) header.name = "merged";
        for (std::size_t i = 0; i < set.size(); ++i) {
            const std::string bytes = set.entry(i);
            const auto [known, added] = entries.try_emplace(set.digest(i), bytes);
            if (added || known->second == bytes) continue;
            if (o.prefer.empty())
                throw Error(ErrorCode::invalid_argument,
                            fmt::format("{}: {} is in another set with other bytes: choose with "
                                        "--prefer first or last",
                                        path, line_of(set, i).name));
            if (o.prefer == "last") known->second = bytes;
        }
    }
    std::ranges::sort(header.targets);
    const std::string bytes = encode_set(header, entries);
    write_file(o.output, bytes, streams.out);
    if (!is_standard_output(o.output))
        streams.out << fmt::format("{}: {}, {}\n", o.output, plural(std::ssize(entries), "kernel"),
                                   in_bytes(static_cast<double>(bytes.size())));
}

CLI::App* add(CLI::App& pack, Verbs& verbs, const std::shared_ptr<FileOptions>& o, const char* name,
              const char* summary, void (*work)(const FileOptions&, Streams&)) {
    CLI::App* verb = pack.add_subcommand(name, summary);
    verb->add_option("files", o->files, "kernel sets")->type_name("A.spmvset")->required();
    verbs.push_back({verb, [o, work](Streams& streams) { work(*o, streams); }});
    return verb;
}

void add_json(CLI::App& verb, FileOptions& o) {
    verb.add_flag("--json", o.json, "print one JSON object instead");
}

}  // namespace

void add_pack_list(CLI::App& pack, Verbs& verbs) {
    auto o = std::make_shared<FileOptions>();
    CLI::App* verb = add(pack, verbs, o, "list", "what is in sets", list);
    add_json(*verb, *o);
    verb->footer("Examples:\n  spmvgen pack list A.spmvset\n  spmvgen pack list A.spmvset --json");
}

void add_pack_verify(CLI::App& pack, Verbs& verbs) {
    auto o = std::make_shared<FileOptions>();
    CLI::App* verb =
        add(pack, verbs, o, "verify", "check every byte; exit status 1 for any damage", verify);
    add_json(*verb, *o);
    verb->footer(
        "Examples:\n  spmvgen pack verify A.spmvset\n  spmvgen pack verify A.spmvset --json");
}

void add_pack_merge(CLI::App& pack, Verbs& verbs) {
    auto o = std::make_shared<FileOptions>();
    CLI::App* verb = add(pack, verbs, o, "merge", "one set of several", merge);
    verb->add_option("-o,--output", o->output, "the merged set")
        ->type_name("B.spmvset")
        ->required();
    verb->add_option("--prefer", o->prefer,
                     "first or last: whose bytes to take where sets differ (default: an error)")
        ->type_name("WHICH");
    verb->footer(
        "Examples:\n"
        "  spmvgen pack merge A.spmvset A.spmvset -o B.spmvset\n"
        "  spmvgen pack merge A.spmvset B.spmvset --prefer last -o C.spmvset");
}

}  // namespace spmvgen::cli
