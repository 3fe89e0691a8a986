#pragma once
#include <string>

#include "../store/samples.hpp"
#include "sets/exported.hpp"
#include "sets/set_file.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

inline Signature small_signature(Scale beta, const std::string& target = "x86-64-v3") {
    Signature s;
    s.kernel = "csr_rows";
    s.beta = beta;
    s.target = parse_target(target);
    return s;
}

/// A kernel that cannot be loaded, but kept.
inline KernelBinary small_binary(Scale beta, const std::string& target = "x86-64-v3",
                                 const std::string& payload =
                                     "\x7f"
                                     "ELF") {
    KernelBinary binary;
    binary.signature = small_signature(beta, target);
    binary.bytes = payload;
    binary.launch.steps = {{"csr_rows", StepRule::per_thread, {}}};
    binary.compiler = "clang 19.1.7";
    binary.flags = "-O3";
    binary.source = "// kernel\n";
    binary.source_digest = to_hex(sha256(binary.source));
    return binary;
}

inline SetEntries small_entries() {
    SetEntries entries;
    for (const Scale beta : {Scale::zero, Scale::one, Scale::general})
        add_entry(entries, small_binary(beta));
    return entries;
}

inline std::string small_set(const std::string& name = "small") {
    const SetEntries entries = small_entries();
    return encode_set(header_for(entries, name), entries);
}

inline Key key_here(const Signature& s, BinaryKind kind = BinaryKind::shared_object) {
    return key_of(s, kind, this_maker());
}

}  // namespace spmvgen
