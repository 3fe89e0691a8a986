// What the registry says of a kernel's arguments is what its template takes, and what its format
// has.
#include <gtest/gtest.h>

#include <algorithm>

#include "devices/bound_arguments.hpp"
#include "formats/format_storage.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "registry.hpp"
#include "registry_convert.hpp"
#include "registry_permute.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// All kernels, those that are no products, too.
std::vector<KernelEntry> all_entries() {
    std::vector<KernelEntry> entries(kernel_registry().begin(), kernel_registry().end());
    for (auto& entry : conversion_kernels()) entries.push_back(entry);
    for (auto& entry : helper_kernels()) entries.push_back(entry);
    return entries;
}

/// With types that all differ, so that none passes for another; y = αAx + βy, so that no argument
/// is left out. Of parameters the presets, and each end of their ranges.
std::vector<Signature> typed_variants(const KernelEntry& entry) {
    Signature s;
    s.kernel = entry.id;
    s.target = parse_target(!entry.gpu ? "x86-64-v3" : "sm_90");
    s.value = ValueType::f64;
    s.storage = ValueType::f32;
    s.index = IndexType::i32;
    s.offset = IndexType::i64;
    s.alpha = s.beta = Scale::general;
    std::vector<Signature> all;
    const auto add = [&](const Signature& one) {
        try {
            all.push_back(complete(one));
        } catch (const Error&) {  // parameters that do not go together
        }
    };
    add(s);
    for (auto& p : entry.params)
        for (const auto value : {p.allowed.front(), p.allowed.back()}) {
            // Decides nothing of the arguments.
            if (p.name == "block" || p.name == "unroll" || p.name == "lanes") continue;
            Signature other = s;
            other.params[p.name] = value;
            add(other);
        }
    return all;
}

bool is_workspace(const LaunchDescription& launch, const std::string& name) {
    return std::ranges::find(launch.workspace, name, &Workspace::name) != launch.workspace.end();
}

TEST(Arguments, AreWhatTheRegistrySays) {
    for (auto& entry : all_entries())
        for (auto& s : typed_variants(entry)) {
            SCOPED_TRACE(to_string(s));
            // Refuses arguments that the registry lacks.
            const LaunchDescription launch = load_generator().emit(s, "").launch;
            for (auto& step : launch.steps)
                for (auto& argument : step.arguments) {
                    if (is_workspace(launch, argument.name)) continue;
                    const Element element = argument_of(entry, argument.name).element;
                    const ArgumentType type = parse_argument_type(argument.type);
                    const bool fits =
                        type.pointer ? spells(type.element, element, s)
                        : element == Element::number
                            ? spells(type.element, s.value)
                            : element == Element::count && integer_type(type.element).has_value();
                    EXPECT_TRUE(fits) << argument.type << " " << argument.name;
                }
        }
}

TEST(Arguments, EveryFormatHasItsStorage) {
    for (auto& format : format_registry())
        EXPECT_EQ(storage_of(format.format).format, format.format);
    EXPECT_EQ(format_storages().size(), format_registry().size());
    EXPECT_THROW(storage_of(Format{"no-such"}), Error);
}

}  // namespace
}  // namespace spmvgen
