#pragma once
#include "text/verb.hpp"

namespace spmvgen::cli {

/// The parts of `spmvgen pack`.
void add_pack_build(CLI::App& pack, Verbs& verbs);
void add_pack_list(CLI::App& pack, Verbs& verbs);
void add_pack_verify(CLI::App& pack, Verbs& verbs);
void add_pack_merge(CLI::App& pack, Verbs& verbs);

}  // namespace spmvgen::cli
