#include <dlfcn.h>
#include <fmt/format.h>
#include <omp.h>

#include <memory>
#include <sstream>
#include <thread>

#include "cache/cache_state.hpp"
#include "devices/device.hpp"
#include "doctor/machine.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "matrix/memory_limit.hpp"
#include "measure/bandwidth.hpp"
#include "sets/search.hpp"
#include "spmvgen/spmvgen.hpp"
#include "spmvgen/target.hpp"
#include "text/output.hpp"
#include "text/units.hpp"
#include "text/verb.hpp"
#include "tuner/files/tuning_files.hpp"

namespace spmvgen::cli {
namespace {

/// What is missing, and the command or change that brings it.
struct Missing {
    std::string what, remedy;
};

struct Findings {
    std::string cpu, target;
    int threads = 0;
    unsigned processors = 0;
    std::string openmp, library;
    std::string generator;  // path; "" = not loaded
    std::map<std::string, std::string> versions;
    std::string devices;  // a line each
    CacheState cache;
    std::string tuning;  // where tuning files are from
    std::vector<NamedSet> sets;
    std::vector<Missing> missing;
};

/// The file that holds the function at `address`.
std::string file_of(const void* address) {
    Dl_info info;
    return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

void look_for_target(Findings& f) {
    try {
        f.target = to_string(parse_target("native"));
    } catch (const Error& error) {
        f.missing.push_back({error.what(), "use a machine that runs one of them"});
    }
}

void look_for_generator(Findings& f) {
    try {
        f.versions = load_generator().versions();
        f.generator = generator_path();
    } catch (const Error& error) {
        f.missing.push_back(
            {error.what(),
             "build spmvgen whole, or set SPMVGEN_JIT to libspmvgen_jit.so; its libraries come "
             "with: apt-get install libclang-cpp19 libllvm19. Kernels in the cache and the "
             "generic kernel run without it"});
    }
}

void look_at_cache(Findings& f) {
    f.cache = cache_state(Store("", false));
    if (!f.cache.writable)
        f.missing.push_back({f.cache.directory + " cannot be written: every process compiles anew",
                             "set SPMVGEN_CACHE_DIR to a directory that you own"});
    if (f.cache.unsound > 0)
        f.missing.push_back({plural(f.cache.unsound, "entry") + " of the cache cannot be used",
                             "nothing has to be done; spmvgen cache clear removes them"});
}

void look_for_tuning_files(Findings& f) {
    f.tuning = describe_tuning_places();
    if (const std::string trouble = given_tuning_trouble(); !trouble.empty())
        f.missing.push_back({trouble,
                             "set SPMVGEN_TUNING_DB to a directory with tuning files, or "
                             "unset it"});
    if (!shipped_tuning_folder().empty()) return;
    std::string places;
    for (auto& place : shipped_tuning_places()) places += (places.empty() ? "" : ", ") + place;
    f.missing.push_back({"tuning files are in none of " + places,
                         "cmake --install BUILD --component tuning, or package spmvgen-data, "
                         "brings them; built-in profiles and rules choose kernels without them"});
}

void look_for_sets(Findings& f) {
    f.sets = find_sets("");
    for (auto& named : f.sets)
        if (!named.problem.empty())
            f.missing.push_back({"kernel set " + named.path + " is not used: " + named.problem,
                                 "make it anew with spmvgen pack build, or take it out of "
                                 "$SPMVGEN_KERNEL_SETS or of the folder beside the library"});
}

Findings look() {
    Findings f;
    f.cpu = cpu_name();
    f.threads = omp_get_max_threads();
    f.processors = std::thread::hardware_concurrency();
    f.openmp = file_of(reinterpret_cast<const void*>(&omp_get_max_threads));
    f.library = file_of(reinterpret_cast<const void*>(static_cast<const char* (*)()>(&version)));
    look_for_target(f);
    look_for_generator(f);
    f.devices = describe_devices();
    look_at_cache(f);
    look_for_tuning_files(f);
    look_for_sets(f);
    return f;
}

std::vector<std::string> split_lines(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::string targets_of(const NamedSet& named) {
    std::string text;
    for (auto& target : named.set->header().targets) text += (text.empty() ? "" : ", ") + target;
    return text;
}

std::string to_string(const NamedSet& named) {
    if (!named.problem.empty()) return named.path + ": not used";
    return fmt::format("{}: {} for {}", named.path,
                       plural(static_cast<std::int64_t>(named.set->size()), "kernel"),
                       targets_of(named));
}

Json sets_json(const std::vector<NamedSet>& sets) {
    Json list = Json::array();
    for (auto& named : sets)
        list.push_back(
            {{"path", named.path},
             {"kernels", named.set ? named.set->size() : 0},
             {"targets", named.set ? named.set->header().targets : std::vector<std::string>()},
             {"problem", named.problem}});
    return list;
}

Json findings_json(const Findings& f) {
    Json missing = Json::array();
    for (auto& m : f.missing) missing.push_back({{"what", m.what}, {"remedy", m.remedy}});
    return {{"version", version()},
            {"cpu",
             {{"model", f.cpu},
              {"native", f.target},
              {"processors", f.processors},
              {"last_level_cache_bytes", last_level_cache_bytes()},
              {"available_memory_bytes", available_memory()}}},
            {"openmp", {{"threads", f.threads}, {"version", _OPENMP}, {"path", f.openmp}}},
            {"libspmvgen", f.library},
            {"libspmvgen_jit", {{"path", f.generator}, {"versions", f.versions}}},
            {"devices", split_lines(f.devices)},
            {"cache", to_json(f.cache)},
            {"tuning_files", f.tuning},
            {"kernel_sets", sets_json(f.sets)},
            {"missing", missing}};
}

void print(const Findings& f, std::ostream& out) {
    const auto row = [&](const char* what, const std::string& found) {
        out << fmt::format("{:<14} {}\n", what, found);
    };
    row("spmvgen", version());
    row("cpu", f.cpu);
    row("native", f.target.empty() ? "none" : f.target);
    row("memory", in_bytes(static_cast<double>(available_memory())) + " available, " +
                      in_bytes(static_cast<double>(last_level_cache_bytes())) +
                      " last-level cache");
    row("threads", fmt::format("{} of OpenMP on {}", f.threads, plural(f.processors, "processor")));
    row("openmp", fmt::format("{} ({})", f.openmp, _OPENMP));
    row("runtime", f.library);
    row("generator", f.generator.empty() ? "not found" : f.generator);
    for (auto& [name, text] : f.versions) row(name.c_str(), text);
    for (auto& line : split_lines(f.devices)) row("device", line);
    row("cache", to_string(f.cache));
    row("tuning files", f.tuning);
    for (auto& named : f.sets) row("kernel set", to_string(named));
    if (f.missing.empty()) out << "nothing is missing\n";
    for (auto& m : f.missing) out << "\nmissing: " << m.what << "\n  remedy: " << m.remedy << "\n";
}

}  // namespace

void add_doctor(CLI::App* verb, Verbs& verbs) {
    auto json = std::make_shared<bool>(false);
    verb->add_flag("--json", *json, "print one JSON object instead");
    verb->footer("Examples:\n  spmvgen doctor\n  spmvgen doctor --json");
    verbs.push_back({verb, [json](Streams& streams) {
                         const Findings findings = look();
                         if (*json)
                             print_json(streams.out, findings_json(findings));
                         else
                             print(findings, streams.out);
                     }});
}

}  // namespace spmvgen::cli
