#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>

#include "handle/base/handle_impl.hpp"
#include "handle/base/permuter.hpp"
#include "handle/base/vector_packer.hpp"
#include "handle/kernels/stopwatch.hpp"
#include "handle/making/handle_makers.hpp"
#include "handle/plan/planned_matrix.hpp"
#include "matrix/reorder/reordering.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// A handle of B = PAPᵀ, or PA, behind which the caller's matrix is A.
class ReorderedHandle : public HandleImpl {
  public:
    ReorderedHandle(const CsrView& matrix, const Options& options, KernelProvider& provider,
                    std::shared_ptr<Device> device, std::optional<ChosenOrder> chosen);
    void apply(ValueType type, const Operands& operands, Stream stream) override;
    void prepare(Scale alpha, Scale beta, Stream stream) override;
    std::string source() const override { return product_->source(); }
    std::size_t workspace_bytes(Scale alpha, Scale beta) override;
    void set_values(const NewValues& values, Stream stream) override;
    std::unique_ptr<DeviceMemory> ordered_there(const ValueOrder& order, const void* values,
                                                Stream stream) override;
    std::span<const std::int32_t> row_order() const override { return order_; }
    bool has_kernel(ValueType type, const Operands& operands) override;
    VectorPacker& packer() override { return product_->packer(); }
    void set_zero(void* data, std::size_t bytes) override { product_->set_zero(data, bytes); }

  private:
    /// What B's handle is made of, while the constructor runs.
    struct ProductInput {
        const CsrView& permuted;  ///< B; where `on_device` has it, row offsets alone
        const Options& options;
        const Reordering& reordering;
        const std::shared_ptr<Device>& device;
        const PlannedMatrix* planned;  ///< of A; null = nothing is yet
        DeviceCsr* on_device;          ///< has B in the device's memory; null = nowhere
    };
    double make_on_host(const CsrView& matrix, const Options& options, const Reordering& reordering,
                        const std::shared_ptr<Device>& device, const ChosenOrder* chosen);
    std::optional<double> make_on_device(const CsrView& matrix, const Options& options,
                                         const Reordering& reordering,
                                         const std::shared_ptr<Device>& device,
                                         const ChosenOrder& chosen);
    std::unique_ptr<HandleImpl> make_product(const ProductInput& input);
    std::unique_ptr<HandleImpl> make_listed(const ProductInput& input);
    Permuter& permuter(int num_rhs);
    void make_permuter(const CsrView& matrix, const Options& options,
                       std::shared_ptr<Device> device);
    void tell(const CsrView& matrix, const Reordering& reordering, const ChosenOrder* chosen);

    std::shared_ptr<Device> device_;                  ///< null = the host
    std::vector<std::int32_t> order_;                 ///< new → old
    ValueOrder from_given_;                           ///< of B's values, while the constructor runs
    std::optional<PiecesOnDevice> from_given_there_;  ///< the same, once new values were there
    std::unique_ptr<HandleImpl> product_;             ///< B, for vectors in B's order
    std::unique_ptr<Permuter> permuter_;  ///< null when the caller's vectors are in B's order
    std::function<std::unique_ptr<Permuter>(int num_rhs)> make_permuter_of_;
    std::mutex making_;                                   ///< guards permuters_
    std::map<int, std::unique_ptr<Permuter>> permuters_;  ///< for other right-hand sides
};

/// A CPU puts y back into the caller's order with a precompiled loop, a GPU with a kernel that
/// knows nothing of operands.
void check_epilogue(const Options& o) {
    if (has_operands(o.epilogue) && !o.permuted_vectors &&
        o.reorder != to_string(ReorderMethod::rows))
        throw Error(ErrorCode::invalid_argument,
                    "options.epilogue has operands, which with options.reorder are for vectors in "
                    "the matrix's order: set options.permuted_vectors, or leave one of them out");
    if (o.device == "host" && !o.epilogue.empty() && !o.permuted_vectors)
        throw Error(ErrorCode::invalid_argument,
                    "options.epilogue with options.reorder on the host is for vectors in the "
                    "matrix's order, whose rows it gets: set options.permuted_vectors, or leave "
                    "one of them out");
}

/// Kernels that take rows in any order, by preference.
std::vector<KernelEntry> kernels_of_rows() {
    std::vector<KernelEntry> kernels;
    std::ranges::copy_if(kernel_registry(), std::back_inserter(kernels),
                         [](auto& kernel) { return !kernel.any_order.empty(); });
    return kernels;
}

/// Whether the options allow that kernel.
bool leaves_free(const Options& options, const KernelEntry& kernel) {
    const auto fits = [](std::string_view wanted, std::string_view own) {
        return wanted == "auto" || wanted == own;
    };
    return fits(options.kernel, kernel.id) && fits(options.format, to_string(kernel.format));
}

