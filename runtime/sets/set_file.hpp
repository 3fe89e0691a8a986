#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "spmvgen/kernel.hpp"
#include "store/entry.hpp"
#include "store/key.hpp"

/// The bytes of a kernel set (docs/reference/files.md): many entries of the store in one file, with
/// an index. Nothing here looks at the environment.
namespace spmvgen {

/// The version of the format of sets.
inline constexpr std::uint32_t set_format = 1;
inline constexpr std::size_t set_preamble_bytes = 64;
inline constexpr std::size_t set_index_bytes = 48;  ///< of one entry in the index
inline constexpr std::size_t set_alignment = 16;
inline constexpr std::string_view set_suffix = ".spmvset";

/// Why a set cannot be used.
class BadSet : public std::runtime_error {
  public:
    explicit BadSet(const std::string& reason) : std::runtime_error(reason) {}
};

/// What a set says of itself as a whole.
struct SetHeader {
    Maker maker;                                    ///< of all its entries
    std::int64_t launch_abi = spmvgen::launch_abi;  ///< of all its entries
    std::string version;                            ///< of the spmvgen that wrote it
    std::string name;                               ///< of the manifest: "default"; for people
    std::vector<std::string> targets;               ///< of its entries, sorted; for people
    bool operator==(const SetHeader&) const = default;
};

/// Entries (bytes of runtime/store/README.md) by the digest of their key, 64 hexadecimal digits.
using SetEntries = std::map<std::string, std::string>;

/// The whole file; the same for the same arguments. Throws Error(internal) when a digest is none.
std::string encode_set(const SetHeader& header, const SetEntries& entries);

/// Where a set's bytes come from.
class SetBytes {
  public:
    virtual ~SetBytes() = default;
    virtual std::uint64_t size() const = 0;
    /// `count` bytes from `offset`; fewer when the file ends before. Throws std::system_error.
    virtual std::string read(std::uint64_t offset, std::uint64_t count) const = 0;
};

/// A set that was opened: its header and index are in memory and checked, its entries are read when
/// they are looked up. Safe for any number of threads.
class KernelSet {
  public:
    /// Reads and checks everything in front of the entries. Throws BadSet, std::system_error.
    explicit KernelSet(std::unique_ptr<SetBytes> bytes);

    const SetHeader& header() const { return header_; }
    std::size_t size() const { return count_; }  ///< entries
    std::uint64_t file_bytes() const { return bytes_->size(); }

    std::string digest(std::size_t i) const;  ///< of entry i's key, as text
    std::uint64_t entry_bytes(std::size_t i) const;
    /// The bytes of entry i, not looked at.
    std::string entry(std::size_t i) const;

    /// The binary of a key: a binary search, and one entry read and checked whole. Its signature
    /// and kind, which the key holds, are left to the caller. Throws BadEntry and
    /// std::system_error for an entry that is there and cannot be used.
    std::optional<KernelBinary> find(const Key& key) const;

    /// What is wrong anywhere in the file, a line each: every entry and the bytes between them.
    std::vector<std::string> problems() const;

  private:
    struct Place {
        std::string_view digest;  ///< 32 raw bytes
        std::uint64_t offset = 0, length = 0;
    };
    Place place(std::size_t i) const;
    void check_index() const;

    std::unique_ptr<SetBytes> bytes_;
    SetHeader header_;
    std::string index_;
    std::size_t count_ = 0;
    std::uint64_t entries_at_ = 0;
};

/// What an entry of a set is; its header alone is looked at. Throws BadEntry.
Summary summary_of_entry(std::string_view entry);

/// Whether a key is of that maker's kernels.
bool is_made_by(const Maker& maker, const Key& key);

/// A set in memory, of the given bytes. Throws BadSet.
KernelSet set_from_bytes(std::string bytes);

/// A set in a file. Throws BadSet and std::system_error.
KernelSet open_set(const std::string& path);

}  // namespace spmvgen
