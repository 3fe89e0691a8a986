// Listed elements of vectors, packed and unpacked on a device.
#include <fmt/format.h>

#include <algorithm>

#include "devices/host/permute_rows.hpp"
#include "handle/gpu/gpu_bound_kernel.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "handle/making/handle_makers.hpp"
#include "handle/parts/part_handle.hpp"
#include "handle/plan/device_csr.hpp"
#include "handle/plan/device_options.hpp"
#include "kernel/refuse.hpp"
#include "matrix/chunks.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

/// Of shorter lists threads would wait for each other longer than they copy.
constexpr std::size_t least_for_threads = 8192;

/// Throws for a number below 0. Whether one is there twice.
bool checked_repeats(std::span<const std::int32_t> list) {
    bool ascends = true;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i] < 0) refuse(fmt::format("list[{}] is {}: elements count from 0", i, list[i]));
        ascends = ascends && (i == 0 || list[i] > list[i - 1]);
    }
    if (ascends) return false;
    std::vector<std::int32_t> sorted(list.begin(), list.end());
    std::ranges::sort(sorted);
    return std::ranges::adjacent_find(sorted) != sorted.end();
}

}  // namespace

class ListedElementsImpl {
  public:
    /// `device_of` stands for options.device where it is not null.
    ListedElementsImpl(ValueType type_of, std::span<const std::int32_t> list_of,
                       const Options& options, std::shared_ptr<Device> device_of)
        : type(type_of),
          num_rhs(options.num_rhs),
          threads(list_of.size() < least_for_threads ? 1 : thread_count(options.threads)),
          list(list_of.begin(), list_of.end()),
          repeats(checked_repeats(list)),
          device(device_for(options, std::move(device_of))) {
        if (is_storage_only(type))
            refuse(
                fmt::format("the list is of {} elements, a storage type: use f32, f64, c32 or "
                            "c64",
                            to_string(type)));
        check_counts(options);
        if (device == nullptr || list.empty()) return;
        const KernelPolicy policy{effective_mode(options.cache), options.cache_dir, options.strict,
                                  options.kernel_sets};
        on_device = device->allocate(list.size() * sizeof(std::int32_t));
        device->copy_to_device(on_device->data(), list.data(), on_device->bytes());
        bound.arrays["row_order"] = on_device->data();
        bound.scalars["num_rows"] = static_cast<std::int64_t>(list.size());
        gather = make("gather_rows", Scale::zero, policy);
        if (repeats) return;
        scatter = make("scatter_rows", Scale::zero, policy);
        add = make("scatter_rows", Scale::one, policy);
    }

    std::unique_ptr<const GpuBoundKernel> make(const char* id, Scale beta,
                                               const KernelPolicy& policy) {
        Signature s;
        s.kernel = id;
        s.value = type;
        s.beta = beta;
        s.num_rhs = num_rhs;
        s.target = device->facts().target;
        return std::make_unique<const GpuBoundKernel>(
            KernelProvider::process().get(complete(s), policy, device).kernel, bound);
    }

    /// Throws for operands that do not fit. Whether there is anything to do.
    bool check(ValueType given, const void* from, const void* to, Stream stream) const {
        if (given != type)
            refuse(fmt::format("the list is of {} elements, but the vectors are {}",
                               to_string(type), to_string(given)));
        if (device == nullptr) check_stream(stream, "list");
        if (list.empty()) return false;
        if (from == nullptr || to == nullptr) refuse("a vector is null");
        return true;
    }
    void check_different() const {
        if (repeats)
            refuse("the list names an element twice: what is scattered needs one place each");
    }

    const ValueType type;
    const int num_rhs;
    const int threads;
    const std::vector<std::int32_t> list;
    const bool repeats;                    ///< an element is there twice
    const std::shared_ptr<Device> device;  ///< null = this host; outlives what is on it
    std::unique_ptr<DeviceMemory> on_device;
    StoredMatrix bound;  ///< the list as kernels name it; owns nothing
    std::unique_ptr<const GpuBoundKernel> gather, scatter, add;
};

ListedElements::ListedElements(ValueType type, std::span<const std::int32_t> list,
                               const Options& options)
    : ListedElements(type, list, options, nullptr) {}
ListedElements::ListedElements(ValueType type, std::span<const std::int32_t> list,
                               const Options& options, std::shared_ptr<Device> device)
    : impl_(std::make_unique<const ListedElementsImpl>(type, list, options, std::move(device))) {}
ListedElements::ListedElements(ListedElements&&) noexcept = default;
ListedElements& ListedElements::operator=(ListedElements&&) noexcept = default;
ListedElements::~ListedElements() = default;

const ListedElementsImpl& ListedElements::impl() const {
    if (impl_ == nullptr) refuse("this list was moved from: use the one that it was moved to");
    return *impl_;
}

std::int64_t ListedElements::size() const {
    return static_cast<std::int64_t>(impl().list.size());
}

void ListedElements::gather(ValueType type, const void* x, void* packed, Stream stream) const {
    const ListedElementsImpl& i = impl();
    if (!i.check(type, x, packed, stream)) return;
    if (i.device != nullptr)
        return i.gather->enqueue({nullptr, x, nullptr, packed}, {stream.native});
    gather_rows(type, i.list, i.num_rhs, x, packed, i.threads);
}

void ListedElements::scatter(ValueType type, const void* packed, void* y, Stream stream) const {
    const ListedElementsImpl& i = impl();
    i.check_different();
    if (!i.check(type, packed, y, stream)) return;
    if (i.device != nullptr)
        return i.scatter->enqueue({nullptr, packed, nullptr, y}, {stream.native});
    dispatch(type, [&](auto tag) {
        const decltype(tag) one(1), zero(0);
        scatter_rows(type, i.list, i.num_rhs, &one, packed, &zero, y, i.threads);
    });
}

void ListedElements::add(ValueType type, const void* packed, void* y, Stream stream) const {
    const ListedElementsImpl& i = impl();
    i.check_different();
    if (!i.check(type, packed, y, stream)) return;
    if (i.device != nullptr) return i.add->enqueue({nullptr, packed, nullptr, y}, {stream.native});
    dispatch(type, [&](auto tag) {
        const decltype(tag) one(1);
        scatter_rows(type, i.list, i.num_rhs, &one, packed, &one, y, i.threads);
    });
}

}  // namespace spmvgen
