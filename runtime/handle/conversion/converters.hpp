#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "handle/conversion/conversion_on_device.hpp"

/// The converters that conversion_on_device.cpp chooses from, one for each format or two.
namespace spmvgen {

struct Converter {
    std::string_view kernel;  ///< of templates/registry_convert.cpp
    /// Beside what holds for all: parameters that the kernel has not, types, no entries.
    std::string (*why_not)(const MatrixOnDevice&, const Signature&);
    std::unique_ptr<ConversionOnDevice> (*begin)(Device&, const DeviceKernel&,
                                                 const MatrixOnDevice&, const Signature&);
    /// Sets parameters of the kernel that are not those of the signature under the same name; null
    /// = there are none.
    void (*set_params)(const Signature& signature, Signature& converter) = nullptr;
};

extern const Converter csr_converter, coo_converter, ell_converter, sell_converter, bcsr_converter,
    tiles_converter, strips_converter;

}  // namespace spmvgen
