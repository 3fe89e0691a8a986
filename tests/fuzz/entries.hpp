#pragma once
#include <string>

#include "samples.hpp"
#include "store/key.hpp"
#include "support.hpp"

/// Inputs that stand for entries of the store.
namespace spmvgen::fuzz {

/// The key of sample_signature() by sample_maker(): what is looked for.
Key wanted_key();

/// An input is a byte of flags and, without flag 1, the entry. With flag 1 it is the lengths of
/// header and source (two bytes each) and then header, source and payload; the entry around them
/// gets right lengths and a right checksum. With flag 2, too, the header gets the digests that
/// belong to source, flags and compiler; with flag 4, the key that is looked for.
std::string assembled_entry(Input input);

}  // namespace spmvgen::fuzz
