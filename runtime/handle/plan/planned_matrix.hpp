#pragma once
#include <optional>

#include "devices/device.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "handle/plan/device_csr.hpp"
#include "matrix/features/features.hpp"
#include "spmvgen/spmvgen.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/chooser/order_choice.hpp"

namespace spmvgen {

/// What is found out of a matrix for a handle on a GPU before anything is made for it: once, for
/// the choice of its order and of its kernel. Device, matrix and `on_device` must outlive it. For
/// one thread.
class PlannedMatrix {
  public:
    /// `on_device` as make_gpu_handle() takes it; of such a matrix no more comes here than has to.
    /// Throws Error(invalid_argument) for a broken matrix: where it is not here, for its row
    /// offsets, else as validate().
    PlannedMatrix(const CsrView& matrix, const Options& options, KernelProvider& provider,
                  const Device& device, DeviceCsr* on_device);
    /// Of a matrix that has the rows of `original`, checked before, in another order: on this host,
    /// or in the device's memory, which `on_device` is.
    PlannedMatrix(const CsrView& matrix, const Options& options, KernelProvider& provider,
                  const Device& device, const PlannedMatrix& original, DeviceCsr* on_device);
    PlannedMatrix(const PlannedMatrix&) = delete;
    PlannedMatrix& operator=(const PlannedMatrix&) = delete;

    /// What the options ask of the tuner on this device.
    const Request& request() const { return request_; }
    const RowFeatures& features() const { return features_; }
    /// What it took to check the matrix and to look at its rows.
    double analysis_ms() const { return analysis_ms_; }
    /// Whether row lengths alone decide, of a matrix that is not here.
    bool by_rows() const { return by_rows_; }
    Chooser& chooser() { return chooser_; }
    /// What the chooser has columns and values from; null = they are here.
    EntrySource* source() const { return source_; }

    /// The rule's choice, as far as a sample of the matrix tells.
    const Choice& rule();
    /// The request as it was answered so.
    const Request& answered() const { return answered_; }

  private:
    RowFeatures analysed(const CsrView& matrix, const Options& options, DeviceCsr* on_device);

    const Request request_;
    bool by_rows_ = false;
    EntrySource* source_ = nullptr;
    double analysis_ms_ = 0;
    const RowFeatures features_;
    Chooser chooser_;
    Request answered_;
    std::optional<Choice> rule_;
};

/// What the options ask of the tuner for a matrix on that device; the arrays of `on_device`, where
/// that is not null, may be borrowed.
Request request_on(const Device& device, const CsrView& matrix, const Options& options,
                   KernelProvider& provider, const DeviceCsr* on_device);

/// Whether options.reorder leaves the order to the choice, and a matrix of this size could get
/// another one on the device.
bool may_get_order(const CsrView& matrix, const Options& options, KernelProvider& provider,
                   const Device& device);

/// The order that pays, where that is so, of a matrix that may get one. `elsewhere` as OrderProblem
/// has it.
std::optional<OrderChoice> order_that_pays(const CsrView& matrix, const Options& options,
                                           PlannedMatrix& planned,
                                           reordering::ClusteringElsewhere elsewhere);

}  // namespace spmvgen
