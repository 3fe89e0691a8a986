#pragma once
/// spmvgen: the kernels of this process as bytes, for other processes: one compiles, all run.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spmvgen {

/// All kernels that this process has loaded or imported, as the bytes of a kernel set
/// (docs/reference/files.md): the same bytes for the same kernels, in whatever order they came.
/// Safe to call from any thread; waits for kernels that are being made.
std::string export_kernels();

/// What became of the kernels of a blob.
struct ImportReport {
    std::int64_t accepted = 0;
    std::int64_t rejected = 0;         ///< entries; of a blob that is no kernel set, 1
    std::vector<std::string> reasons;  ///< why, each once
};

/// Takes the kernels of a blob of export_kernels(), or of a kernel set's file, for all handles of
/// this process that are made from now on: they are looked for here before any directory or
/// compiler is. What is damaged or was made by another spmvgen is rejected, and the rest taken. The
/// blob is code that this process will run: take it from whom you trust. It is copied; never given
/// back. Safe to call from any thread; throws nothing but std::bad_alloc.
ImportReport import_kernels(std::string_view blob);

}  // namespace spmvgen
