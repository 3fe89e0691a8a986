#include "handle/gpu/gpu_handle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "formats/value_encoding.hpp"
#include "handle/base/apply_memory.hpp"
#include "handle/conversion/analysis_on_device.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

// What a GPU's handle does once it is made: products and new numbers.
namespace spmvgen {

GpuHandle::~GpuHandle() {
    if (has_other_streams_.load(std::memory_order_relaxed)) return;
    for (auto& memory : matrix_.memory) memory->let_reuse();
}

void GpuHandle::tell_kernel(const GpuBoundKernel& kernel) {
    source_ = kernel.kernel().source;
    zeroed_bytes_ = kernel.workspace_bytes().zeroed;
    info_.facts = kernel.kernel().facts;
    info_.launches = kernel.count_launches();
}

bool GpuHandle::is_nothing(Scale alpha, Scale beta) const {
    return info_.rows == 0 ||
           (alpha == Scale::zero && beta == Scale::one && signature_.epilogue.empty());
}

void GpuHandle::apply(ValueType type, const Operands& o, Stream stream) {
    const auto [alpha, beta] = checked_modes(type, o);
    if (is_nothing(alpha, beta)) return;
    note(stream);
    const GpuBoundKernel& kernel = variant(vectors_of(o), alpha, beta);
    if (o.workspace == nullptr) return kernel.enqueue(o, workspaces_, {stream.native});
    // The zeroed part comes first, of one size for all modes, so that none puts scratch there.
    const std::size_t zeroed = std::max(zeroed_bytes_, kernel.workspace_bytes().zeroed);
    const WorkspaceCut own(*o.workspace, zeroed + kernel.workspace_bytes().scratch);
    kernel.enqueue(o, own.data() + zeroed, own.data(), {stream.native});
}

bool GpuHandle::has_kernel(ValueType type, const Operands& o) {
    const auto [alpha, beta] = modes_of(type, o);
    if (!is_nothing(alpha, beta)) variant(vectors_of(o), alpha, beta);
    return true;
}

std::size_t GpuHandle::workspace_bytes(Scale alpha, Scale beta) {
    if (info_.nnz == 0) alpha = Scale::zero;
    if (is_nothing(alpha, beta)) return 0;
    const WorkspaceBytes& bytes = variant({num_rhs_}, alpha, beta).workspace_bytes();
    if (bytes == WorkspaceBytes{}) return 0;
    return workspace_with_slack(std::max(zeroed_bytes_, bytes.zeroed) + bytes.scratch);
}

const ValuePattern& GpuHandle::complete_pattern() {
    if (pattern_.lacks_columns()) {
        Buffer columns(device_columns_->bytes());
        device_->copy_to_host(columns.data(), device_columns_->data(), columns.bytes());
        pattern_.give_columns(std::move(columns));
        device_columns_.reset();
    }
    return pattern_;
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

const GpuValues* GpuHandle::values_on_device(ValueType given) {
    if (sought_values_ || memory_limit_ != 0) return values_.get();
    sought_values_ = true;
    const auto with = [&](const ValueSources* sources) {
        values_ = GpuValues::of(sources, signature_, given, device_, provider_, policy_);
        if (values_ != nullptr) info_.update_bytes += values_->bytes();
        return values_.get();
    };
    if (pattern_.in_order())
        return pattern_.as_given() || memory_of("values") == nullptr ? nullptr : with(nullptr);
    std::map<std::string, std::int64_t> places;
    const auto [names, bytes] = places_of_values(matrix_.stored, signature_);
    for (auto& name : names) {
        const DeviceMemory* const own = memory_of(name);
        if (own == nullptr) return nullptr;
        places[name] = static_cast<std::int64_t>(own->bytes() / bytes);
    }
    const bool is_one_value = value_code_of(signature_) == ValueCode::one_value;
    const std::optional<ValueSources> sources =
        is_one_value ? ValueSources() : complete_pattern().find_sources(places);
    return sources ? with(&*sources) : nullptr;
}

bool GpuHandle::put_encoded(const NewValues& given, Stream stream) {
    device_->synchronize({stream.native});
    const GpuValues* const put = values_on_device(given_type());
    if (put == nullptr) return false;
    CsrView numbers = pattern_.with_values(given.data);
    std::unique_ptr<DeviceMemory> copy;
    if (!given.on_device) {
        const auto bytes = static_cast<std::size_t>(info_.nnz) * size_of(given_type());
        copy = device_->allocate_scratch(bytes);
        device_->copy_to_device(copy->data(), given.data, bytes);
        numbers.values = copy->data();
    }
    const bool lists = value_code_of(signature_) == ValueCode::dictionary;
    const auto traits = AnalysisOnDevice(provider_, policy_, device_).value_traits(numbers, lists);
    if (!traits || !holds_exactly(*traits, given_type(), signature_)) return false;
    put->put(numbers.values, info_.nnz, traits->distinct.value_or(std::vector<ValueBits>()),
             matrix_);
    return true;
}

void GpuHandle::set_values(const NewValues& values, Stream stream) {
    if (values.on_device && pattern_.as_given()) return set_values_there(values.data, stream);
    device_->synchronize({stream.native});
    // Codes want a look at all values, which put_encoded() takes.
    const bool is_coded = value_code_of(signature_) != ValueCode::plain;
    if (const GpuValues* const put = is_coded ? nullptr : values_on_device(given_type())) {
        if (values.on_device) return put->put(values.data, info_.nnz, {}, matrix_);
        const auto bytes = static_cast<std::size_t>(info_.nnz) * size_of(given_type());
        const auto copy = device_->allocate_scratch(bytes);
        device_->copy_to_device(copy->data(), values.data, bytes);
        return put->put(copy->data(), info_.nnz, {}, matrix_);
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
    note(stream);
    variant({num_rhs_}, alpha, beta).prepare(workspaces_, {stream.native});
}

const GpuBoundKernel& GpuHandle::variant(const ProductVectors& vectors, Scale alpha, Scale beta) {
    return *variants_->of(vectors).get(alpha, beta, [&](Scale a, Scale b) {
        return make_variant(signature_, vectors, a, b, matrix_.stored);
    });
}

GpuHandle::Variant GpuHandle::make_variant(const Signature& base, const ProductVectors& vectors,
                                           Scale alpha, Scale beta, const StoredMatrix& on_device) {
    Signature wanted = signature_for(base, vectors, alpha, beta);
    if (stores_in_rows_) wanted.kernel = kernel_entry(wanted.kernel).listed;
    return std::make_unique<GpuBoundKernel>(provider_.get(wanted, policy_, device_).kernel,
                                            on_device, overlap_launches_);
}

bool GpuHandle::store_in_rows(std::span<const std::int32_t> rows) {
    if (info_.nnz == 0) return false;
    const KernelEntry& kernel = kernel_entry(signature_.kernel);
    if (kernel.orders_rows != nullptr && kernel.orders_rows(signature_))
        return list_rows_in_order(rows);
    return !kernel.listed.empty() && list_rows_of_csr(rows);
}

/// The kernel looks its rows up already: in the place of their numbers stand those of y.
bool GpuHandle::list_rows_in_order(std::span<const std::int32_t> rows) {
    const DeviceMemory* const order = memory_of("row_order");
    if (order == nullptr) return false;
    dispatch(signature_.index, [&]<typename Index>(Index) {
        std::vector<Index> numbers(rows.size());
        const std::size_t bytes = numbers.size() * sizeof(Index);
        device_->copy_to_host(numbers.data(), order->data(), bytes);
        for (Index& number : numbers)
            number = static_cast<Index>(rows[static_cast<std::size_t>(number)]);
        device_->copy_to_device(order->data(), numbers.data(), bytes);
    });
    return true;
}

/// By the kernel for listed rows, where that can be had.
bool GpuHandle::list_rows_of_csr(std::span<const std::int32_t> rows) {
    std::unique_ptr<DeviceMemory> list;
    dispatch(signature_.index, [&]<typename Index>(Index) {
        const std::vector<Index> numbers(rows.begin(), rows.end());
        list = device_->allocate(numbers.size() * sizeof(Index));
        device_->copy_to_device(list->data(), numbers.data(), list->bytes());
    });
    const auto without = matrix_.stored.arrays;
    matrix_.stored.arrays["row_order"] = list->data();
    stores_in_rows_ = true;
    auto variants = std::make_unique<VariantTables<Variant>>();
    try {
        tell_kernel(*variants->of({num_rhs_})
                         .get(signature_.alpha, signature_.beta, [&](Scale alpha, Scale beta) {
                             return make_variant(signature_, {num_rhs_}, alpha, beta,
                                                 matrix_.stored);
                         }));
    } catch (const Error& error) {
        if (error.code() != ErrorCode::compile) throw;
        stores_in_rows_ = false;
        matrix_.stored.arrays = without;
        return false;
    }
    const auto bytes = static_cast<std::int64_t>(list->bytes());
    info_.permute_bytes += bytes;
    info_.bytes += bytes;
    matrix_.memory.push_back(std::move(list));
    variants_ = std::move(variants);
    return true;
}

bool GpuHandle::takes_forms() const {
    return kernel_entry(signature_.kernel).takes_forms;
}

XGathers GpuHandle::count_gathers(ValueType type) {
    constexpr XWindow l1_lines{.rows = 32, .line_bytes = 32, .few_vectors = 16};
    return count_x_gathers(matrix_.stored, signature_, info_.rows, l1_lines.of(type),
                           [&](void* to, const void* from, std::size_t bytes) {
                               device_->copy_to_host(to, from, bytes);
                           });
}

void GpuHandle::store_wider_values(const Signature& wider, const void* values, Stream stream) {
    device_->synchronize({stream.native});
    const StoredValues fresh = complete_pattern().convert_values(values, wider);
    GpuMatrix next = with_new_values(*device_, matrix_, fresh, memory_limit_);
    std::unique_ptr<VariantTables<Variant>> variants;
    try {
        variants = variants_->made_anew(
            [&](const ProductVectors& vectors, Scale a, Scale b, const Variant&) {
                return make_variant(wider, vectors, a, b, next.stored);
            });
    } catch (const Error& error) {
        if (error.code() != ErrorCode::compile) throw;
        refuse_wider_values(wider, error.what());
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
    tell_wider_values(wider);
    tell_kernel(variant({num_rhs_}, signature_.alpha, signature_.beta));
    predict(device_.get(), 0);
}

}  // namespace spmvgen
