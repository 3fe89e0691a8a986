#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registry.hpp"
#include "spmvgen/signature.hpp"

/// What goes into a kernel set (docs/reference/files.md, "Manifests of kernel sets").
namespace spmvgen {

/// Where the kernels of a section come from.
enum class SectionKind {
    rules,    ///< all that the tuner's rules may choose for a Handle
    batches,  ///< the same for a BatchHandle
    helpers,  ///< what runs around a reordered product
    kernels   ///< named kernels and parameters
};

/// The parameters of named kernels.
enum class ParamsOf { presets, all, listed };

/// Kernels that have something in common: every combination of the lists.
struct ManifestSection {
    SectionKind choose = SectionKind::rules;
    std::vector<TargetKind> on{TargetKind::host, TargetKind::cuda, TargetKind::hip};
    std::vector<std::string> formats{"auto"};  ///< kernels: all kernels of these formats
    std::vector<std::string> kernels;          ///< kernels: ids
    ParamsOf params = ParamsOf::presets;
    std::map<std::string, std::vector<std::int64_t>> param_lists;  ///< listed; others: presets
    std::vector<ValueType> values{ValueType::f32, ValueType::f64};
    std::vector<std::optional<ValueType>> storage{std::nullopt};
    /// Types of columns and of row offsets; empty = all four pairs.
    std::vector<std::pair<IndexType, IndexType>> indices;
    std::vector<Scale> alpha, beta;  ///< both empty = the pairs that a handle asks for
    std::vector<int> rhs{1};
    std::vector<Op> ops{Op::none};  ///< T, H: the kernels that transpose by atomics
    std::vector<std::string> epilogues{""};
    std::vector<bool> deterministic{false};
};

/// Whether a section of named kernels has that kernel, for whatever target.
bool is_of(const ManifestSection& section, const KernelEntry& entry);

struct Manifest {
    std::string name;
    std::vector<ManifestSection> sections;
};

/// The text of a manifest that is part of the library, by name; nullopt for another name.
std::optional<std::string_view> embedded_manifest(std::string_view name);
/// "default, common, batches".
std::string embedded_manifest_names();

/// A manifest from its JSON text; `where` is how messages name it. Throws Error(invalid_input) that
/// names the section and the field and says what is allowed.
Manifest parse_manifest(std::string_view text, const std::string& where);

/// What a manifest asks for and a target cannot have.
struct Unfit {
    std::string what, why;
};

/// The kernels of a manifest for a target, each once, in the order of their names. Combinations
/// that no kernel has (a block that is too large, a storage type that is wider than the values) are
/// added to `unfit`. Throws Error(invalid_argument) for what is wrong for every target, such as a
/// kernel that is not known.
std::vector<Signature> expand(const Manifest& manifest, const Target& target,
                              std::vector<Unfit>& unfit);

}  // namespace spmvgen
