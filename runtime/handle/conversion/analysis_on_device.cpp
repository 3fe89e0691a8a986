#include "handle/conversion/analysis_on_device.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <vector>

#include "devices/gpu/kernel_steps.hpp"
#include "handle/conversion/csr_on_device.hpp"
#include "handle/conversion/gpu_matrix.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

// As templates/gpu/convert/classify_values.hpp has them.
constexpr std::size_t value_slots = 1024, count_distinct = 8;
using Counts = std::array<std::uint64_t, 16>;

/// What the kernel fills in, one behind another; all zero before.
struct ValueTable {
    explicit ValueTable(std::size_t value_bytes)
        : value_bytes_(value_bytes), bytes_(begin_of_values + value_slots * value_bytes) {}

    static constexpr std::size_t begin_of_slots = sizeof(Counts);
    static constexpr std::size_t begin_of_values =
        begin_of_slots + value_slots * sizeof(std::uint64_t);

    std::vector<std::byte>& bytes() { return bytes_; }
    /// As if too many different values had been found already: the kernel looks for none then.
    void give_up_listing() {
        constexpr std::uint64_t many = most_distinct + 1;
        std::memcpy(bytes_.data() + count_distinct * sizeof many, &many, sizeof many);
    }
    Counts counts() const {
        Counts counts{};
        std::memcpy(counts.data(), bytes_.data(), sizeof counts);
        return counts;
    }
    /// The value in a slot; nothing in one that is free.
    std::optional<ValueBits> value(std::size_t slot) const {
        std::uint64_t holder = 0;
        std::memcpy(&holder, bytes_.data() + begin_of_slots + slot * sizeof holder, sizeof holder);
        if (holder == 0) return std::nullopt;
        ValueBits bits{};
        std::memcpy(bits.data(), bytes_.data() + begin_of_values + slot * value_bytes_,
                    value_bytes_);
        return bits;
    }

  private:
    std::size_t value_bytes_;
    std::vector<std::byte> bytes_;
};

ValueTraits traits_of(const ValueTable& table) {
    const Counts counts = table.counts();
    ValueTraits traits;
    for (int p = 0; p < ValueProperty::count; ++p)
        if (counts[static_cast<std::size_t>(p)] == 0) traits.properties |= 1U << p;
    if (counts[count_distinct] > most_distinct) return traits;
    auto& distinct = traits.distinct.emplace();
    for (std::size_t slot = 0; slot < value_slots; ++slot)
        if (const auto value = table.value(slot)) distinct.push_back(*value);
    std::ranges::sort(distinct);
    return traits;
}

/// gathering() for elements of so many bytes; nothing where there is none.
std::optional<Signature> gathering_elements(std::size_t element, IndexType offset,
                                            const Target& target) {
    for (const IndexType type : {IndexType::i32, IndexType::i64})
        if (element == size_of(type)) return gathering(type, offset, target);
    return std::nullopt;
}

/// Where pieces begin, then what comes before each, and at last how many elements they have.
Buffer table_of(std::span<const EntryRange> ranges, IndexType offset) {
    return dispatch(offset, [&]<typename Offset>(Offset) {
        Buffer table = make_buffer<Offset>(2 * std::ssize(ranges) + 1);
        auto at = table.as<Offset>().begin();
        for (const auto [begin, end] : ranges) *at++ = static_cast<Offset>(begin);
        *at = 0;
        for (const auto [begin, end] : ranges) {
            at[1] = static_cast<Offset>(at[0] + (end - begin));
            ++at;
        }
        return table;
    });
}

std::int64_t count_of(std::span<const EntryRange> ranges) {
    std::int64_t count = 0;
    for (const auto [begin, end] : ranges) count += end - begin;
    return count;
}

}  // namespace

Signature classifying(ValueType value, const Target& target) {
    Signature s;
    s.kernel = "classify_values";
    s.value = value;
    s.target = target;
    return complete(s);
}

Signature gathering(IndexType index, IndexType offset, const Target& target) {
    Signature s;
    s.kernel = "gather_columns";
    s.index = index;
    s.offset = offset;
    s.target = target;
    return complete(s);
}

std::vector<Buffer> gather(Device& device, std::span<const DeviceKernel* const> kernels,
                           std::span<const PiecesOfArray> all) {
    std::vector<Buffer> gathered;
    std::vector<std::byte> tables;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Buffer table = table_of(all[i].ranges, kernels[i]->signature().offset);
        const auto from = table.as<std::byte>();
        tables.insert(tables.end(), from.begin(), from.end());
        gathered.emplace_back(static_cast<std::size_t>(count_of(all[i].ranges)) * all[i].element);
        bytes += aligned(gathered.back().bytes());
    }
    if (bytes == 0) return gathered;
    const auto memory = device.allocate_scratch(bytes + tables.size());
    auto* const begin = static_cast<std::byte*>(memory->data());
    const std::byte* table = begin + bytes;
    device.enqueue_to_device(begin + bytes, tables.data(), tables.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::int64_t count = std::ssize(all[i].ranges);
        const auto elements = static_cast<std::int64_t>(gathered[i].bytes() / all[i].element);
        const std::size_t offset = size_of(kernels[i]->signature().offset);
        const std::byte* const ptr = table + static_cast<std::size_t>(count) * offset;
        if (elements > 0)
            launch_step(device, *kernels[i], "gathered_pieces",
                        {.arrays = {{"csr_col_idx", all[i].array},
                                    {"piece_begin", table},
                                    {"piece_ptr", ptr},
                                    {"gathered", begin + at}},
                         .scalars = {{"num_pieces", count}, {"num_gathered", elements}}});
        at += aligned(gathered[i].bytes());
        table = ptr + static_cast<std::size_t>(count + 1) * offset;
    }
    if (gathered.size() == 1) {
        device.copy_to_host(gathered[0].data(), begin, gathered[0].bytes());
        return gathered;
    }
    Buffer here(bytes);
    device.copy_to_host(here.data(), begin, bytes);
    const std::byte* from = here.as<std::byte>().data();
    for (Buffer& part : gathered) {
        std::memcpy(part.data(), from, part.bytes());
        from += aligned(part.bytes());
    }
    return gathered;
}

