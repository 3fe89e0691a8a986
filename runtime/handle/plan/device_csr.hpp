#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "devices/device.hpp"
#include "handle/conversion/analysis_on_device.hpp"
#include "matrix/buffer.hpp"
#include "matrix/entry_source.hpp"
#include "spmvgen/spmvgen.hpp"

/// Matrices whose arrays are in a device's memory.
namespace spmvgen {

/// A CSR matrix in a device's memory, whose row offsets are here, too; the rest is once it was
/// asked for. For one thread.
class DeviceCsr final : public EntrySource {
  public:
    /// Copies row_ptr. Throws Error(invalid_argument), as validate(), for sizes that contradict
    /// each other, before the arrays are read; nothing else is checked. `threads` take part in
    /// checks, 0 = what OpenMP would use. `analysis` finds out on the device what can be; without
    /// it that is found out here.
    DeviceCsr(Device& device, const CsrView& on_device, int threads = 0,
              std::optional<AnalysisOnDevice> analysis = {});
    DeviceCsr(const DeviceCsr&) = delete;
    DeviceCsr& operator=(const DeviceCsr&) = delete;

    const CsrView& on_device() const { return on_device_; }
    /// On this host; columns and values are null until complete().
    const CsrView& on_host() const { return on_host_; }
    bool is_complete() const { return complete_; }
    /// Copies the rest. Nothing is checked.
    void complete();

    /// Copy what lies in these ranges, waiting once for all of them.
    Buffer columns(std::span<const EntryRange> ranges) override;
    void expect_values(std::vector<EntryRange> ranges) override;
    Buffer values(std::span<const EntryRange> ranges) override;
    std::optional<ValueTraits> value_traits() override;
    /// The different values, sorted by their bits, where value_traits() has found them to be few.
    const std::vector<ValueBits>* few_values() const {
        return traits_ && traits_->distinct ? &*traits_->distinct : nullptr;
    }
    /// Copies all columns and checks them, unless that was done.
    const CsrView& pattern() override;
    /// Copies the rest and checks it, unless that was done.
    const CsrView& all() override;
    /// The copy of row_ptr.
    std::shared_ptr<const Buffer> row_ptr() const { return row_ptr_; }

  private:
    void fetch_columns();
    std::vector<Buffer> gathered(std::span<const PiecesOfArray> pieces);
    Buffer copied(const PiecesOfArray& pieces);

    Device& device_;
    CsrView on_device_, on_host_;
    const int threads_;
    std::optional<AnalysisOnDevice> analysis_;
    std::optional<ValueTraits> traits_;
    std::vector<EntryRange> expected_;  ///< ranges of values that are wanted next
    Buffer expected_values_;            ///< of these, once they are here
    std::shared_ptr<const Buffer> row_ptr_;
    Buffer col_idx_, values_;
    bool complete_ = false, checked_ = false;
    std::optional<CsrView> pattern_;  ///< on this host, checked
};

/// Entries in any order, out of a device's memory.
struct DownloadedEntries {
    CooView view;
    Buffer row_idx, col_idx, values;
};
DownloadedEntries download(Device& device, const CooView& matrix);

}  // namespace spmvgen
