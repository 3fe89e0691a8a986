#include "sets/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "process/library_folders.hpp"
#include "sets/compatible.hpp"
#include "store/entry.hpp"

namespace spmvgen {
namespace {

namespace fs = std::filesystem;

std::string environment() {
    const char* value = secure_getenv("SPMVGEN_KERNEL_SETS");
    return value != nullptr ? value : "";
}

void add_files(std::vector<std::string>& files, const std::string& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
        files.push_back(path);
        return;
    }
    std::vector<std::string> inside;
    for (auto item = fs::directory_iterator(path, error); item != fs::directory_iterator();
         item.increment(error)) {
        if (item->path().extension() == set_suffix) inside.push_back(item->path().string());
        if (error) break;
    }
    std::ranges::sort(inside);
    files.insert(files.end(), inside.begin(), inside.end());
}

NamedSet open_named(const std::string& path, const Maker& maker) {
    NamedSet named{path, nullptr, ""};
    try {
        named.set = std::make_shared<const KernelSet>(open_set(path));
        const SetHeader& h = named.set->header();
        if (h.maker != maker || h.launch_abi != launch_abi)
            named.problem = fmt::format(
                "it was made by another spmvgen (version {}, {} {}), whose kernels are not those "
                "of "
                "this one: make it anew with spmvgen pack build",
                h.version, h.maker.compiler, h.maker.compiler_series);
    } catch (const std::system_error& e) {
        named.problem = e.code().message();
    } catch (const std::runtime_error& e) {
        named.problem = e.what();
    }
    return named;
}

}  // namespace

std::vector<std::string> set_files(const std::string& list) {
    std::vector<std::string> files;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(':', begin), list.size());
        if (end > begin) add_files(files, list.substr(begin, end - begin));
        begin = end + 1;
    }
    return files;
}

std::vector<NamedSet> find_sets(const std::string& option, const Maker& maker) {
    std::vector<std::string> files = set_files(option);
    for (auto& file : set_files(environment())) files.push_back(file);
    for (auto& folder : library_folders()) {
        std::error_code error;
        const fs::path own = folder / "spmvgen" / "kernel-sets";
        if (fs::is_directory(own, error)) add_files(files, own.string());
    }
    std::vector<NamedSet> sets;
    for (auto& file : files)
        if (std::ranges::find(sets, file, &NamedSet::path) == sets.end())
            sets.push_back(open_named(file, maker));
    return sets;
}

bool search_sets(const std::vector<NamedSet>& sets, const Signature& signature,
                 const std::vector<BinaryKind>& kinds, const Maker& maker,
                 const std::function<bool(const FoundInSet&)>& use,
                 const std::function<void(const std::string&)>& warn) {
    if (sets.empty()) return false;
    const auto holds = [&](const NamedSet& named, const Signature& wanted, BinaryKind kind) {
        try {
            auto binary = named.set->find(key_of(wanted, kind, maker));
            if (!binary) return false;
            binary->signature = wanted;
            binary->kind = kind;
            return use({std::move(*binary), named.path});
        } catch (const std::runtime_error& e) {
            warn(fmt::format("kernel set {}: the entry of {} is passed over: {}", named.path,
                             to_string(wanted), e.what()));
            return false;
        }
    };
    for (const BinaryKind kind : kinds)
        for (auto& target : compatible_targets(signature.target, kind)) {
            Signature wanted = signature;
            wanted.target = target;
            for (auto& named : sets)
                if (named.problem.empty() && holds(named, wanted, kind)) return true;
        }
    return false;
}

std::shared_ptr<const std::vector<NamedSet>> OpenedSets::of(
    const std::string& option, const std::function<void(const std::string&)>& warn) {
    // With the variable in it: a program may set it between two handles.
    const std::string name = option + "\n" + environment();
    const std::lock_guard lock(mutex_);
    auto& sets = known_[name];
    if (sets == nullptr) {
        sets = std::make_shared<const std::vector<NamedSet>>(find_sets(option));
        for (auto& named : *sets)
            if (!named.problem.empty())
                warn(fmt::format("kernel set {} is not used: {}", named.path, named.problem));
    }
    return sets;
}

}  // namespace spmvgen
