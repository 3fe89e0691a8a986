#pragma once
#include "bench/cases.hpp"

namespace spmvgen::cli {

/// The line that a file of results begins with: machine, versions, peers, method and command.
Json bench_header(const BenchOptions& options, Place& place, const CaseMethod& method,
                  const std::vector<FoundPeer>& peers);

/// The command line that asks for the same.
std::string command_of(const BenchOptions& options);

}  // namespace spmvgen::cli
