#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "spmvgen/kernel.hpp"

namespace spmvgen {

/// Changes whenever LaunchDescription, or how the runtime calls a step, changes.
inline constexpr std::int64_t launch_abi = 3;

/// The version of the entry format, of the key's serialisation, and of the default directory's
/// name.
inline constexpr std::uint32_t store_format = 2;

/// Who makes kernels here, as far as it is known without loading a compiler.
struct Maker {
    std::string generator;        ///< generator_digest(): templates, registry, generator sources
    std::string compiler;         ///< kind of compiler: "clang"
    std::string compiler_series;  ///< "19.1": releases that may share entries
    bool operator==(const Maker&) const = default;
};

/// The maker that this library was built with.
Maker this_maker();

/// Typed, named fields; the map's order is the canonical order.
struct Key {
    std::map<std::string, std::variant<std::int64_t, std::string>> fields;
    bool operator==(const Key&) const = default;

    /// Hex SHA-256 of the fields, each typed and length-prefixed (runtime/store/README.md), so
    /// that no two different keys are the same bytes.
    std::string digest() const;
};

/// K1, the key that finds an entry: everything that decides what the binary is and that is known
/// before a compiler is loaded.
Key key_of(const Signature& signature, BinaryKind kind, const Maker& maker);

/// K2, the digest of what was really compiled: exact source, flags, and the identity that the
/// loaded compiler gave of itself.
std::string compiled_digest(const KernelBinary& binary);

inline constexpr std::size_t sha256_bytes = 32;

/// The SHA-256 digest, 32 raw bytes.
std::string sha256(std::string_view bytes);

/// Lower-case hexadecimal digits, two for each byte.
std::string to_hex(std::string_view bytes);

}  // namespace spmvgen
