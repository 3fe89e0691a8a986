#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "formats/value_pattern.hpp"
#include "handle/base/apply_memory.hpp"
#include "handle/base/handle_impl.hpp"
#include "handle/base/variant_table.hpp"
#include "handle/base/vector_packer.hpp"
#include "handle/conversion/conversion_on_device.hpp"
#include "handle/conversion/csr_on_device.hpp"
#include "handle/conversion/gpu_matrix.hpp"
#include "handle/gpu/gpu_bound_kernel.hpp"
#include "handle/gpu/gpu_values.hpp"
#include "handle/gpu/stream_workspaces.hpp"
#include "handle/kernels/stopwatch.hpp"
#include "handle/plan/device_options.hpp"
#include "handle/plan/input.hpp"
#include "handle/plan/number_types.hpp"
#include "handle/plan/planned_matrix.hpp"
#include "handle/plan/trials.hpp"
#include "kernel/refuse.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/features/features.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "tuner/chooser/chooser.hpp"

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

namespace {

/// What a choice knows of the matrix.
enum class Seen { rows, sample, all };

/// All but the table of variants and the workspaces stays as the constructor left it, until new
/// values come.
class GpuHandle : public HandleImpl {
  public:
    GpuHandle(const CsrView& matrix, const Options& options, KernelProvider& provider,
              std::shared_ptr<Device> device, const GpuInput& input);
    void apply(ValueType type, const Operands& operands, Stream stream) override;
    void prepare(Scale alpha, Scale beta, Stream stream) override;
    std::string source() const override { return source_; }
    bool borrows(const CsrView& matrix) const override {
        return reads_arrays(matrix_.stored, matrix);
    }
    std::size_t workspace_bytes(Scale alpha, Scale beta) override;
    void set_values(const NewValues& values, Stream stream) override;
    void widen(const Signature& wider, const void* values, Stream stream) override;
    bool has_kernel(ValueType type, const Operands& operands) override;
    VectorPacker& packer() override { return *packer_; }

  private:
    using Variant = std::unique_ptr<GpuBoundKernel>;

    void make_base(const CsrView& matrix, const Options& options, DeviceCsr* on_device,
                   CsrOnDevice& csr, Chooser& chooser);
    /// Whether the matrix is sooner converted on the device, with what it takes to get there.
    bool converting_pays(const MatrixOnDevice& matrix, const CsrOnDevice& csr);
    ProvidedGpuKernel get_kernel();
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
    void keep_pattern(const CsrView& matrix, bool updatable, const CsrView* there);
    /// The same with columns that were left on the device.
    const ValuePattern& complete_pattern();
    /// New numbers that are on the device, for a matrix that has them as they are.
    void set_values_there(const void* values, Stream stream);
    /// What puts new numbers in their places on the device; null where the host converts them.
    const GpuValues* values_on_device();
    /// The memory of an array of the stored matrix; null when it is the caller's.
    const DeviceMemory* memory_of(const std::string& array) const;
    const GpuBoundKernel& variant(int num_rhs, Scale alpha, Scale beta);
    void tell_kernel(const GpuBoundKernel& kernel);
    Variant make_variant(const Signature& base, int num_rhs, Scale alpha, Scale beta,
                         const StoredMatrix& on_device);
    /// Whether y = αAx + βy leaves y as it is.
    bool is_nothing(Scale alpha, Scale beta) const;

