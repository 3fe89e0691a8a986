#include "handle/gpu/gpu_values.hpp"

#include "devices/gpu/kernel_steps.hpp"
#include "registry.hpp"

namespace spmvgen {

std::unique_ptr<GpuValues> GpuValues::of(const ValueSources& sources, const Signature& signature,
                                         ValueType given, const std::shared_ptr<Device>& device,
                                         KernelProvider& provider, const KernelPolicy& policy) {
    const ValueType storage = storage_type(signature);
    if (is_storage_only(storage)) return nullptr;
    Signature s;
    s.kernel = "put_values";
    s.value = given;
    if (storage != given) s.storage = storage;
    s.target = device->facts().target;
    auto values = std::make_unique<GpuValues>();
    try {
        values->kernel_ = provider.get(complete(s), policy, device).kernel;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::compile) throw;
        return nullptr;
    }
    values->device_ = device;
    for (auto& [name, entry] : sources.arrays()) {
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

void GpuValues::put(const void* values, const GpuMatrix& matrix) const {
    for (auto& [name, entry] : arrays_) {
        const auto places = static_cast<std::int64_t>(entry->bytes() / sizeof(std::int32_t));
        launch_step(*device_, *kernel_->loaded, "values_at_places",
                    {.arrays = {{"entry", entry->data()},
                                {"csr_values", values},
                                {"values", matrix.stored.arrays.at(name)}},
                     .scalars = {{"num_places", places}}});
    }
    device_->synchronize({});
}

}  // namespace spmvgen
