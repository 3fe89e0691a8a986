// ELL and SELL: rows of one width, side by side.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "formats/layout.hpp"
#include "formats/padded_rows.hpp"
#include "handle/conversion/conversion_steps.hpp"
#include "handle/conversion/converters.hpp"

namespace spmvgen {
namespace {

/// Entries of a row that a block takes at a time
/// (templates/dialect/convert/gpu_convert_padded.hpp).
constexpr std::int64_t patch_width = 16;

/// Rows that are sorted at once, at most (templates/gpu/convert/convert_sell.hpp).
constexpr std::int64_t largest_sorted = 4096;

/// Columns and values of so many entries.
std::vector<ArraySize> entry_arrays(const Signature& signature, std::int64_t entries) {
    return {{"col_idx", array_bytes(entries, size_of(signature.index))},
            {"values", array_bytes(entries, size_of(storage_type(signature)))}};
}

/// Makes these arrays, of a matrix that already has `bytes` others.
void add_entries(ConversionSteps& steps, const Signature& signature, std::size_t bytes,
                 std::int64_t memory_limit, GpuMatrix& made) {
    const std::int64_t entries = made.stored.stored;
    if (memory_limit == 0)
        check_padding(steps.device(), steps.matrix().on_host, made.stored, entries,
                      entries * entry_bytes(signature));
    const std::vector<ArraySize> arrays = entry_arrays(signature, entries);
    for (auto& array : arrays) bytes += array.second;
    check_device_limit(made.stored.format, bytes, memory_limit);
    steps.add_arrays(arrays, made);
    for (auto& array : arrays)
        made.stored.arrays[array.first] = steps.values().arrays.at(array.first);
}

class EllOnDevice final : public ConversionOnDevice {
  public:
    EllOnDevice(Device& device, const DeviceKernel& converter, const MatrixOnDevice& matrix,
                const Signature&)
        : steps_(device, converter, matrix) {
        steps_.check_entries();
        counts_ = steps_.read_counts();
    }
    std::string fault() const override { return fault_of(counts_, steps_.converter()); }

    GpuMatrix store(const Signature& signature, std::int64_t memory_limit) override {
        const CsrView& a = steps_.matrix().on_host;
        GpuMatrix made;
        made.stored = new_stored(Format::ell, a, memory_limit);
        made.stored.scalars["num_parts"] = ell_parts(a, signature);
        describe_ell(a, signature, gpu_ell_shape(signature, steps_.matrix().max_row), made.stored);
        add_entries(steps_, signature, 0, memory_limit, made);
        auto& scalars = steps_.values().scalars;
        scalars["width"] = made.stored.scalars.at("width");
        scalars["stride"] = made.stored.scalars.at("stride");
        scalars["num_stretches"] = (scalars["width"] + patch_width - 1) / patch_width;
        scalars["num_patches"] = scalars["stride"] / gpu_alignment * scalars["num_stretches"];
        steps_.launch("fill");
        steps_.device().synchronize({});
        return made;
    }

  private:
    ConversionSteps steps_;
    ConversionCounts counts_{};
};

class SellOnDevice final : public ConversionOnDevice {
  public:
    SellOnDevice(Device& device, const DeviceKernel& converter, const MatrixOnDevice& matrix,
                 const Signature& signature)
        : steps_(device, converter, matrix) {
        const std::int64_t height = param(signature, "slice");
        const std::int64_t slices = round_up(matrix.on_host.rows, height) / height;
        const bool sorted = param(signature, "sigma") > 1;
        const std::size_t offset = size_of(signature.offset);
        steps_.values().scalars["num_slices"] = slices;
        steps_.add_arrays(
            {{"row_order", array_bytes(sorted ? matrix.on_host.rows : 0, size_of(signature.index))},
             {"slice_ptr", array_bytes(slices + 1, offset)}},
            made_);
        steps_.add_scratch({{"slice_sizes", array_bytes(slices, offset)}});
        steps_.values().arrays["sizes"] = steps_.values().arrays["slice_sizes"];
        steps_.check_entries();
        if (param(signature, "sigma") > largest_sorted) {
            steps_.add_scratch(
                {{"sorted_keys", array_bytes(matrix.on_host.rows, sizeof(std::uint32_t))}});
            steps_.launch("order");
            steps_.launch("merge");
        } else if (sorted) {
            steps_.launch("order");
        }
        steps_.launch("widths");
        steps_.scan("slice_sizes", slices, "slice_ptr");
        counts_ = steps_.read_counts();
    }
    std::string fault() const override { return fault_of(counts_, steps_.converter()); }

    GpuMatrix store(const Signature& signature, std::int64_t memory_limit) override {
        const CsrView& a = steps_.matrix().on_host;
        made_.stored = new_stored(Format::sell, a, memory_limit);
        describe_sell(a, signature, static_cast<std::int64_t>(counts_[last_total]), made_.stored);
        std::size_t bytes = 0;
        for (auto& memory : made_.memory) bytes += memory->bytes();
        for (const char* name : {"row_order", "slice_ptr"})
            made_.stored.arrays[name] = steps_.values().arrays.at(name);
        add_entries(steps_, signature, bytes, memory_limit, made_);
        steps_.launch("fill");
        steps_.device().synchronize({});
        return std::move(made_);
    }

  private:
    ConversionSteps steps_;
    ConversionCounts counts_{};
    GpuMatrix made_;
};

/// Rows have 32-bit lengths in shared memory.
std::string why_no_ell(const MatrixOnDevice& matrix, const Signature&) {
    return matrix.max_row > limit_of(IndexType::i32) - patch_width ? "rows beyond 31 bits" : "";
}

std::string why_no_sell(const MatrixOnDevice& matrix, const Signature& signature) {
    const std::int64_t sigma = param(signature, "sigma");
    // What the sort's keys hold beside a row's place.
    const int bits = 32 - std::countr_zero(static_cast<std::uint64_t>(sigma));
    if (sigma > 1 && matrix.max_row >= (std::int64_t{1} << bits) - 2)
        return fmt::format("rows of {} entries in windows of {}", matrix.max_row, sigma);
    // Slices are padded by fewer columns than lanes share a row.
    const std::int64_t most = matrix.on_device.nnz + matrix.on_device.rows;
    if (most > limit_of(signature.offset)) return "slices beyond the offset type";
    return why_no_ell(matrix, signature);
}

template <typename Conversion>
std::unique_ptr<ConversionOnDevice> begin_padded(Device& device, const DeviceKernel& converter,
                                                 const MatrixOnDevice& matrix,
                                                 const Signature& signature) {
    return std::make_unique<Conversion>(device, converter, matrix, signature);
}

}  // namespace

extern constexpr Converters padded_converters{
    {"convert_ell", why_no_ell, begin_padded<EllOnDevice>},
    {"convert_sell", why_no_sell, begin_padded<SellOnDevice>}};

}  // namespace spmvgen
