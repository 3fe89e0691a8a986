// Tiles; not those with hubs.
#include "formats/layout.hpp"
#include "handle/conversion_steps.hpp"
#include "handle/converters.hpp"

namespace spmvgen {
namespace {

class TilesOnDevice final : public ConversionOnDevice {
  public:
    TilesOnDevice(Device& device, const DeviceKernel& converter, const MatrixOnDevice& matrix,
                  const Signature& signature)
        : steps_(device, converter, matrix) {
        const std::int64_t rows = matrix.on_host.rows;
        const std::size_t offset = size_of(signature.offset);
        steps_.check_entries();
        steps_.add_scratch(
            {{"filled", array_bytes(rows, offset)}, {"numbers", array_bytes(rows + 1, offset)}});
        steps_.values().arrays["item_sizes"] = steps_.values().arrays.at("filled");
        steps_.launch("filled");
        steps_.scan_many("filled", rows, "numbers");
        counts_ = steps_.read_counts();
    }
    std::string fault() const override { return fault_of(counts_, steps_.converter()); }

    void fit(Signature& signature, const IsOpen& is_open) override {
        if (is_open("gaps")) signature.params["gaps"] = filled() < steps_.matrix().on_host.rows;
    }

    GpuMatrix store(const Signature& signature, std::int64_t memory_limit) override {
        GpuMatrix made;
        made.stored = new_stored(Format::tiles, steps_.matrix().on_host, memory_limit);
        describe_tiles(steps_.matrix().on_host, signature, filled(), made.stored);
        add_arrays(signature, memory_limit, made);
        steps_.launch("begins");
        steps_.launch("rows");
        steps_.launch("entries");
        steps_.device().synchronize({});
        return made;
    }

  private:
    std::int64_t filled() const { return static_cast<std::int64_t>(counts_[last_total]); }

    void add_arrays(const Signature& signature, std::int64_t memory_limit, GpuMatrix& made) {
        const TilesShape shape = tiles_shape(steps_.matrix().on_host.nnz, signature);
        const std::size_t index = size_of(signature.index);
        const std::int64_t code = param(signature, "value_code");
        const std::int64_t entries = made.stored.stored;
        const bool gaps = param(signature, "gaps") == 1;
        const std::vector<ArraySize> arrays{
            {"tile_row", array_bytes(shape.tiles, index)},
            {"row_marks", array_bytes(entries / 8, 1)},
            {"cut_first_run", array_bytes(shape.runs + 1, index)},
            {"cut_last_run", array_bytes(shape.runs + 1, index)},
            {"filled_rows", array_bytes(gaps ? filled() : 0, index)},
            {"empty_rows", array_bytes(made.stored.scalars.at("num_empty"), index)},
            {"col_idx", array_bytes(entries, index)},
            {"values", array_bytes(code == 0 ? entries : 1, size_of(storage_type(signature)))},
            {"coded_values", array_bytes(code == 1 ? entries : 1, 1)}};
        std::size_t bytes = 0;
        for (auto& array : arrays) bytes += array.second;
        check_device_limit(Format::tiles, bytes, memory_limit);
        steps_.add_arrays(arrays, made);
        StepValues& v = steps_.values();
        for (auto& array : arrays) made.stored.arrays[array.first] = v.arrays.at(array.first);
        v.arrays["mark_words"] = v.arrays.at("row_marks");
        v.scalars["gaps"] = gaps ? 1 : 0;
        v.scalars["num_tiles"] = shape.tiles;
        v.scalars["num_runs"] = shape.runs;
        v.scalars["tiles_and_one"] = shape.tiles + 1;
    }

    ConversionSteps steps_;
    ConversionCounts counts_{};
};

std::string why_no_tiles(const MatrixOnDevice&, const Signature& signature) {
    return param(signature, "hubs", 0) + param(signature, "warm", 0) > 0 ? "hubs" : "";
}

std::unique_ptr<ConversionOnDevice> begin_tiles(Device& device, const DeviceKernel& converter,
                                                const MatrixOnDevice& matrix,
                                                const Signature& signature) {
    return std::make_unique<TilesOnDevice>(device, converter, matrix, signature);
}

}  // namespace

const Converter tiles_converter{"convert_tiles", why_no_tiles, begin_tiles};

}  // namespace spmvgen