/// What the handle of B is asked for with that kernel.
Options options_of_kernel(const Options& options, const KernelEntry& kernel) {
    Options inner = options;
    inner.reorder = "none";
    inner.copy = true;  // B goes when the handle is made
    inner.owner = nullptr;
    inner.device_arrays = false;
    inner.format = "auto";
    inner.kernel = kernel.id;
    return inner;
}

/// Whether the rows of B are plain CSR, whose kernel is told afterwards where those of y are: of
/// several vectors, whose rows are what a product reads.
bool lists_rows(const Options& options) {
    return options.num_rhs > 1 && options.epilogue.empty() && options.op == "N" &&
           options.params.empty() && options.device != "host" &&
           leaves_free(options, plain_kernel(true));
}

/// Of rows in an order of their own, for kernels that are told where y's elements are.
Options options_of_rows(const Options& options) {
    const auto refuse = [](std::string_view why) {
        throw Error(
            ErrorCode::invalid_argument,
            fmt::format("options.reorder rows {}: use rcm or band-k, or leave it out", why));
    };
    if (options.device == "host") refuse("is for GPUs");
    if (options.op != "N") refuse("is for kernels that do not transpose");
    const KernelEntry kernel = kernels_of_rows().front();
    if (!leaves_free(options, kernel)) refuse(fmt::format("is for kernel {}", kernel.id));
    Options inner = options_of_kernel(options, kernel);
    for (auto& [name, value] : kernel.any_order) inner.params[std::string(name)] = value;
    inner.params.try_emplace("block", cluster_rows);  // a cluster for each block of threads
    return inner;
}

/// The same for the next kernel, where the first would be too large.
Options options_of_next_kernel(const Options& of_rows) {
    const KernelEntry kernel = kernels_of_rows().at(1);
    Options inner = of_rows;
    inner.kernel = kernel.id;
    inner.params.clear();
    for (auto& [name, value] : kernel.any_order) inner.params[std::string(name)] = value;
    return inner;
}

/// Whether the options leave no other kernel.
bool names_kernel(const Options& options) {
    return options.kernel != "auto" || options.format != "auto" || !options.params.empty();
}

/// What the handle of B is asked for. The epilogue is left to the permuter when there is one: the
/// row that it is told is the caller's.
Options options_of_product(const Options& options) {
    Options inner = options;
    inner.reorder = "none";
    inner.permuted_vectors = false;
    inner.copy = true;  // B goes when the handle is made
    inner.owner = nullptr;
    inner.device_arrays = false;
    if (options.device != "host" && !options.permuted_vectors) inner.epilogue.clear();
    return inner;
}

ReorderedHandle::ReorderedHandle(const CsrView& matrix, const Options& options,
                                 KernelProvider& provider, std::shared_ptr<Device> device,
                                 std::optional<ChosenOrder> chosen)
    : HandleImpl(options, provider), device_(device) {
    const Stopwatch watch;
    set_types(options, matrix.value_type);
    check_epilogue(options);
    const bool rows_only = options.reorder == to_string(ReorderMethod::rows);
    if (rows_only && !lists_rows(options))
        (void)options_of_rows(options);  // what it refuses, before anything is made
    {
        Reordering reordering = chosen ? std::move(chosen->choice.order)
                                       : reorder(matrix, parse_reorder_method(options.reorder),
                                                 BandK{}, options.threads);
        double reorder_ms = watch.ms();
        const ChosenOrder* const known = chosen ? &*chosen : nullptr;
        const auto on_device =
            known ? make_on_device(matrix, options, reordering, device, *known) : std::nullopt;
        reorder_ms +=
            on_device ? *on_device : make_on_host(matrix, options, reordering, device, known);
        info_ = product_->info();
        info_.reorder_ms = reorder_ms;
        tell(matrix, reordering, known);
        order_ = std::move(reordering.order);
    }
    if (rows_only) {
        signature_.target = parse_target(info_.target);
        info_.permute_bytes = 0;  // the list of rows is read with A
    } else if (!options.permuted_vectors) {
        const Stopwatch making;
        make_permuter(matrix, options, std::move(device));
        info_.kernel_ms += making.ms();
    }
    info_.permuted_vectors = options.permuted_vectors;
    if (options.updatable) tell_order(std::move(from_given_));
    info_.prepare_ms = watch.ms();
}

