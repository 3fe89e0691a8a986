#pragma once
#include <chrono>
#include <functional>
#include <string>

namespace spmvgen {

/// Runs `work` in a forked child and returns what it returned. An Error that it throws is thrown
/// here, with its code. When the child crashes, exits or does not end within `limit` (it is killed
/// then), Error(internal) says so, with the last that the child wrote to its output; its memory and
/// locks never were ours. Thread safe; `work` must not need the other threads of this process.
/// Throws Error(io) when no process can be made.
std::string run_isolated(const std::string& what, std::chrono::milliseconds limit,
                         const std::function<std::string()>& work);

}  // namespace spmvgen
