// CSR and COO, whose entries stay in their order.
#include <algorithm>
#include <utility>

#include "formats/layout.hpp"
#include "handle/conversion/conversion_steps.hpp"
#include "handle/conversion/converters.hpp"

namespace spmvgen {
namespace {

/// What both have: entries that are looked at, and values that may be rounded.
class EntriesOnDevice : public ConversionOnDevice {
  public:
    EntriesOnDevice(Device& device, const DeviceKernel& converter, const MatrixOnDevice& matrix)
        : steps_(device, converter, matrix) {
        steps_.check_entries();
        counts_ = steps_.read_counts();
    }
    std::string fault() const override { return fault_of(counts_, steps_.converter()); }

  protected:
    bool rounds() const { return storage_type(steps_.converter()) != steps_.converter().value; }
    std::size_t value_bytes() const {
        return array_bytes(steps_.matrix().on_host.nnz, size_of(storage_type(steps_.converter())));
    }

    ConversionSteps steps_;

  private:
    ConversionCounts counts_{};
};

class CsrOfDevice final : public EntriesOnDevice {
  public:
    using EntriesOnDevice::EntriesOnDevice;

    GpuMatrix store(const Signature& signature, std::int64_t memory_limit) override {
        const MatrixOnDevice& matrix = steps_.matrix();
        // What convert() makes of row offsets. The rest it only passes on where types are right.
        CsrView a = matrix.on_device;
        a.row_ptr = matrix.on_host.row_ptr;
        a.offset_type = matrix.on_host.offset_type;
        Signature plain = signature;
        plain.value = a.value_type;
        plain.storage.reset();
        plain.accumulator.reset();
        StoredMatrix stored = convert(a, plain, true, memory_limit);
        if (!rounds())
            return upload(steps_.device(), stored, a,
                          {&matrix.on_device, matrix.borrow, memory_limit});
        stored.arrays.erase("values");
        stored.bytes += a.nnz * (entry_bytes(signature) - entry_bytes(plain));
        GpuMatrix made = upload(steps_.device(), stored, a,
                                {&matrix.on_device, matrix.borrow, memory_limit, false});
        std::size_t bytes = value_bytes();
        for (auto& memory : made.memory) bytes += memory->bytes();
        check_device_limit(stored.format, bytes, memory_limit);
        steps_.add_arrays({{"values", value_bytes()}}, made);
        steps_.launch("convert_values");
        steps_.device().synchronize({});
        made.stored.arrays["values"] = steps_.values().arrays.at("values");
        return made;
    }
};

class CooOnDevice final : public EntriesOnDevice {
  public:
    using EntriesOnDevice::EntriesOnDevice;

    GpuMatrix store(const Signature& signature, std::int64_t memory_limit) override {
        const CsrView& a = steps_.matrix().on_device;
        const std::size_t index_bytes = array_bytes(a.nnz, size_of(signature.index));
        check_device_limit(Format::coo, 2 * index_bytes + value_bytes(), memory_limit);
        GpuMatrix made;
        made.stored = new_stored(Format::coo, a, memory_limit);
        describe_coo(a, signature, made.stored);
        const std::vector<ArraySize> arrays{
            {"row_idx", index_bytes}, {"col_idx", index_bytes}, {"values", value_bytes()}};
        steps_.add_arrays(arrays, made);
        for (auto& array : arrays)
            made.stored.arrays[array.first] = steps_.values().arrays.at(array.first);
        steps_.launch("rows");
        const auto copy = [&](const char* name, const void* from) {
            const auto array = std::ranges::find(arrays, std::string_view(name),
                                                 [](auto& named) { return named.first; });
            steps_.device().enqueue_on_device(const_cast<void*>(made.stored.arrays.at(name)), from,
                                              array->second);
        };
        if (rounds())
            steps_.launch("convert_values");
        else
            copy("values", a.values);
        copy("col_idx", a.col_idx);
        steps_.device().synchronize({});
        return made;
    }
};

template <typename Conversion>
std::unique_ptr<ConversionOnDevice> begin_entries(Device& device, const DeviceKernel& converter,
                                                  const MatrixOnDevice& matrix, const Signature&) {
    return std::make_unique<Conversion>(device, converter, matrix);
}

}  // namespace

extern constexpr Converters csr_converters{{"convert_csr", nullptr, begin_entries<CsrOfDevice>},
                                           {"convert_coo", nullptr, begin_entries<CooOnDevice>}};

}  // namespace spmvgen