/// The product of B, which this host makes. Returns the milliseconds that it takes to make B.
double ReorderedHandle::make_on_host(const CsrView& matrix, const Options& options,
                                     const Reordering& reordering,
                                     const std::shared_ptr<Device>& device,
                                     const ChosenOrder* chosen) {
    const Stopwatch watch;
    const bool is_elsewhere = chosen != nullptr && chosen->on_device != nullptr;
    const CsrMatrix permuted = permute(is_elsewhere ? chosen->on_device->all() : matrix, reordering,
                                       options.threads, options.updatable ? &from_given_ : nullptr);
    const double ms = watch.ms();
    product_ = make_product({permuted.view(), options, reordering, device,
                             chosen != nullptr ? &chosen->planned : nullptr, nullptr});
    return ms;
}

/// The same of B that the device makes, of A that is there or is copied there; nothing where it
/// cannot, or where B's kernel is chosen by more than a sample, which takes B on this host.
std::optional<double> ReorderedHandle::make_on_device(const CsrView& matrix, const Options& options,
                                                      const Reordering& reordering,
                                                      const std::shared_ptr<Device>& device,
                                                      const ChosenOrder& chosen) {
    if (!may_order_on_device(options)) return std::nullopt;
    const Stopwatch watch;
    AnalysisOnDevice analysis(provider_, policy_, device);
    if (!chosen.csr.pays(analysis.compiles_for_rows_in(matrix))) return std::nullopt;
    const auto rows =
        analysis.rows_in(chosen.csr.view(), matrix, reordering.order, options.threads);
    if (rows == nullptr) return std::nullopt;
    DeviceCsr b(*device, rows->view(), options.threads, analysis);
    if (options.updatable) from_given_ = rows->take_order();
    const double ms = watch.ms();
    product_ = make_product({b.on_host(), options, reordering, device, &chosen.planned, &b});
    return ms;
}

/// Null where the kernel cannot be had.
std::unique_ptr<HandleImpl> ReorderedHandle::make_listed(const ProductInput& input) {
    const CsrView& permuted = input.permuted;
    const Options plain = options_of_kernel(input.options, plain_kernel(true));
    std::optional<PlannedMatrix> in_order;
    if (input.planned != nullptr)
        in_order.emplace(permuted, plain, provider_, *input.device, *input.planned,
                         input.on_device);
    auto product = make_gpu_handle(permuted, plain, provider_, input.device,
                                   {input.on_device, in_order ? &*in_order : nullptr});
    const Stopwatch listing;
    if (permuted.nnz > 0 && !product->store_in_rows(input.reordering.order)) return nullptr;
    product->tell_more_time(listing.ms(), &Info::kernel_ms);
    if (in_order) product->tell_more_time(in_order->analysis_ms(), &Info::analysis_ms);
    product->tell_given(permuted.value_type, permuted.nnz, input.device);
    return product;
}

std::unique_ptr<HandleImpl> ReorderedHandle::make_product(const ProductInput& input) {
    const CsrView& permuted = input.permuted;
    const Options& options = input.options;
    if (input.reordering.method != ReorderMethod::rows)
        return make_handle_impl(permuted, options_of_product(options), provider_, input.device);
    if (lists_rows(options))
        if (auto product = make_listed(input)) return product;
    const Options of_rows = options_of_rows(options);
    std::optional<PlannedMatrix> in_order;
    if (input.planned != nullptr)
        in_order.emplace(permuted, of_rows, provider_, *input.device, *input.planned,
                         input.on_device);
    const auto make = [&](const Options& o, PlannedMatrix* of_options) {
        return make_gpu_handle(permuted, o, provider_, input.device,
                               {input.on_device, of_options, input.reordering.order});
    };
    const Stopwatch watch;
    std::unique_ptr<HandleImpl> product;
    try {
        product = make(of_rows, in_order ? &*in_order : nullptr);
    } catch (const TooLarge& error) {
        // The kernel was asked for, or predicted.
        if (input.planned != nullptr || names_kernel(options)) throw;
        const double ms = watch.ms();
        product = make(options_of_next_kernel(of_rows), nullptr);
        product->tell_reason_before(error.why());
        product->tell_more_time(ms, &Info::choice_ms);
    }
    if (in_order) product->tell_more_time(in_order->analysis_ms(), &Info::analysis_ms);
    product->tell_given(permuted.value_type, permuted.nnz, input.device);
    return product;
}

