#pragma once
#include "text/verb.hpp"

namespace spmvgen::cli {

/// Adds `spmvgen gallery random`, which tells what matrices seeds stand for.
void add_gallery_random(CLI::App& gallery, Verbs& verbs);
/// Adds `spmvgen gallery lp`: the same for linear programs.
void add_gallery_lp(CLI::App& gallery, Verbs& verbs);

}  // namespace spmvgen::cli
