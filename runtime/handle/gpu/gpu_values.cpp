#include "handle/gpu/gpu_values.hpp"

#include "devices/gpu/kernel_steps.hpp"
#include "formats/value_encoding.hpp"
#include "handle/conversion/conversion_steps.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

/// The kernel that puts values in their places, or rounds them in their order.
Signature putting(const Signature& stored, ValueType given, bool in_order, const Target& target) {
    Signature s;
    s.kernel = in_order ? "convert_csr" : "put_values";
    s.value = given;
    const ValueType storage = storage_type(stored);
    if (storage != given) s.storage = storage;
    if (!in_order) s.params["value_code"] = param(stored, "value_code", 0);
    s.target = target;
    return complete(s);
}

}  // namespace

std::unique_ptr<GpuValues> GpuValues::of(const ValueSources* sources, const Signature& signature,
                                         ValueType given, const std::shared_ptr<Device>& device,
                                         KernelProvider& provider, const KernelPolicy& policy) {
    auto values = std::make_unique<GpuValues>();
    values->in_order_ = sources == nullptr;
    try {
        values->kernel_ =
            provider
                .get(putting(signature, given, values->in_order_, device->facts().target), policy,
                     device)
                .kernel;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::compile) throw;
        return nullptr;
    }
    values->device_ = device;
    if (sources == nullptr) return values;
    for (auto& [name, entry] : sources->arrays()) {
        auto memory = device->allocate(entry.bytes());
        device->copy_to_device(memory->data(), entry.data(), entry.bytes());
        values->arrays_.push_back({name, std::move(memory)});
    }
    return values;
}

std::int64_t GpuValues::bytes() const {
    std::size_t bytes = 0;
    for (auto& array : arrays_) bytes += array.entry->bytes();
    return static_cast<std::int64_t>(bytes);
}

void GpuValues::put_in_order(const void* values, std::int64_t entries,
                             const GpuMatrix& matrix) const {
    launch_step(*device_, *kernel_->loaded, "convert_values",
                {.arrays = {{"csr_values", values}, {"values", matrix.stored.arrays.at("values")}},
                 .scalars = {{"nnz", entries}}});
    device_->synchronize({});
}

void GpuValues::put(const void* values, std::int64_t entries,
                    const std::vector<ValueBits>& dictionary, const GpuMatrix& matrix) const {
    if (in_order_) return put_in_order(values, entries, matrix);
    const Signature& putting = kernel_->loaded->signature();
    const auto codes = value_code_of(putting);
    StepValues of_step{.arrays = {{"csr_values", values}},
                       .scalars = {{"num_distinct", std::ssize(dictionary)}, {"one", 1}}};
    std::unique_ptr<DeviceMemory> listed;
    if (codes == ValueCode::dictionary) {
        const auto bytes = dictionary_bytes(dictionary, putting.value);
        listed = device_->allocate_scratch(bytes.size());
        device_->enqueue_to_device(listed->data(), bytes.data(), bytes.size());
        of_step.arrays["dictionary"] = listed->data();
    }
    const auto& stored = matrix.stored.arrays;
    if (codes != ValueCode::plain) of_step.arrays["values"] = stored.at("values");
    for (auto& [name, entry] : arrays_) {
        of_step.arrays["entry"] = entry->data();
        of_step.arrays[codes == ValueCode::plain ? "values" : "coded_values"] = stored.at(name);
        of_step.scalars["num_places"] =
            static_cast<std::int64_t>(entry->bytes() / sizeof(std::int32_t));
        launch_step(*device_, *kernel_->loaded, "values_at_places", of_step);
    }
    if (codes == ValueCode::one_value || codes == ValueCode::dictionary)
        launch_step(*device_, *kernel_->loaded, "values_of_codes", of_step);
    device_->synchronize({});
}

}  // namespace spmvgen
