#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/device.hpp"
#include "devices/gpu/kernel_steps.hpp"
#include "handle/conversion/conversion_on_device.hpp"
#include "handle/conversion/gpu_matrix.hpp"

/// What conversions on the device have in common on the host.
namespace spmvgen {

/// What stands where in the counts that the host reads (templates/dialect/convert/gpu_convert.hpp).
inline constexpr std::size_t count_outside = 5, count_inexact = 7, count_falling = 9,
                             last_total = 10;
using ConversionCounts = std::array<std::uint64_t, 16>;

/// Bytes of an array of so many elements, or of one where there are none, as add_array() has it.
std::size_t array_bytes(std::int64_t count, std::size_t element);

/// An array's name and bytes.
using ArraySize = std::pair<const char*, std::size_t>;

/// The elements that `values` and `coded_values` have for so many places of entries, at least one
/// each.
struct ValueElements {
    std::int64_t values, coded;
};
ValueElements value_elements(const Signature& signature, std::int64_t places);

/// A dictionary's values as the device has them, of `type`; one zero for none.
std::vector<std::byte> dictionary_bytes(const std::vector<ValueBits>& dictionary, ValueType type);

/// The fault of a conversion whose counts were read; "" = none.
std::string fault_of(const ConversionCounts& counts, const Signature& converter);

/// Memory for arrays of the stored matrix, each a part of the same; `values` name them.
void add_arrays(Device& device, const std::vector<ArraySize>& arrays, StepValues& values,
                GpuMatrix& made);

/// Throws TooLarge when padded arrays of so many bytes would take more than half of the device's
/// free memory, as check_padding() does of the host's; not for less than 64 MiB.
void check_padding(Device& device, const CsrView& matrix, const StoredMatrix& stored,
                   std::int64_t entries, std::int64_t bytes);

/// A conversion under way: the kernel that converts, and its arguments by name.
class ConversionSteps {
  public:
    /// The arguments row_ptr, csr_col_idx, csr_values, dictionary, counts (zeros), num_rows,
    /// num_cols, nnz, num_distinct, one.
    ConversionSteps(Device& device, const DeviceKernel& converter, const MatrixOnDevice& matrix);

    Device& device() { return device_; }
    const MatrixOnDevice& matrix() const { return matrix_; }
    const Signature& converter() const { return converter_.signature(); }
    StepValues& values() { return values_; }

    /// Enqueues the step of that name, less the kernel's, which its own begins with.
    void launch(std::string_view step) { launch_step(device_, converter_, step, values_); }
    /// Enqueues the looks at columns, and at values where these may be wrong.
    void check_entries();
    void check_values();

    /// Memory for arrays that only the conversion needs; they are arguments.
    void add_scratch(const std::vector<ArraySize>& arrays);
    /// Memory for arrays of the stored matrix, each a part of the same; they are arguments.
    void add_arrays(const std::vector<ArraySize>& arrays, GpuMatrix& made);

    /// Enqueues: `ptr` = sums of the `count` numbers `sizes` before each and behind all. One block
    /// does it.
    void scan(const char* sizes, std::int64_t count, const char* ptr);
    /// The same of many, with as many blocks as it takes.
    void scan_many(const char* sizes, std::int64_t count, const char* ptr);

    /// Waits for the steps; `count` elements of that array.
    template <typename Number>
    std::vector<Number> read(const char* array, std::int64_t count) {
        std::vector<Number> numbers(static_cast<std::size_t>(count));
        device_.copy_to_host(numbers.data(), values_.arrays.at(array),
                             numbers.size() * sizeof(Number));
        return numbers;
    }
    /// Waits for the steps; what they counted since the conversion began.
    ConversionCounts read_counts();

  private:
    Device& device_;
    const DeviceKernel& converter_;
    const MatrixOnDevice matrix_;
    std::vector<std::unique_ptr<DeviceMemory>> scratch_;
    StepValues values_;
};

}  // namespace spmvgen
