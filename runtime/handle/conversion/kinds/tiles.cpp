// Tiles, with or without hubs.
#include <algorithm>

#include "formats/layout.hpp"
#include "formats/plans/tiles_plan.hpp"
#include "handle/conversion/conversion_steps.hpp"
#include "handle/conversion/converters.hpp"

namespace spmvgen {
namespace {

/// Bins of the histogram of uses (templates/dialect/convert/gpu_convert_hubs.hpp).
constexpr std::int64_t use_bins = 4096;

/// Columns that stand apart, at most.
std::int64_t hot_columns(const Signature& signature) {
    return param(signature, "hubs", 0) + param(signature, "warm", 0);
}

/// The uses from which on there are at least so many columns, as far as the bins tell them apart.
std::int64_t least_uses_of(const std::vector<std::uint64_t>& bins, std::int64_t columns) {
    std::int64_t least = use_bins;
    for (std::int64_t found = 0; found < columns && least > 1;)
        found += static_cast<std::int64_t>(bins[static_cast<std::size_t>(--least)]);
    return least;
}

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

    std::string fit(Signature& signature, const IsOpen& is_open) override {
        if (is_open("gaps")) signature.params["gaps"] = filled() < steps_.matrix().on_host.rows;
        return "";
    }

    GpuMatrix store(const Signature& signature, std::int64_t memory_limit) override {
        GpuMatrix made;
        made.stored = new_stored(Format::tiles, steps_.matrix().on_host, memory_limit);
        std::vector<std::int64_t> hubs;
        if (hot_columns(signature) > 0) {
            hubs = find_hubs(signature);
            made.stored.scalars["num_hot"] = std::ssize(hubs);
        }
        describe_tiles(steps_.matrix().on_host, signature, filled(), made.stored);
        add_arrays(signature, memory_limit, made);
        if (!hubs.empty()) put_hubs(hubs, signature.index);
        steps_.launch("begins");
        steps_.launch("rows");
        steps_.launch("entries");
        steps_.device().synchronize({});
        return made;
    }

  private:
    std::int64_t filled() const { return static_cast<std::int64_t>(counts_[last_total]); }

    /// The most used columns, as column_codes() of the host's conversion has them.
    std::vector<std::int64_t> find_hubs(const Signature& signature) {
        const std::int64_t cols = steps_.matrix().on_host.cols;
        const std::size_t offset = size_of(signature.offset), index = size_of(signature.index);
        StepValues& v = steps_.values();
        steps_.add_scratch({{"uses", array_bytes(cols, sizeof(std::uint64_t))},
                            {"bins", array_bytes(use_bins, sizeof(std::uint64_t))},
                            {"often", array_bytes(cols, offset)},
                            {"often_ptr", array_bytes(cols + 1, offset)},
                            {"column_codes", array_bytes(cols, index)}});
        for (const char* step : {"clear", "count_uses", "bins"}) steps_.launch(step);
        v.scalars["hot_columns"] = hot_columns(signature);
        v.scalars["least_uses"] =
            least_uses_of(steps_.read<std::uint64_t>("bins", use_bins), hot_columns(signature));
        v.arrays["item_sizes"] = v.arrays.at("often");
        steps_.launch("often");
        steps_.scan_many("often", cols, "often_ptr");
        const auto count = static_cast<std::int64_t>(steps_.read_counts()[last_total]);
        steps_.add_scratch({{"often_cols", array_bytes(count, index)},
                            {"often_uses", array_bytes(count, sizeof(std::uint64_t))}});
        steps_.launch("list");
        std::vector<ColumnUses> columns(static_cast<std::size_t>(count));
        const auto uses = steps_.read<std::uint64_t>("often_uses", count);
        dispatch(signature.index, [&]<typename Index>(Index) {
            const auto numbers = steps_.read<Index>("often_cols", count);
            for (std::size_t k = 0; k < columns.size(); ++k)
                columns[k] = {numbers[k], static_cast<std::int64_t>(uses[k])};
        });
        return most_used_columns(std::move(columns), hot_columns(signature));
    }

    /// Writes hot_cols, and the codes of these columns.
    void put_hubs(const std::vector<std::int64_t>& hubs, IndexType type) {
        StepValues& v = steps_.values();
        dispatch(type, [&]<typename Index>(Index) {
            const std::vector<Index> columns(hubs.begin(), hubs.end());
            steps_.device().enqueue_to_device(const_cast<void*>(v.arrays.at("hot_cols")),
                                              columns.data(), columns.size() * sizeof(Index));
        });
        v.scalars["num_hot"] = std::ssize(hubs);
        steps_.launch("hot");
    }

    void add_arrays(const Signature& signature, std::int64_t memory_limit, GpuMatrix& made) {
        const TilesShape shape = tiles_shape(steps_.matrix().on_host.nnz, signature);
        const std::size_t index = size_of(signature.index);
        const std::int64_t entries = made.stored.stored;
        const ValueElements elements = value_elements(signature, entries);
        const bool gaps = param(signature, "gaps") == 1;
        std::vector<ArraySize> arrays{
            {"tile_row", array_bytes(shape.tiles, index)},
            {"row_marks", array_bytes(entries / 8, 1)},
            {"cut_first_run", array_bytes(shape.runs + 1, index)},
            {"cut_last_run", array_bytes(shape.runs + 1, index)},
            {"filled_rows", array_bytes(gaps ? filled() : 0, index)},
            {"empty_rows", array_bytes(made.stored.scalars.at("num_empty"), index)},
            {"col_idx", array_bytes(entries, index)},
            {"values", array_bytes(elements.values, size_of(storage_type(signature)))},
            {"coded_values", array_bytes(elements.coded, 1)}};
        if (const auto hot = made.stored.scalars.find("num_hot"); hot != made.stored.scalars.end())
            arrays.emplace_back("hot_cols", array_bytes(hot->second, index));
        std::size_t bytes = 0;
        for (auto& array : arrays) bytes += array.second;
        check_device_limit(Format::tiles, bytes, memory_limit);
        steps_.add_arrays(arrays, made);
        StepValues& v = steps_.values();
        for (auto& array : arrays) made.stored.arrays[array.first] = v.arrays.at(array.first);
        v.arrays["mark_words"] = v.arrays.at("row_marks");
        v.arrays["item_ptr"] = v.arrays.at("numbers");
        v.scalars["gaps"] = gaps ? 1 : 0;
        v.scalars["num_tiles"] = shape.tiles;
        v.scalars["num_runs"] = shape.runs;
        v.scalars["tiles_and_one"] = shape.tiles + 1;
    }

    ConversionSteps steps_;
    ConversionCounts counts_{};
};

std::string why_no_tiles(const MatrixOnDevice& matrix, const Signature& signature) {
    if (!matrix.row_order.empty()) return "rows in an order of their own";
    return matrix.on_device.cols + hot_columns(signature) > limit_of(signature.index)
               ? "columns and hubs beyond the index type"
               : "";
}

void set_tiles_params(const Signature& signature, Signature& converter) {
    converter.params["has_hubs"] = hot_columns(signature) > 0 ? 1 : 0;
}

std::unique_ptr<ConversionOnDevice> begin_tiles(Device& device, const DeviceKernel& converter,
                                                const MatrixOnDevice& matrix,
                                                const Signature& signature) {
    return std::make_unique<TilesOnDevice>(device, converter, matrix, signature);
}

}  // namespace

extern constexpr Converters tiles_converters{
    {"convert_tiles", why_no_tiles, begin_tiles, set_tiles_params}};

}  // namespace spmvgen
