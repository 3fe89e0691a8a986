#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "devices/device.hpp"
#include "devices/gpu/kernel_steps.hpp"
#include "formats/plans/strips_plan.hpp"
#include "handle/conversion/conversion_steps.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"

/// Conversion to the format `strips` on the device that has the matrix.
namespace spmvgen {

/// How the matrix lies, then its arrays.
class StripsOnDevice final : public ConversionOnDevice {
  public:
    /// Finds out how the matrix lies for the shape, the types, and the codes in the parameter
    /// `codes`. `converter` is loaded from conversion_to(). Columns are checked: fault() tells.
    StripsOnDevice(Device& device, const DeviceKernel& converter, const MatrixOnDevice& matrix,
                   const Signature& signature);

    std::string fault() const override;
    std::string fit(Signature& signature, const IsOpen& is_open) override;
    bool is_for(const Signature& converter, const Signature& signature,
                const CsrView& matrix) const override;

    /// As plan_strips(), with the codes that were taken.
    StripsPlan plan() const;
    /// Bytes of all arrays.
    double bytes(const Signature& signature) const;

    /// Gives each slice the narrowest code of another bit mask, all of which fit.
    void use_codes(std::int64_t codes);

    GpuMatrix store(const Signature& signature, std::int64_t memory_limit) override;

  private:
    std::unique_ptr<DeviceMemory> upload_order();
    void list_long_rows();
    void list_blocks();
    void reserve_rows();
    void find_strips(std::int64_t codes);
    void find_codes(std::int64_t codes);
    std::int64_t block_rows() const {
        return (matrix_.on_host.rows + shape_.block_rows - 1) / shape_.block_rows;
    }
    std::int64_t stored() const {
        return strips_ * shape_.lanes * shape_.block_size() + long_ptr_.back();
    }
    void* place_of(const char* array) const { return const_cast<void*>(values_.arrays.at(array)); }
    /// Enqueues: `ptr` = sums of so many numbers `sizes`.
    void scan(const char* sizes, std::int64_t count, const char* ptr);
    /// Waits for the last scan: what it summed up.
    std::int64_t total();
    /// What row lengths say of the number of strips, where none are made of diagonals with holes.
    std::int64_t most_strips_of_all() const;
    /// Waits: the counts and the number of strips.
    void read_counts();
    StripsSizes sizes() const;
    void launch(std::string_view step) { launch_step(device_, converter_, step, values_); }

    Device& device_;
    const DeviceKernel& converter_;
    const MatrixOnDevice matrix_;
    StripsShape shape_;
    IndexType index_, offset_;
    std::int64_t slices_ = 0, strips_ = 0, units_ = 0, codes_ = 0;
    std::vector<std::int64_t> long_row_, long_ptr_{0}, chunk_ptr_{0}, chunk_row_;
    /// Arrays whose sizes row offsets tell, one behind another.
    std::unique_ptr<DeviceMemory> of_rows_;
    /// What is of use until store() is done.
    std::unique_ptr<DeviceMemory> scratch_, bases_, block_col_, block_whole_;
    ConversionCounts counts_{};
    StepValues values_;
};

}  // namespace spmvgen
