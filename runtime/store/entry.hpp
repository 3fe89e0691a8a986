#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "store/key.hpp"

/// The bytes of one entry (runtime/store/README.md). Pure functions: no files, no clock, no
/// environment.
namespace spmvgen {

inline constexpr std::size_t preamble_bytes = 32;
inline constexpr std::uint64_t max_header_bytes = std::uint64_t{1} << 20;
inline constexpr std::uint64_t max_entry_bytes = std::uint64_t{1} << 30;

/// Why an entry cannot be used.
class BadEntry : public std::runtime_error {
  public:
    explicit BadEntry(const std::string& reason, bool newer = false)
        : std::runtime_error(reason), newer_(newer) {}
    /// Written by a later version of spmvgen: of no use here, but sound.
    bool newer() const noexcept { return newer_; }

  private:
    bool newer_;
};

/// What an entry says of its making beside the kernel itself.
struct Provenance {
    std::string version;       ///< of spmvgen: "0.2.0"
    std::int64_t created = 0;  ///< seconds since 1970, UTC
};

/// The whole entry. Throws Error(internal) when the binary contradicts itself (source and its
/// digest), has text that is not UTF-8 where the header needs it, or is larger than
/// max_entry_bytes.
std::string encode_entry(const Key& key, const KernelBinary& binary, const Provenance& made);

/// The lengths of an entry's parts.
struct Preamble {
    std::uint64_t header_bytes = 0, source_bytes = 0, payload_bytes = 0;
};

/// Checks magic, version, and the lengths against the size of the file, from its first
/// preamble_bytes. Throws BadEntry.
Preamble read_preamble(std::string_view first, std::uint64_t file_bytes);

/// What the header alone tells people. Not checked against the checksum.
struct Summary {
    Key key;
    std::string name, target, compiler, version, created;
};
Summary read_summary(std::string_view header);

/// Checks everything and returns the binary (its signature and kind, which the key holds, are left
/// to the caller). `bytes` is the whole file. Throws BadEntry.
KernelBinary decode_entry(std::string_view bytes, const Key& key);

}  // namespace spmvgen