ValueTraits classify_values(Device& device, const DeviceKernel& kernel, const CsrView& matrix,
                            bool lists) {
    ValueTable table(size_of(matrix.value_type));
    if (!lists) table.give_up_listing();
    const auto memory = device.allocate_scratch(table.bytes().size());
    auto* const begin = static_cast<std::byte*>(memory->data());
    device.enqueue_to_device(begin, table.bytes().data(), table.bytes().size());
    launch_step(device, kernel, "value_traits",
                {.arrays = {{"csr_values", matrix.values},
                            {"counts", begin},
                            {"slots", begin + ValueTable::begin_of_slots},
                            {"slot_values", begin + ValueTable::begin_of_values}},
                 .scalars = {{"nnz", matrix.nnz}}});
    device.copy_to_host(table.bytes().data(), begin, lists ? table.bytes().size() : sizeof(Counts));
    return traits_of(table);
}

std::shared_ptr<const GpuKernel> AnalysisOnDevice::kernel(const Signature& signature) {
    const auto distance = provider_.distance(signature, policy_, device_);
    if (distance == KernelProvider::Distance::compiler && !provider_.may_compile(policy_))
        return nullptr;
    try {
        return provider_.get(signature, policy_, device_).kernel;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::compile) throw;
        return nullptr;
    }
}

std::optional<ValueTraits> AnalysisOnDevice::value_traits(const CsrView& matrix, bool lists) {
    const auto found = kernel(classifying(matrix.value_type, device_->facts().target));
    if (found == nullptr) return std::nullopt;
    return classify_values(*device_, *found->loaded, matrix, lists);
}

std::shared_ptr<const GpuKernel> AnalysisOnDevice::gatherer(std::size_t element, IndexType offset) {
    const auto signature = gathering_elements(element, offset, device_->facts().target);
    return signature ? kernel(*signature) : nullptr;
}

bool AnalysisOnDevice::is_to_be_compiled(const Signature& signature) {
    return provider_.distance(signature, policy_, device_) == KernelProvider::Distance::compiler;
}

bool AnalysisOnDevice::compiles_for_rows_in(const CsrView& a) {
    const auto compiles = [&](std::size_t element) {
        const auto signature = gathering_elements(element, a.offset_type, device_->facts().target);
        return signature && is_to_be_compiled(*signature);
    };
    return compiles(size_of(a.index_type)) || compiles(size_of(a.value_type));
}

std::optional<std::vector<Buffer>> AnalysisOnDevice::gathered(std::span<const PiecesOfArray> pieces,
                                                              IndexType offset) {
    std::vector<std::shared_ptr<const GpuKernel>> found;
    std::vector<const DeviceKernel*> kernels;
    for (auto& of_array : pieces) {
        found.push_back(gatherer(of_array.element, offset));
        if (found.back() == nullptr) return std::nullopt;
        kernels.push_back(found.back()->loaded.get());
    }
    return gather(*device_, kernels, pieces);
}

std::unique_ptr<RowsOnDevice> AnalysisOnDevice::rows_in(const CsrView& on_device,
                                                        const CsrView& on_host,
                                                        std::span<const std::int32_t> order,
                                                        int threads) {
    if (on_device.nnz == 0 || !CsrOnDevice(*device_, on_host, nullptr).has_room()) return nullptr;
    const auto columns = gatherer(size_of(on_device.index_type), on_host.offset_type);
    const auto values = gatherer(size_of(on_device.value_type), on_host.offset_type);
    if (columns == nullptr || values == nullptr) return nullptr;
    return std::make_unique<RowsOnDevice>(*device_,
                                          RowsOnDevice::Kernels{*columns->loaded, *values->loaded},
                                          on_device, on_host, order, threads);
}

bool AnalysisOnDevice::compiles_search(const CsrView& matrix) {
    return is_to_be_compiled(reaching(matrix, device_->facts().target));
}

bool AnalysisOnDevice::search(const CsrView& matrix, reordering::RegionSearch& search,
                              std::uint64_t most_rounds) {
    const auto found = kernel(reaching(matrix, device_->facts().target));
    return found != nullptr &&
           spmvgen::search(*device_, *found->loaded, matrix, search, most_rounds);
}

bool AnalysisOnDevice::compiles_clusters(const CsrView& matrix) {
    return is_to_be_compiled(clustering(matrix, device_->facts().target));
}

bool AnalysisOnDevice::cluster(const CsrView& matrix, reordering::RegionsToCluster& regions) {
    const auto found = kernel(clustering(matrix, device_->facts().target));
    return found != nullptr && spmvgen::cluster(*device_, *found->loaded, matrix, regions);
}

}  // namespace spmvgen