    std::shared_ptr<Device> device_;  ///< outlives what is on it
    GpuMatrix matrix_;
    std::span<const std::int32_t> row_order_;  ///< while the constructor runs
    ConversionKernels converter_;
    std::unique_ptr<ConversionOnDevice> conversion_;  ///< while the constructor runs
    std::unique_ptr<VariantTables<Variant>> variants_ = std::make_unique<VariantTables<Variant>>();
    ValuePattern pattern_;
    std::unique_ptr<DeviceMemory> columns_there_;  ///< of pattern_, until they are needed
    std::unique_ptr<GpuValues> values_;
    bool sought_values_ = false;  ///< whether values_ was looked for
    StreamWorkspaces workspaces_;
    std::int64_t memory_limit_ = 0;
    std::size_t zeroed_bytes_ = 0;  ///< of a caller's workspace, at its begin, for all modes
    std::string source_;
    std::unique_ptr<VectorPacker> packer_;
};

GpuHandle::GpuHandle(const CsrView& matrix, const Options& options, KernelProvider& provider,
                     std::shared_ptr<Device> device, const GpuInput& input)
    : HandleImpl(options, provider),
      device_(std::move(device)),
      row_order_(input.row_order),
      workspaces_(*device_),
      memory_limit_(options.memory_limit) {
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
    std::optional<CsrOnDevice> csr;  // goes before prepare_ms is told
    csr.emplace(*device_, matrix, on_device != nullptr ? &on_device->on_device() : nullptr);
    if (matrix.nnz > 0) {
        const auto trials = gpu_trials(matrix, *csr, features.max_row, num_rhs_, device_,
                                       options.memory_limit, provider_, policy_);
        take(apply_level(
            {matrix, features, planned.request(), options, provider_, policy_, device_, chooser},
            rule, *trials));
    } else {
        take(rule);
        signature_.alpha = Scale::zero;
        info_.reason = "the matrix has no entries: y = βy";
    }
    if (on_device != nullptr)
        plan_on_device(*on_device, *csr, options, features.max_row, seen);
    else if (options.memory_limit == 0 && !has_csr_arrays(signature_) &&
             converting_pays({matrix, matrix, features.max_row, false, row_order_}, *csr))
        convert_copy(matrix, *csr, options, features.max_row, seen);
    if (seen == Seen::sample && !conversion_) {
        Choice settled{signature_, info_.reason};
        chooser.settle(settled, planned.answered());
        take(settled);
    }
    const Stopwatch making;
    find_general(features, planned.request());
    info_.kernel_ms += making.ms();
    make_base(matrix, options, on_device, *csr, chooser);
    csr.reset();
    info_.kernel = kernel_name(signature_);
    predict(device_.get(), 0);
    row_order_ = {};
    tell_choice_ms(watch);
    info_.prepare_ms = watch.ms();
}

void GpuHandle::make_base(const CsrView& matrix, const Options& options, DeviceCsr* on_device,
                          CsrOnDevice& csr, Chooser& chooser) {
    const Stopwatch watch;
    ProvidedGpuKernel provided;  // before the conversion, which a missing kernel makes useless
    if ((transposes() ? matrix.cols : matrix.rows) > 0) provided = get_kernel();
    info_.kernel_ms += watch.ms();
    tell_origin(provided);
    if (conversion_ &&
        !converts_for(converter_.converter->loaded->signature(), signature_, matrix)) {
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
        convert_here(matrix, options, on_device, csr, chooser);
    conversion_.reset();
    describe(matrix, matrix_.stored);
    keep_pattern(matrix, options.updatable,
                 on_device != nullptr ? &on_device->on_device() : nullptr);
    info_.convert_ms += conversion.ms();
    if (provided.kernel == nullptr) return;
    tell_kernel(*variants_->of(num_rhs_).get(signature_.alpha, signature_.beta, [&](Scale, Scale) {
        return std::make_unique<GpuBoundKernel>(provided.kernel, matrix_.stored);
    }));
}

void GpuHandle::keep_pattern(const CsrView& matrix, bool updatable, const CsrView* there) {
    pattern_ = ValuePattern(matrix, signature_, updatable);
    info_.update_bytes = pattern_.bytes();
    if (!pattern_.lacks_columns()) return;
    const auto bytes = static_cast<std::size_t>(matrix.nnz) * size_of(matrix.index_type);
    columns_there_ = device_->allocate(bytes);
    device_->copy_on_device(columns_there_->data(), there->col_idx, bytes);
    info_.update_bytes += static_cast<std::int64_t>(bytes);
}

const ValuePattern& GpuHandle::complete_pattern() {
    if (pattern_.lacks_columns()) {
        Buffer columns(columns_there_->bytes());
        device_->copy_to_host(columns.data(), columns_there_->data(), columns.bytes());
        pattern_.give_columns(std::move(columns));
        columns_there_.reset();
    }
    return pattern_;
}

void GpuHandle::convert_here(const CsrView& matrix, const Options& options,
                             const DeviceCsr* on_device, CsrOnDevice& csr, Chooser& chooser) {
    const StoredMatrix stored = convert(matrix, signature_, true, options.memory_limit, row_order_,
                                        chooser.take_layout(signature_).get());
    matrix_ = upload(*device_, stored, matrix,
                     {csr.is_there() ? &csr.view() : nullptr, on_device != nullptr && !options.copy,
                      options.memory_limit});
}

bool GpuHandle::converting_pays(const MatrixOnDevice& matrix, const CsrOnDevice& csr) {
    if (!csr.pays() || !why_not_on_device(matrix, signature_).empty()) return false;
    const auto distance =
        conversion_distance(provider_, policy_, device_, signature_, matrix.on_host);
    const bool compile = distance == KernelProvider::Distance::compiler;
    return csr.pays(compile) && (!compile || provider_.may_compile(policy_));
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
    MatrixOnDevice matrix{input.on_device(), input.on_host(), max_row, !options.copy};
    if (const auto* values = input.few_values()) matrix.dictionary = *values;
    const bool as_it_is = has_arrays_of(matrix.on_device, signature_);
    const bool strips = kernel_entry(signature_.kernel).format == Format::strips;
    if (matrix.on_device.nnz > 0 && !(as_it_is && input.is_complete()) &&
        (strips || converting_pays(matrix, csr))) {
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

/// Why the device cannot; "" = conversion_ is there.
std::string GpuHandle::begin_conversion(const MatrixOnDevice& matrix, Seen seen,
                                        const Options& options) {
    const auto open = [&](const char* name, std::int64_t value) {
        if (!options.params.contains(name)) signature_.params[name] = value;
    };
    if (kernel_entry(signature_.kernel).format == Format::strips) {
        // Whether holes pay only the columns tell.
        if (seen == Seen::rows && strips_shape(signature_).holes) open("fill", 0);
        if (seen == Seen::sample) {
            open("long_rows", 1);
            if (signature_.params.at("codes") != whole_columns) open("codes", all_strip_codes);
        }
    }
    if (auto why = why_not_on_device(matrix, signature_); !why.empty())
        return "the device makes no " + why;
    const Stopwatch making;
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

ProvidedGpuKernel GpuHandle::get_kernel() {
    return kernel_or_general([&](const Signature& s, bool last_resort) {
        try {
            return provider_.get(s, policy_, device_);
        } catch (const Error& error) {
            if (last_resort || error.code() != ErrorCode::compile) throw;
            return ProvidedGpuKernel();
        }
    });
}

void GpuHandle::tell_kernel(const GpuBoundKernel& kernel) {
    source_ = kernel.kernel().source;
    zeroed_bytes_ = kernel.workspace_bytes().zeroed;
    info_.facts = kernel.kernel().facts;
    info_.launches = static_cast<int>(kernel.kernel().loaded->launch().steps.size());
}

bool GpuHandle::is_nothing(Scale alpha, Scale beta) const {
    return info_.rows == 0 ||
           (alpha == Scale::zero && beta == Scale::one && signature_.epilogue.empty());
}

void GpuHandle::apply(ValueType type, const Operands& o, Stream stream) {
    const auto [alpha, beta] = checked_modes(type, o);
    if (is_nothing(alpha, beta)) return;
    const GpuBoundKernel& kernel = variant(width_of(o), alpha, beta);
    if (o.workspace == nullptr) return kernel.enqueue(o, workspaces_, {stream.native});
    // The zeroed part comes first, of one size for all modes, so that none puts scratch there.
    const std::size_t zeroed = std::max(zeroed_bytes_, kernel.workspace_bytes().zeroed);
    const WorkspaceCut own(*o.workspace, zeroed + kernel.workspace_bytes().scratch);
    kernel.enqueue(o, own.data() + zeroed, own.data(), {stream.native});
}

bool GpuHandle::has_kernel(ValueType type, const Operands& o) {
    const auto [alpha, beta] = checked_modes(type, o);
    if (!is_nothing(alpha, beta)) variant(width_of(o), alpha, beta);
    return true;
}

std::size_t GpuHandle::workspace_bytes(Scale alpha, Scale beta) {
    if (info_.nnz == 0) alpha = Scale::zero;
    if (is_nothing(alpha, beta)) return 0;
    const WorkspaceBytes& bytes = variant(num_rhs_, alpha, beta).workspace_bytes();
    if (bytes == WorkspaceBytes{}) return 0;
    return workspace_with_slack(std::max(zeroed_bytes_, bytes.zeroed) + bytes.scratch);
}

const DeviceMemory* GpuHandle::memory_of(const std::string& array) const {
    const void* const data = matrix_.stored.arrays.at(array);
    for (auto& memory : matrix_.memory)
        if (memory->data() == data) return memory.get();
    return nullptr;
}

void GpuHandle::set_values_there(const void* values, Stream stream) {
    if (const DeviceMemory* const own = memory_of("values")) {
        device_->synchronize({stream.native});
        const auto bytes = static_cast<std::size_t>(info_.nnz) * size_of(given_type());
        return device_->copy_on_device(own->data(), values, bytes);
    }
    matrix_.stored.arrays["values"] = values;
    variants_->for_each([&](const Variant& kernel) { kernel->replace_array("values", values); });
}

const GpuValues* GpuHandle::values_on_device() {
    if (sought_values_ || memory_limit_ != 0) return values_.get();
    sought_values_ = true;
    std::map<std::string, std::int64_t> places;
    for (auto& name : names_of_values(matrix_.stored, signature_)) {
        const DeviceMemory* const own = memory_of(name);
        if (own == nullptr) return nullptr;
        places[name] = static_cast<std::int64_t>(own->bytes() / size_of(storage_type(signature_)));
    }
    const auto sources = complete_pattern().find_sources(places);
    if (!sources) return nullptr;
    values_ = GpuValues::of(*sources, signature_, given_type(), device_, provider_, policy_);
    if (values_ != nullptr) info_.update_bytes += values_->bytes();
    return values_.get();
}

void GpuHandle::set_values(const NewValues& values, Stream stream) {
    if (values.on_device && pattern_.as_given()) return set_values_there(values.data, stream);
    device_->synchronize({stream.native});
    if (const GpuValues* const put = values_on_device()) {
        if (values.on_device) return put->put(values.data, matrix_);
        const auto bytes = static_cast<std::size_t>(info_.nnz) * size_of(given_type());
        const auto copy = device_->allocate_scratch(bytes);
        device_->copy_to_device(copy->data(), values.data, bytes);
        return put->put(copy->data(), matrix_);
    }
    Buffer here;
    const void* data = values.data;
    if (values.on_device) {
        here = Buffer(static_cast<std::size_t>(info_.nnz) * size_of(given_type()));
        device_->copy_to_host(here.data(), data, here.bytes());
        data = here.data();
    }
    const StoredValues fresh = complete_pattern().convert_values(data);
    for (auto& array : fresh.arrays)
        if (memory_of(array.name) == nullptr || memory_of(array.name)->bytes() != array.bytes)
            throw Error(ErrorCode::internal,
                        "new values do not fit the array '" + array.name + "'");
    for (auto& array : fresh.arrays)
        device_->copy_to_device(memory_of(array.name)->data(), array.data, array.bytes);
}

void GpuHandle::prepare(Scale alpha, Scale beta, Stream stream) {
    if (info_.nnz == 0) alpha = Scale::zero;
    if (is_nothing(alpha, beta)) return;
    variant(num_rhs_, alpha, beta).prepare(workspaces_, {stream.native});
}

const GpuBoundKernel& GpuHandle::variant(int num_rhs, Scale alpha, Scale beta) {
    return *variants_->of(num_rhs).get(alpha, beta, [&](Scale a, Scale b) {
        return make_variant(signature_, num_rhs, a, b, matrix_.stored);
    });
}

GpuHandle::Variant GpuHandle::make_variant(const Signature& base, int num_rhs, Scale alpha,
                                           Scale beta, const StoredMatrix& on_device) {
    Signature wanted = base;
    wanted.alpha = alpha;
    wanted.beta = beta;
    wanted.num_rhs = num_rhs;
    if (num_rhs != num_rhs_) wanted = complete(wanted);
    return std::make_unique<GpuBoundKernel>(provider_.get(wanted, policy_, device_).kernel,
                                            on_device);
}

void GpuHandle::widen(const Signature& wider, const void* values, Stream stream) {
    device_->synchronize({stream.native});
    const StoredValues fresh = complete_pattern().convert_values(values, wider);
    GpuMatrix next = with_new_values(*device_, matrix_, fresh, memory_limit_);
    std::unique_ptr<VariantTables<Variant>> variants;
    try {
        variants = variants_->made_anew([&](int num_rhs, Scale a, Scale b, const Variant&) {
            return make_variant(wider, num_rhs, a, b, next.stored);
        });
    } catch (const Error& error) {
        if (error.code() != ErrorCode::compile) throw;
        refuse_to_widen(wider, error.what());
    }
    matrix_.memory.reserve(matrix_.memory.size() + next.memory.size());
    // Nothing throws from here on. Graphs that were captured, and what is under way on other
    // streams, may still read the old arrays: they stay.
    std::ranges::move(next.memory, std::back_inserter(matrix_.memory));
    matrix_.stored = std::move(next.stored);
    variants_ = std::move(variants);
    pattern_.change_signature(wider);
    values_.reset();
    sought_values_ = false;
    tell_widened(wider);
    tell_kernel(variant(num_rhs_, signature_.alpha, signature_.beta));
    predict(device_.get(), 0);
}

}  // namespace

std::unique_ptr<HandleImpl> make_gpu_handle(const CsrView& matrix, const Options& options,
                                            KernelProvider& provider,
                                            std::shared_ptr<Device> device, const GpuInput& input) {
    return std::make_unique<GpuHandle>(matrix, options, provider, std::move(device), input);
}

}  // namespace spmvgen
