#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "handle/conversion/conversion_on_device.hpp"
#include "short_list.hpp"

/// What makes the formats on a device. Each file NAME.cpp of runtime/handle/conversion/kinds gives
/// the converters of a few formats in a constant `Converters NAME_converters`; the build finds
/// the files by their folder.
namespace spmvgen {

struct Converter {
    std::string_view kernel;  ///< of templates/registry_convert.cpp; its format is what it makes
    /// Beside what holds for all: parameters that the kernel has not, types, no entries.
    std::string (*why_not)(const MatrixOnDevice&, const Signature&);
    std::unique_ptr<ConversionOnDevice> (*begin)(Device&, const DeviceKernel&,
                                                 const MatrixOnDevice&, const Signature&);
    /// Sets parameters of the kernel that are not those of the signature under the same name; null
    /// = there are none.
    void (*set_params)(const Signature& signature, Signature& converter) = nullptr;
};

using Converters = ShortList<Converter, 4>;

/// The list that the build makes of the files.
std::vector<Converters> collected_converters();

}  // namespace spmvgen
