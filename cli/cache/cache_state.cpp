#include "cache/cache_state.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "store/shared_lines.hpp"
#include "text/units.hpp"

namespace spmvgen::cli {
namespace {

namespace fs = std::filesystem;

/// Whether files can be made in `directory`, or it in the nearest directory that exists.
bool can_write(const std::string& directory) {
    std::error_code error;
    fs::path path = fs::absolute(directory, error);
    while (!fs::exists(path, error) && path.has_relative_path()) path = path.parent_path();
    return access(path.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

CacheState cache_state(const Store& store) {
    CacheState state;
    std::error_code error;
    state.directory = store.directory();
    state.exists = fs::is_directory(state.directory, error);
    state.writable = can_write(state.directory);
    state.max_bytes = store.max_bytes();
    for (auto& entry : store.list()) {
        ++state.entries;
        state.bytes += entry.bytes;
        if (!entry.problem.empty()) ++state.unsound;
    }
    SharedLines choices({state.directory, true}, choices_name, false);
    state.choices = std::ranges::count(choices.read(), '\n');
    return state;
}

Json to_json(const CacheState& state) {
    return {{"directory", state.directory}, {"exists", state.exists},  {"writable", state.writable},
            {"entries", state.entries},     {"bytes", state.bytes},    {"unsound", state.unsound},
            {"max_bytes", state.max_bytes}, {"choices", state.choices}};
}

std::string to_string(const CacheState& state) {
    std::string text = state.directory + ": ";
    text += state.exists
                ? plural(state.entries, "entry") + ", " + in_bytes(static_cast<double>(state.bytes))
                : "not made yet";
    if (state.exists && state.max_bytes > 0)
        text += " of at most " + in_bytes(static_cast<double>(state.max_bytes));
    if (state.choices > 0) text += ", " + plural(state.choices, "choice");
    if (state.unsound > 0)
        text += fmt::format(", {} unsound (see: spmvgen cache list)", state.unsound);
    if (!state.writable) text += ", not writable";
    return text;
}

}  // namespace spmvgen::cli
