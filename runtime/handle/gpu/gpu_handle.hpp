#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "formats/value_pattern.hpp"
#include "handle/base/handle_impl.hpp"
#include "handle/base/variant_table.hpp"
#include "handle/base/vector_packer.hpp"
#include "handle/conversion/conversion_on_device.hpp"
#include "handle/conversion/csr_on_device.hpp"
#include "handle/conversion/gpu_matrix.hpp"
#include "handle/gpu/gpu_bound_kernel.hpp"
#include "handle/gpu/gpu_values.hpp"
#include "handle/gpu/stream_workspaces.hpp"
#include "handle/making/handle_makers.hpp"
#include "tuner/chooser/chooser.hpp"

namespace spmvgen {

/// What a choice knows of the matrix.
enum class Seen { rows, sample, all };

/// All but the table of variants and the workspaces stays as the constructor left it, until new
/// values come.
class GpuHandle : public HandleImpl {
  public:
    GpuHandle(const CsrView& matrix, const Options& options, KernelProvider& provider,
              std::shared_ptr<Device> device, const GpuInput& input);
    ~GpuHandle() override;
    void apply(ValueType type, const Operands& operands, Stream stream) override;
    void prepare(Scale alpha, Scale beta, Stream stream) override;
    std::string source() const override { return source_; }
    bool borrows(const CsrView& matrix) const override {
        return reads_arrays(matrix_.stored, matrix);
    }
    std::size_t workspace_bytes(Scale alpha, Scale beta) override;
    void set_values(const NewValues& values, Stream stream) override;
    bool put_encoded(const NewValues& given, Stream stream) override;
    void store_wider_values(const Signature& wider, const void* values, Stream stream) override;
    bool store_in_rows(std::span<const std::int32_t> rows) override;
    void set_zero(void* data, std::size_t bytes) override { device_->zero(data, bytes); }
    bool has_kernel(ValueType type, const Operands& operands) override;
    VectorPacker& packer() override { return *packer_; }
    bool takes_forms() const override;
    XGathers count_gathers(ValueType type) override;

  private:
    using Variant = std::unique_ptr<GpuBoundKernel>;

    void make_base(const CsrView& matrix, const Options& options, DeviceCsr* on_device,
                   CsrOnDevice& csr, PlannedMatrix& planned);
    /// Whether the matrix is sooner converted on the device, with what it takes to get there; notes
    /// whether kernels that convert are to be compiled.
    bool converting_pays(const MatrixOnDevice& matrix, const CsrOnDevice& csr,
                         const Options& options, Seen seen);
    /// Whether the handle's kernel is known before its matrix is converted. Of strips a conversion
    /// finds out what the sample left open.
    bool is_made_beside(Seen seen) const;
    /// Makes that kernel and those that convert at the same time, of which some are to be compiled.
    void make_beside(const CsrView& matrix, Seen seen, int threads);
    ProvidedGpuKernel get_kernel(const PlannedMatrix& planned);
    /// Begins the conversion on the device that has A, of whose rows the longest has so many
    /// entries. Where that cannot be, all of A comes here, for the host.
    void plan_on_device(DeviceCsr& input, const CsrOnDevice& csr, const Options& options,
                        std::int64_t max_row, Seen seen);
    std::string begin_conversion(const MatrixOnDevice& matrix, Seen seen, const Options& options);
    /// Begins the conversion of a matrix on the host where its copy on the device is.
    void convert_copy(const CsrView& matrix, CsrOnDevice& csr, const Options& options,
                      std::int64_t max_row, Seen seen);
    void convert_here(const CsrView& matrix, const Options& options, const DeviceCsr* on_device,
                      CsrOnDevice& csr, Chooser& chooser);
    /// Keeps what new numbers have their places by, of a matrix that may be on the device only.
    void keep_pattern(const CsrView& matrix, bool updatable, const DeviceCsr* on_device);
    /// The same with columns that were left on the device.
    const ValuePattern& complete_pattern();
    /// New numbers that are on the device, for a matrix that has them as they are.
    void set_values_there(const void* values, Stream stream);
    /// What puts new numbers of that type in their places on the device; null where the host
    /// converts them.
    const GpuValues* values_on_device(ValueType given);
    /// The memory of an array of the stored matrix; null when it is the caller's.
    const DeviceMemory* memory_of(const std::string& array) const;
    const GpuBoundKernel& variant(const ProductVectors& vectors, Scale alpha, Scale beta);
    void tell_kernel(const GpuBoundKernel& kernel);
    bool list_rows_in_order(std::span<const std::int32_t> rows);
    bool list_rows_of_csr(std::span<const std::int32_t> rows);
    Variant make_variant(const Signature& base, const ProductVectors& vectors, Scale alpha,
                         Scale beta, const StoredMatrix& on_device);
    /// Whether y = αAx + βy leaves y as it is.
    bool is_nothing(Scale alpha, Scale beta) const;
    /// Notes who uses the stored matrix.
    void note(Stream stream) {
        if (stream.native != nullptr) has_other_streams_.store(true, std::memory_order_relaxed);
    }

    std::shared_ptr<Device> device_;  ///< outlives what is on it
    GpuMatrix matrix_;
    std::atomic<bool> has_other_streams_{false};  ///< than the default one
    std::span<const std::int32_t> row_order_;     ///< while the constructor runs
    ConversionKernels converter_;
    bool lacks_converters_ = false;  ///< while the constructor runs: some are to be compiled
    struct MadeAhead {
        Signature signature;
        ProvidedGpuKernel made;
    };
    MadeAhead made_ahead_;                            ///< while the constructor runs
    std::unique_ptr<ConversionOnDevice> conversion_;  ///< while the constructor runs
    std::unique_ptr<VariantTables<Variant>> variants_ = std::make_unique<VariantTables<Variant>>();
    ValuePattern pattern_;
    std::unique_ptr<DeviceMemory> device_columns_;  ///< of pattern_, until they are needed
    std::unique_ptr<GpuValues> values_;
    bool stores_in_rows_ = false;  ///< by the kernel for listed rows (KernelEntry::listed)
    bool sought_values_ = false;   ///< whether values_ was looked for
    StreamWorkspaces workspaces_;
    std::int64_t memory_limit_ = 0;
    bool overlap_launches_ = true;
    std::size_t zeroed_bytes_ = 0;  ///< of a caller's workspace, at its begin, for all modes
    std::string source_;
    std::unique_ptr<VectorPacker> packer_;
};

}  // namespace spmvgen
