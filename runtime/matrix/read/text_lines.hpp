#pragma once
#include <cstdint>

#include "matrix/files/text_source.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {

struct MirrorConflict;
struct TextError;

// These read the file again from its begin, which only happens once something is wrong.

/// `file:line: what` for an error in the text of `file`.
Error located(const InputFile& file, const TextError& error);

/// Number of the line that holds the byte at `offset` of the text; of the last line when the text
/// is shorter.
std::int64_t line_number(const InputFile& file, std::int64_t offset);

/// Where entry `ordinal` (from 0) of the data starting at `data_offset` stands, or the end of the
/// text.
std::int64_t entry_offset(const InputFile& file, std::int64_t data_offset, std::int64_t ordinal);

/// The line that stores the other side of a mirrored pair first, as an error.
TextError find_conflict(const InputFile& file, std::int64_t data_offset,
                        const MirrorConflict& conflict);

}  // namespace spmvgen
