#include "handle/conversion_on_device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formats/layout.hpp"
#include "handle/converters.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

/// Null where the host converts.
const Converter* converter_of(const Signature& signature) {
    switch (kernel_entry(signature.kernel).format) {
        case Format::csr:
        case Format::csr_k:
            return &csr_converter;
        case Format::coo:
            return &coo_converter;
        case Format::ell:
            return &ell_converter;
        case Format::sell:
            return &sell_converter;
        case Format::bcsr:
            return &bcsr_converter;
        case Format::tiles:
            return &tiles_converter;
        case Format::strips:
            return &strips_converter;
        case Format::hyb:
            break;
    }
    return nullptr;
}

/// The first parameter with a value that the converter's kernel has not; "" = none.
std::string unknown_param(const Converter& converter, const Signature& signature) {
    for (auto& parameter : kernel_entry(converter.kernel).params) {
        const auto value = signature.params.find(std::string(parameter.name));
        // The block is that of the kernel that converts.
        if (value == signature.params.end() || parameter.name == "block") continue;
        if (allows(parameter, value->second)) continue;
        return parameter.name == "value_code" ? "a dictionary"
                                              : fmt::format("{}={}", value->first, value->second);
    }
    return "";
}

std::string wrong_types(const CsrView& matrix, const Signature& signature) {
    const ValueType storage = storage_type(signature);
    if (storage != matrix.value_type && size_of(storage) == 2)
        return fmt::format("{} values", to_string(storage));
    if (matrix.index_type == signature.index && matrix.offset_type == signature.offset) return "";
    return fmt::format("{} columns and {} offsets made of {} and {}", to_string(signature.index),
                       to_string(signature.offset), to_string(matrix.index_type),
                       to_string(matrix.offset_type));
}

}  // namespace

std::string why_not_on_device(const MatrixOnDevice& matrix, const Signature& signature) {
    const Converter* const converter = converter_of(signature);
    if (converter == nullptr) return to_string(kernel_entry(signature.kernel).format);
    if (matrix.on_device.nnz == 0) return "no entries";
    if (auto why = unknown_param(*converter, signature); !why.empty()) return why;
    if (auto why = wrong_types(matrix.on_device, signature); !why.empty()) return why;
    // The host says what does not fit.
    if (std::max(matrix.on_device.rows, matrix.on_device.cols) > limit_of(signature.index))
        return "rows and columns beyond the index type";
    return converter->why_not != nullptr ? converter->why_not(matrix, signature) : "";
}

Signature conversion_to(const Signature& signature, const CsrView& matrix) {
    const Converter& converter = *converter_of(signature);
    Signature s;
    s.kernel = converter.kernel;
    s.value = matrix.value_type;
    s.storage = storage_type(signature);
    s.index = signature.index;
    s.offset = signature.offset;
    s.target = signature.target;
    for (auto& parameter : kernel_entry(converter.kernel).params)
        if (const auto found = signature.params.find(std::string(parameter.name));
            found != signature.params.end() && parameter.name != "block")
            s.params.insert(*found);
    if (converter.set_params != nullptr) converter.set_params(signature, s);
    return complete(s);
}

bool has_csr_arrays(const Signature& signature) {
    return converter_of(signature) == &csr_converter;
}

std::unique_ptr<ConversionOnDevice> begin_conversion(Device& device, const DeviceKernel& converter,
                                                     const MatrixOnDevice& matrix,
                                                     const Signature& signature) {
    return converter_of(signature)->begin(device, converter, matrix, signature);
}

}  // namespace spmvgen
