// Blocks, of rows whose columns rise.
#include "formats/layout.hpp"
#include "formats/padded_rows.hpp"
#include "handle/conversion/conversion_steps.hpp"
#include "handle/conversion/converters.hpp"

namespace spmvgen {
namespace {

/// Blocks that stand blocks_together, element by element.
constexpr std::int64_t blocks_together = 32;

class BcsrOnDevice final : public ConversionOnDevice {
  public:
    BcsrOnDevice(Device& device, const DeviceKernel& converter, const MatrixOnDevice& matrix,
                 const Signature& signature)
        : steps_(device, converter, matrix) {
        const std::int64_t height = param(signature, "block_rows");
        const std::int64_t rows = round_up(matrix.on_host.rows, height) / height;
        const std::size_t offset = size_of(signature.offset);
        StepValues& v = steps_.values();
        v.scalars["num_block_rows"] = rows;
        v.arrays["col_idx"] = matrix.on_device.col_idx;
        steps_.add_arrays({{"block_ptr", array_bytes(rows + 1, offset)}}, made_);
        steps_.add_scratch({{"block_count", array_bytes(rows, offset)}});
        steps_.launch("convert_count_blocks");
        steps_.check_values();
        steps_.scan_many("block_count", rows, "block_ptr");
        counts_ = steps_.read_counts();
    }
    std::string fault() const override { return fault_of(counts_, steps_.converter()); }

    GpuMatrix store(const Signature& signature, std::int64_t memory_limit) override {
        const CsrView& a = steps_.matrix().on_host;
        const auto blocks = static_cast<std::int64_t>(counts_[last_total]);
        const std::int64_t height = param(signature, "block_rows");
        const std::int64_t size = height * param(signature, "block_cols");
        made_.stored = new_stored(Format::bcsr, a, memory_limit);
        describe_bcsr(a, signature, blocks, made_.stored);
        if (memory_limit == 0)
            check_padding(steps_.device(), a, made_.stored, made_.stored.stored,
                          made_.stored.stored * entry_bytes(signature));
        const std::int64_t places = round_up(blocks, blocks_together);
        const std::vector<ArraySize> arrays{
            {"block_first", array_bytes(blocks, size_of(signature.index))},
            {"block_masks", array_bytes(blocks, sizeof(std::int64_t))},
            {"values", array_bytes(places * size, size_of(storage_type(signature)))}};
        std::size_t bytes = made_.memory.front()->bytes();
        for (auto& array : arrays) bytes += array.second;
        check_device_limit(Format::bcsr, bytes, memory_limit);
        steps_.add_arrays(arrays, made_);
        steps_.add_scratch(
            {{"block_entry", array_bytes(blocks * height, size_of(signature.offset))}});
        StepValues& v = steps_.values();
        v.scalars["num_blocks"] = blocks;
        v.scalars["num_places"] = places;
        steps_.launch("list");
        steps_.launch("fill");
        steps_.device().synchronize({});
        for (const char* name : {"block_ptr", "block_masks", "values"})
            made_.stored.arrays[name] = v.arrays.at(name);
        made_.stored.arrays["col_idx"] = v.arrays.at("block_first");
        return std::move(made_);
    }

  private:
    ConversionSteps steps_;
    ConversionCounts counts_{};
    GpuMatrix made_;
};

std::unique_ptr<ConversionOnDevice> begin_bcsr(Device& device, const DeviceKernel& converter,
                                               const MatrixOnDevice& matrix,
                                               const Signature& signature) {
    return std::make_unique<BcsrOnDevice>(device, converter, matrix, signature);
}

}  // namespace

extern constexpr Converters bcsr_converters{{"convert_bcsr", nullptr, begin_bcsr}};

}  // namespace spmvgen