void ReorderedHandle::make_permuter(const CsrView& matrix, const Options& options,
                                    std::shared_ptr<Device> device) {
    const int threads = device == nullptr ? host_threads(matrix, options) : 0;
    make_permuter_of_ = [this, threads, epilogue = options.epilogue, device](int num_rhs) {
        const PermutedVectors vectors{signature_.value, num_rhs, order_};
        return device == nullptr ? make_host_permuter(vectors, threads)
                                 : make_gpu_permuter(vectors, epilogue, provider_, policy_, device);
    };
    permuter_ = make_permuter_of_(num_rhs_);
    // Without entries the scatter alone does y = βy.
    info_.launches =
        info_.nnz > 0 ? info_.launches + permuter_->launches() : permuter_->launches() / 2;
    info_.facts.merge(permuter_->facts());
    // Two vectors are read and written once more, and the order is read for both.
    const auto row = static_cast<std::int64_t>(size_of(signature_.value)) * num_rhs_;
    const auto number = static_cast<std::int64_t>(sizeof(std::int32_t));
    info_.permute_bytes = 2 * matrix.rows * (2 * row + number);
    info_.bytes += info_.permute_bytes;
    signature_.target = parse_target(info_.target);
    predict(device.get(), device == nullptr ? host_threads(matrix, options) : 0);
    info_.measured_us = 0;  // it was measured without the ways into the order and back
}

void ReorderedHandle::tell(const CsrView& matrix, const Reordering& reordering,
                           const ChosenOrder* chosen) {
    const Stopwatch watch;
    info_.reorder = to_string(reordering.method);
    info_.bandwidth_before = info_.bandwidth =
        chosen != nullptr ? chosen->choice.bandwidth : bandedness(matrix).bandwidth;
    if (reordering.method != ReorderMethod::rows)  // columns stay
        info_.bandwidth = bandedness(matrix, reordering).bandwidth;
    info_.reorder_ms += watch.ms();
}

std::unique_ptr<DeviceMemory> ReorderedHandle::ordered_there(const ValueOrder& order,
                                                             const void* values, Stream stream) {
    const std::size_t element = size_of(given_type());
    if (device_ == nullptr || order.pieces.bytes() == 0) return nullptr;
    const auto gatherer =
        AnalysisOnDevice(provider_, policy_, device_).gatherer(element, order.type);
    if (gatherer == nullptr) return nullptr;
    if (!from_given_there_) {
        from_given_there_.emplace(*device_, order, PiecesOnDevice::Memory::own);
        info_.update_bytes += from_given_there_->bytes();
    }
    device_->synchronize({stream.native});
    auto ordered = from_given_there_->copied(*gatherer->loaded, values, element);
    device_->synchronize({});
    return ordered;
}

void ReorderedHandle::set_values(const NewValues& values, Stream stream) {
    const std::int64_t before = product_->info().matrix_bytes;
    product_->update_values(given_type(), values, stream);
    const Info& now = product_->info();
    if (now.widened == info_.widened) return;
    info_.widened = now.widened;
    info_.kernel = now.kernel;
    info_.storage = now.storage;
    info_.reason = now.reason;
    info_.warning = now.warning;
    info_.matrix_bytes = now.matrix_bytes;
    info_.bytes += now.matrix_bytes - before;
}

void ReorderedHandle::apply(ValueType type, const Operands& o, Stream stream) {
    if (permuter_ == nullptr) return product_->apply(type, o, stream);
    const auto [alpha, beta] = checked_modes(type, o);
    permuter(width_of(o)).apply(*product_, o, alpha, beta, stream);
}

Permuter& ReorderedHandle::permuter(int num_rhs) {
    if (num_rhs == num_rhs_) return *permuter_;
    const std::lock_guard lock(making_);
    auto& made = permuters_[num_rhs];
    if (made == nullptr) made = make_permuter_of_(num_rhs);
    return *made;
}

bool ReorderedHandle::has_kernel(ValueType type, const Operands& o) {
    if (permuter_ == nullptr) return product_->offers(type, o);
    (void)modes_of(type, o);
    bool offered = false;
    dispatch(type, [&](auto tag) {
        const decltype(tag) one(1), zero(0);
        Operands inner = o;
        inner.alpha = &one;
        inner.beta = &zero;
        offered = product_->offers(type, inner);
    });
    return offered;
}

std::size_t ReorderedHandle::workspace_bytes(Scale alpha, Scale beta) {
    if (permuter_ == nullptr) return product_->workspace_bytes(alpha, beta);
    return permuter_->workspace_bytes(*product_, info_.nnz == 0 ? Scale::zero : alpha, beta);
}

void ReorderedHandle::prepare(Scale alpha, Scale beta, Stream stream) {
    if (permuter_ == nullptr) return product_->prepare(alpha, beta, stream);
    if (info_.nnz == 0) alpha = Scale::zero;
    permuter_->prepare(*product_, alpha, beta, stream);
}

}  // namespace

std::unique_ptr<HandleImpl> make_reordered_handle(const CsrView& matrix, const Options& options,
                                                  KernelProvider& provider,
                                                  std::shared_ptr<Device> device,
                                                  std::optional<ChosenOrder> chosen) {
    return std::make_unique<ReorderedHandle>(matrix, options, provider, std::move(device),
                                             std::move(chosen));
}

}  // namespace spmvgen
