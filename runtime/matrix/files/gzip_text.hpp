#pragma once
#include <memory>

#include "matrix/files/text_source.hpp"

namespace spmvgen {

/// The text of a gzip file of one or more members. One thread inflates at a time while the others
/// parse what they have. Damage is a TextError at the place where the text ends.
std::unique_ptr<TextSource> open_gzip_text(const InputFile& file, std::size_t block_bytes);

}  // namespace spmvgen
