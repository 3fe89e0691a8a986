#include "handle/conversion/conversion_on_device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "devices/gpu/kernel_steps.hpp"
#include "formats/format_storage.hpp"
#include "formats/layout.hpp"
#include "formats/value_encoding.hpp"
#include "handle/conversion/analysis_on_device.hpp"
#include "handle/conversion/converters.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// Null where the host converts. CSR-k's groups of rows are made beside CSR's arrays.
const Converter* converter_of(const Signature& signature) {
    static const std::vector<Converters> all = collected_converters();
    const Format own = kernel_entry(signature.kernel).format;
    const Format format = storage_of(own).has_csr_arrays ? Format::csr : own;
    for (auto& converters : all)
        for (auto& converter : converters)
            if (kernel_entry(converter.kernel).format == format) return &converter;
    return nullptr;
}

/// The first parameter with a value that the converter's kernel has not; "" = none.
std::string unknown_param(const Converter& converter, const Signature& signature) {
    for (auto& parameter : kernel_entry(converter.kernel).params) {
        const auto value = signature.params.find(parameter.name);
        // The block is that of the kernel that converts.
        if (value == signature.params.end() || parameter.name == "block") continue;
        if (allows(parameter, value->second)) continue;
        return fmt::format("{}={}", value->first.view(), value->second);
    }
    return "";
}

std::string wrong_types(const CsrView& matrix, const Signature& signature) {
    if (size_of(matrix.index_type) >= size_of(signature.index) &&
        size_of(matrix.offset_type) >= size_of(signature.offset))
        return "";
    return fmt::format("{} columns and {} offsets made of {} and {}", to_string(signature.index),
                       to_string(signature.offset), to_string(matrix.index_type),
                       to_string(matrix.offset_type));
}

bool has_dictionary(const Signature& signature) {
    return value_code_of(signature) == ValueCode::dictionary;
}

/// Of a matrix with values that the signature has no codes for.
class Unconverted final : public ConversionOnDevice {
  public:
    std::string fault() const override { return "values that the value code has not"; }
    GpuMatrix store(const Signature&, std::int64_t) override {
        throw Error(ErrorCode::internal, "a conversion with a fault has no arrays");
    }
};

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
    if (matrix.on_device.nnz > limit_of(signature.offset)) return "entries beyond the offset type";
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
        if (const auto found = signature.params.find(parameter.name);
            found != signature.params.end() && parameter.name != "block")
            s.params.try_emplace(found->first, found->second);
    if (converter.set_params != nullptr) converter.set_params(signature, s);
    return complete(s);
}

bool converts_for(const Signature& converter, const Signature& signature, const CsrView& matrix) {
    const Converter* const own = converter_of(signature);
    return own != nullptr && unknown_param(*own, signature).empty() &&
           wrong_types(matrix, signature).empty() && conversion_to(signature, matrix) == converter;
}

bool ConversionOnDevice::is_for(const Signature& converter, const Signature& signature,
                                const CsrView& matrix) const {
    return converts_for(converter, signature, matrix);
}

std::optional<Signature> narrowing_to(const Signature& signature, const CsrView& matrix) {
    if (matrix.index_type == signature.index && matrix.offset_type == signature.offset)
        return std::nullopt;
    Signature s;
    s.kernel = "convert_integers";
    s.target = signature.target;
    return complete(s);
}

ConversionKernels load_converters(KernelProvider& provider, const KernelPolicy& policy,
                                  const std::shared_ptr<Device>& device, const Signature& signature,
                                  const CsrView& matrix) {
    ConversionKernels kernels;
    kernels.converter = provider.get(conversion_to(signature, matrix), policy, device).kernel;
    if (has_dictionary(signature))
        kernels.classifying =
            provider.get(classifying(matrix.value_type, signature.target), policy, device).kernel;
    if (const auto narrowing = narrowing_to(signature, matrix))
        kernels.narrowing = provider.get(*narrowing, policy, device).kernel;
    return kernels;
}

std::vector<Signature> conversions_to(const Signature& signature, const CsrView& matrix) {
    std::vector<Signature> kernels{conversion_to(signature, matrix)};
    if (auto narrowing = narrowing_to(signature, matrix)) kernels.push_back(std::move(*narrowing));
    if (has_dictionary(signature))
        kernels.push_back(classifying(matrix.value_type, signature.target));
    return kernels;
}

KernelProvider::Distance conversion_distance(KernelProvider& provider, const KernelPolicy& policy,
                                             const std::shared_ptr<Device>& device,
                                             const Signature& signature, const CsrView& matrix) {
    auto farthest = KernelProvider::Distance::memory;
    for (auto& kernel : conversions_to(signature, matrix))
        farthest = std::max(farthest, provider.distance(kernel, policy, device));
    return farthest;
}

NarrowedOnDevice::NarrowedOnDevice(Device& device, const DeviceKernel& kernel,
                                   const CsrView& matrix, const Signature& signature)
    : view_(matrix) {
    StepValues values;
    values.scalars = {
        {"nnz", matrix.nnz}, {"num_cols", matrix.cols}, {"num_offsets", matrix.rows + 1}};
    const auto narrow = [&](const char* step, const char* wide, const char* made,
                            const void*& array, std::int64_t count) {
        auto memory =
            device.allocate_scratch(static_cast<std::size_t>(count) * size_of(IndexType::i32));
        values.arrays[wide] = array;
        values.arrays[made] = array = memory->data();
        launch_step(device, kernel, step, values);
        return memory;
    };
    if (matrix.index_type != signature.index)
        columns_ = narrow("columns", "wide_col_idx", "narrow_col_idx", view_.col_idx, matrix.nnz);
    if (matrix.offset_type != signature.offset)
        offsets_ =
            narrow("offsets", "wide_row_ptr", "narrow_row_ptr", view_.row_ptr, matrix.rows + 1);
    view_.index_type = signature.index;
    view_.offset_type = signature.offset;
}

bool has_csr_arrays(const Signature& signature) {
    return storage_of(signature).has_csr_arrays;
}

bool has_arrays_of(const CsrView& matrix, const Signature& signature) {
    return has_csr_arrays(signature) && !narrowing_to(signature, matrix) &&
           storage_type(signature) == matrix.value_type;
}

std::unique_ptr<ConversionOnDevice> begin_conversion(Device& device,
                                                     const ConversionKernels& kernels,
                                                     MatrixOnDevice matrix,
                                                     const Signature& signature) {
    if (has_dictionary(signature) && matrix.dictionary.empty()) {
        ValueTraits found = classify_values(device, *kernels.classifying->loaded, matrix.on_device);
        if (!found.distinct) return std::make_unique<Unconverted>();
        matrix.dictionary = std::move(*found.distinct);
    }
    std::unique_ptr<const NarrowedOnDevice> narrowed;
    if (kernels.narrowing != nullptr) {
        narrowed = std::make_unique<NarrowedOnDevice>(device, *kernels.narrowing->loaded,
                                                      matrix.on_device, signature);
        matrix.on_device = narrowed->view();
        matrix.borrow = false;
    }
    auto conversion =
        converter_of(signature)->begin(device, *kernels.converter->loaded, matrix, signature);
    conversion->keep(std::move(narrowed));
    return conversion;
}

}  // namespace spmvgen
