#pragma once

namespace spmvgen {

/// Calls of operator new and aligned_alloc in this process so far, libraries' included. In a file
/// of its own, for compilers look through replacements that they can inline.
int allocations_so_far();

}  // namespace spmvgen
