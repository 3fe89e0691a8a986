#include <fmt/format.h>

#include "formats/layout.hpp"
#include "formats/plans/strips_plan.hpp"
#include "handle/gpu/gpu_handle.hpp"
#include "handle/kernels/side_by_side.hpp"
#include "handle/kernels/stopwatch.hpp"
#include "handle/making/handle_makers.hpp"
#include "handle/plan/device_csr.hpp"
#include "handle/plan/device_options.hpp"
#include "handle/plan/planned_matrix.hpp"
#include "handle/plan/request_of_options.hpp"
#include "handle/plan/trials.hpp"
#include "kernel/refuse.hpp"
#include "matrix/chunks.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/features/features.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

// How a GPU's handle comes to be: choice, conversion and the first kernel.
namespace spmvgen {

void check_gpu_options(const Options& o, const DeviceFacts& facts) {
    if (o.cache == CacheMode::off)
        refuse(
            fmt::format("cache mode off (options.cache, SPMVGEN_CACHE) always runs the generic CSR "
                        "kernel, which device {} does not have: use another mode",
                        facts.text));
    checked_target(o, facts);
}

Target checked_target(const Options& o, const DeviceFacts& facts) {
    const std::optional<Target> target = target_on(facts.target, o.target);
    if (!target)
        refuse(fmt::format("options.target {} is not what device {} runs, {}: leave it native",
                           o.target, facts.text, to_string(facts.target)));
    return *target;
}

GpuHandle::GpuHandle(const CsrView& matrix, const Options& options, KernelProvider& provider,
                     std::shared_ptr<Device> device, const GpuInput& input)
    : HandleImpl(options, provider),
      device_(std::move(device)),
      row_order_(input.row_order),
      workspaces_(*device_),
      memory_limit_(options.memory_limit),
      overlap_launches_(options.overlap_launches) {
    const Stopwatch watch;
    packer_ = make_gpu_packer(provider_, policy_, device_);
    const DeviceFacts& facts = device_->facts();
    check_gpu_options(options, facts);
    info_.device = facts.text + ", " + facts.name;
    signature_.target = checked_target(options, facts);
    set_types(options, matrix.value_type);
    DeviceCsr* const on_device = input.on_device;
    std::optional<PlannedMatrix> own;
    if (input.planned == nullptr) own.emplace(matrix, options, provider_, *device_, on_device);
    PlannedMatrix& planned = own ? *own : *input.planned;
    if (own) info_.analysis_ms = own->analysis_ms();
    const RowFeatures& features = planned.features();
    Chooser& chooser = planned.chooser();
    Choice rule = planned.rule();
    // Where nothing else asks for the finished kernel, the device may look at all of the matrix.
    const bool is_open = options.level == "rule" && options.expected_applies == 0;
    const Seen seen = planned.by_rows() ? Seen::rows : is_open ? Seen::sample : Seen::all;
    if (seen == Seen::all) chooser.settle(rule, planned.answered());
    std::optional<CsrOnDevice> own_csr;
    if (input.csr == nullptr)
        own_csr.emplace(*device_, matrix, on_device != nullptr ? &on_device->on_device() : nullptr);
    CsrOnDevice& csr = own_csr ? *own_csr : *input.csr;
    if (matrix.nnz > 0) {
        const auto make_trials = [&] {
            return gpu_trials(matrix, csr, features.max_row, num_rhs_, device_,
                              trial_terms(options), provider_, policy_);
        };
        take(apply_level(
            {matrix, features, planned.request(), options, provider_, policy_, device_, chooser},
            rule, make_trials));
    } else {
        take(rule);
        signature_.alpha = Scale::zero;
        info_.reason = "the matrix has no entries: y = βy";
    }
    if (on_device != nullptr)
        plan_on_device(*on_device, csr, options, features.max_row, seen);
    else if (options.memory_limit == 0 && !has_csr_arrays(signature_) &&
             converting_pays({matrix, matrix, features.max_row, false, row_order_}, csr, options,
                             seen))
        convert_copy(matrix, csr, options, features.max_row, seen);
    if (seen == Seen::sample && !conversion_) {
        Choice settled{signature_, info_.reason};
        chooser.settle(settled, planned.answered());
        take(settled);
    }
    make_base(matrix, options, on_device, csr, planned);
    csr.release();  // before prepare_ms is told
    info_.kernel = kernel_name(signature_);
    predict(device_.get(), 0);
    row_order_ = {};
    tell_choice_ms(watch);
    info_.prepare_ms = watch.ms();
}

void GpuHandle::make_base(const CsrView& matrix, const Options& options, DeviceCsr* on_device,
                          CsrOnDevice& csr, PlannedMatrix& planned) {
    const Stopwatch watch;
    ProvidedGpuKernel provided;  // before the conversion, which a missing kernel makes useless
    if ((transposes() ? matrix.cols : matrix.rows) > 0) provided = get_kernel(planned);
    info_.kernel_ms += watch.ms();
    tell_origin(provided);
    if (conversion_ &&
        !conversion_->is_for(converter_.converter->loaded->signature(), signature_, matrix)) {
        conversion_.reset();  // it was begun for another kernel
        if (on_device != nullptr) {
            (void)on_device->all();
            info_.reason += ", in the end on the host";
        }
    }
    const Stopwatch conversion;
    if (conversion_)
        matrix_ = conversion_->store(signature_, options.memory_limit);
    else
        convert_here(matrix, options, on_device, csr, planned.chooser());
    conversion_.reset();
    describe(matrix, matrix_.stored);
    keep_pattern(matrix, options.updatable, on_device);
    if (options.updates == "often") (void)values_on_device(matrix.value_type);
    info_.convert_ms += conversion.ms();
    if (provided.kernel == nullptr) return;
    tell_kernel(
        *variants_->of({num_rhs_}).get(signature_.alpha, signature_.beta, [&](Scale, Scale) {
            return std::make_unique<GpuBoundKernel>(provided.kernel, matrix_.stored,
                                                    overlap_launches_);
        }));
}

void GpuHandle::keep_pattern(const CsrView& matrix, bool updatable, const DeviceCsr* on_device) {
    pattern_ = ValuePattern(matrix, signature_, updatable,
                            on_device != nullptr ? on_device->row_ptr() : nullptr);
    info_.update_bytes = pattern_.bytes();
    if (!pattern_.lacks_columns()) return;
    const auto bytes = static_cast<std::size_t>(matrix.nnz) * size_of(matrix.index_type);
    device_columns_ = device_->allocate(bytes);
    device_->copy_on_device(device_columns_->data(), on_device->on_device().col_idx, bytes);
    info_.update_bytes += static_cast<std::int64_t>(bytes);
}

void GpuHandle::convert_here(const CsrView& matrix, const Options& options,
                             const DeviceCsr* on_device, CsrOnDevice& csr, Chooser& chooser) {
    const StoredMatrix stored = convert(matrix, signature_, true, options.memory_limit, row_order_,
                                        chooser.take_layout(signature_).get());
    matrix_ = upload(*device_, stored, matrix,
                     {csr.is_on_device() ? &csr.view() : nullptr,
                      on_device != nullptr && !options.copy, options.memory_limit});
}

bool GpuHandle::converting_pays(const MatrixOnDevice& matrix, const CsrOnDevice& csr,
                                const Options& options, Seen seen) {
    if (!csr.pays() || !why_not_on_device(matrix, signature_).empty()) return false;
    constexpr auto compiler = KernelProvider::Distance::compiler;
    lacks_converters_ =
        conversion_distance(provider_, policy_, device_, signature_, matrix.on_host) == compiler;
    if (!lacks_converters_) return true;
    // Beside a kernel that is compiled anyway, compiling this one takes hardly longer.
    const bool beside = !csr.is_on_device() && is_made_beside(seen) &&
                        thread_count(options.threads) > 1 &&
                        provider_.distance(signature_, policy_, device_) == compiler;
    return (beside || csr.pays(true)) && provider_.may_compile(policy_);
}

bool GpuHandle::is_made_beside(Seen seen) const {
    return seen == Seen::all || kernel_entry(signature_.kernel).format != Format::strips;
}

void GpuHandle::make_beside(const CsrView& matrix, Seen seen, int threads) {
    std::vector<Signature> kernels = conversions_to(signature_, matrix);
    if (is_made_beside(seen)) kernels.push_back(signature_);
    auto made = make_side_by_side(provider_, policy_, device_, kernels, thread_count(threads));
    if (is_made_beside(seen)) made_ahead_ = {signature_, std::move(made.back())};
}

void GpuHandle::convert_copy(const CsrView& matrix, CsrOnDevice& csr, const Options& options,
                             std::int64_t max_row, Seen seen) {
    const Stopwatch copying;
    const CsrView& copy = csr.view();
    info_.convert_ms += copying.ms();
    if (begin_conversion({copy, matrix, max_row, false, row_order_}, seen, options).empty())
        info_.reason += "; converted on the device";
}

void GpuHandle::plan_on_device(DeviceCsr& input, const CsrOnDevice& csr, const Options& options,
                               std::int64_t max_row, Seen seen) {
    MatrixOnDevice matrix{input.on_device(), input.on_host(), max_row, !options.copy, row_order_};
    if (const auto* values = input.few_values()) matrix.dictionary = *values;
    const bool as_it_is = has_arrays_of(matrix.on_device, signature_);
    const bool strips = kernel_entry(signature_.kernel).format == Format::strips;
    if (matrix.on_device.nnz > 0 && !(as_it_is && input.is_complete()) &&
        (converting_pays(matrix, csr, options, seen) || strips)) {
        const std::string why = begin_conversion(matrix, seen, options);
        if (!as_it_is)
            info_.reason +=
                why.empty() ? "; converted on the device" : "; converted on the host: " + why;
    }
    if (conversion_ || input.is_complete()) return;
    const Stopwatch rest;
    (void)input.all();
    info_.analysis_ms += rest.ms();
}

namespace {

/// Of strips of blocks: whether the sample has no row that is long, and none can be far longer than
/// long ones begin. Which ones are only all columns tell, and the device makes no blocks of rows
/// that may be long.
bool is_hardly_long(const MatrixOnDevice& matrix, const Signature& signature) {
    constexpr std::int64_t most_times = 2;
    const StripsShape shape = strips_shape(signature);
    const std::int64_t most_blocks = matrix.max_row * shape.block_rows;
    const std::int64_t limit = param(signature, "long_from", 0) * shape.threads_per_row;
    return shape.block_size() > 1 && param(signature, "long_rows", 1) == 0 &&
           most_blocks <= most_times * limit;
}

}  // namespace

/// Why the device cannot; "" = conversion_ is there.
std::string GpuHandle::begin_conversion(const MatrixOnDevice& matrix, Seen seen,
                                        const Options& options) {
    const auto open = [&](const char* name, std::int64_t value) {
        if (!options.params.contains(name)) signature_.params[name] = value;
    };
    if (kernel_entry(signature_.kernel).format == Format::strips) {
        // Whether holes pay only the columns tell.
        if (seen == Seen::rows && strips_shape(signature_).may_have_holes()) open("fill", 0);
        if (seen == Seen::sample) {
            if (!is_hardly_long(matrix, signature_)) open("long_rows", 1);
            if (signature_.params.at("codes") != whole_columns) open("codes", all_strip_codes);
        }
    }
    if (auto why = why_not_on_device(matrix, signature_); !why.empty())
        return "the device makes no " + why;
    const Stopwatch making;
    if (lacks_converters_) make_beside(matrix.on_device, seen, options.threads);
    try {
        converter_ = load_converters(provider_, policy_, device_, signature_, matrix.on_device);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::compile) throw;
        return error.what();
    }
    info_.kernel_ms += making.ms();
    const Stopwatch conversion;
    conversion_ = spmvgen::begin_conversion(*device_, converter_, matrix, signature_);
    const std::string fault = conversion_->fault();
    if (!fault.empty()) {
        conversion_.reset();
        return "there are " + fault;
    }
    if (seen != Seen::all) {
        const std::string found = conversion_->fit(
            signature_, [&](const char* name) { return !options.params.contains(name); });
        if (!found.empty()) info_.reason += "; " + found;
    }
    info_.convert_ms += conversion.ms();
    return "";
}

ProvidedGpuKernel GpuHandle::get_kernel(const PlannedMatrix& planned) {
    const auto get = [&](const Signature& s, bool last_resort) {
        if (made_ahead_.made.kernel != nullptr && made_ahead_.signature == s)
            return std::move(made_ahead_.made);
        try {
            return provider_.get(s, policy_, device_);
        } catch (const Error& error) {
            if (last_resort || error.code() != ErrorCode::compile) throw;
            return ProvidedGpuKernel();
        }
    };
    return kernel_or_general(planned.features(), planned.request(), get);
}

std::unique_ptr<HandleImpl> make_gpu_handle(const CsrView& matrix, const Options& options,
                                            KernelProvider& provider,
                                            std::shared_ptr<Device> device, const GpuInput& input) {
    return std::make_unique<GpuHandle>(matrix, options, provider, std::move(device), input);
}

}  // namespace spmvgen
