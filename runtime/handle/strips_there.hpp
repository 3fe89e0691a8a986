#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "devices/device.hpp"
#include "devices/gpu/kernel_steps.hpp"
#include "formats/strips_plan.hpp"
#include "handle/gpu_matrix.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"

/// Conversion to the format `strips` on the device that has the matrix.
namespace spmvgen {

/// A matrix whose arrays are in a device's memory.
struct MatrixThere {
    CsrView there;             ///< device pointers
    CsrView here;              ///< the same, of which only row_ptr is on this host
    std::int64_t max_row = 0;  ///< entries of the longest row
};

/// What a signature of that format wants of the matrix that the device does not make; "" = nothing.
/// The host makes everything.
std::string why_not_there(const MatrixThere& matrix, const Signature& signature);

/// The kernel that converts `matrix` for a signature of the format.
Signature conversion_to(const Signature& signature, const CsrView& matrix);

/// A conversion in two parts: how the matrix lies, then its arrays; what the signature says of the
/// matrix is decided between. All arrays are those that convert() makes, to the last bit.
class StripsThere {
  public:
    /// Finds out how the matrix lies for the shape, the types, and the codes in the parameter
    /// `codes`. `converter` is loaded from conversion_to(). Columns are checked: fault() tells.
    StripsThere(Device& device, const DeviceKernel& converter, const MatrixThere& matrix,
                const Signature& signature);

    /// Why this is no matrix, or none for the signature; "" = all is well. The host's conversion
    /// refuses with a better text.
    std::string fault() const;

    /// As plan_strips(), with the codes that were taken.
    StripsPlan plan() const;
    /// Bytes of all arrays.
    double bytes(const Signature& signature) const;

    /// Gives each slice the narrowest code of another bit mask, all of which fit.
    void use_codes(std::int64_t codes);

    /// Makes the arrays; once. Throws TooLarge as convert() and upload() do.
    GpuMatrix store(const Signature& signature, std::int64_t memory_limit);

  private:
    void list_long_rows();
    void list_blocks();
    void reserve_rows();
    void find_strips(std::int64_t codes);
    void find_codes(std::int64_t codes);
    std::int64_t block_rows() const {
        return (matrix_.here.rows + shape_.block_rows - 1) / shape_.block_rows;
    }
    std::int64_t stored() const {
        return strips_ * shape_.lanes * shape_.block_size() + long_ptr_.back();
    }
    void* place_of(const char* array) const { return const_cast<void*>(values_.arrays.at(array)); }
    /// Sums sizes up; what they come to.
    std::int64_t scan();
    StripsSizes sizes() const;
    void launch(std::string_view step) { launch_step(device_, converter_, step, values_); }

    Device& device_;
    const DeviceKernel& converter_;
    const MatrixThere matrix_;
    StripsShape shape_;
    IndexType index_, offset_;
    std::int64_t slices_ = 0, strips_ = 0, units_ = 0, codes_ = 0;
    std::vector<std::int64_t> long_row_, long_ptr_{0}, chunk_ptr_{0}, chunk_row_;
    /// Arrays whose sizes row offsets tell, one behind another.
    std::unique_ptr<DeviceMemory> of_rows_, bases_;
    /// What is of use until store() is done.
    std::unique_ptr<DeviceMemory> scratch_, block_col_, block_whole_;
    std::array<std::uint64_t, 16> counts_{};
    StepValues values_;
};

}  // namespace spmvgen
