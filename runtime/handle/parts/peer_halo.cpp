// Halos that the devices of one process write into each other's memory.
#include <fmt/format.h>

#include <algorithm>

#include "handle/gpu/gpu_bound_kernel.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "handle/making/handle_makers.hpp"
#include "handle/parts/part_handle.hpp"
#include "handle/plan/device_csr.hpp"
#include "handle/plan/device_options.hpp"
#include "kernel/refuse.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

using Flag = unsigned long long;

std::shared_ptr<Device> device_of(const Options& options, std::shared_ptr<Device> given) {
    auto device = device_for(options, std::move(given));
    if (device == nullptr || architecture(device->facts().target).kind != TargetKind::cuda)
        throw Error(ErrorCode::unsupported,
                    fmt::format("options.device is {}, but PeerHalo is for NVIDIA GPUs: use "
                                "PartHandle's pack() or fetch()",
                                options.device));
    return device;
}

std::int64_t address(const void* p) {
    return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(p));
}

}  // namespace

class PeerHaloImpl {
  public:
    PeerHaloImpl(const Part& part, const Options& options, std::shared_ptr<Device> given)
        : number(part.number),
          type(vectors_of(part, options)),
          num_rhs(options.num_rhs),
          sends(part.sends),
          receives(part.receives),
          device(device_of(options, std::move(given))),
          row_bytes(size_of(type) * static_cast<std::size_t>(num_rhs)),
          halo(device->allocate(part.halo_columns.size() * row_bytes)),
          list(device->allocate(part.send_elements.size() * sizeof(std::int32_t))),
          flags(device->allocate((sends.size() + receives.size() + 2) * sizeof(Flag))),
          peers(device->allocate((4 * sends.size() + receives.size() + 1) * sizeof(std::int64_t))) {
        device->copy_to_device(list->data(), part.send_elements.data(), list->bytes());
        device->zero(flags->data(), flags->bytes());
        bound.arrays = {{"row_order", list->data()}, {"peers", peers->data()}};
        bound.scalars = {{"num_rows", static_cast<std::int64_t>(part.send_elements.size())},
                         {"num_sends", static_cast<std::int64_t>(sends.size())},
                         {"num_receives", static_cast<std::int64_t>(receives.size())}};
        Signature s;
        s.kernel = "exchange_rows";
        s.value = type;
        s.num_rhs = num_rhs;
        s.target = device->facts().target;
        const KernelPolicy policy{effective_mode(options.cache), options.cache_dir, options.strict,
                                  options.kernel_sets};
        kernel = std::make_unique<const GpuBoundKernel>(
            KernelProvider::process().get(complete(s), policy, device).kernel, bound);
    }

    /// The place of the exchange with `other` in a list of exchanges.
    std::size_t place(const std::vector<Exchange>& list_of, int other, const char* what) const {
        const auto found = std::ranges::find(list_of, other, &Exchange::part);
        if (found == list_of.end())
            refuse(
                fmt::format("part {} {} nothing {} part {}: connect the halos of all parts of "
                            "one matrix, part 0 first",
                            number, what, what[0] == 's' ? "to" : "from", other));
        return static_cast<std::size_t>(found - list_of.begin());
    }
    Flag* flag(std::size_t i) const { return static_cast<Flag*>(flags->data()) + i; }

    const int number;
    const ValueType type;
    const int num_rhs;
    const std::vector<Exchange> sends, receives;
    const std::shared_ptr<Device> device;  ///< outlives what is on it
    const std::size_t row_bytes;
    const std::unique_ptr<DeviceMemory> halo, list;
    const std::unique_ptr<DeviceMemory> flags;  ///< of sends, of receives, launches, blocks
    const std::unique_ptr<DeviceMemory> peers;  ///< as exchange_rows has it
    StoredMatrix bound;                         ///< as the kernel names it; owns nothing
    std::unique_ptr<const GpuBoundKernel> kernel;
    bool connected = false;
};

PeerHalo::PeerHalo(const Part& part, const Options& options, std::shared_ptr<Device> device)
    : impl_(std::make_unique<PeerHaloImpl>(part, options, std::move(device))) {}
PeerHalo::PeerHalo(const Part& part, const Options& options) : PeerHalo(part, options, nullptr) {}
PeerHalo::PeerHalo(PeerHalo&&) noexcept = default;
PeerHalo& PeerHalo::operator=(PeerHalo&&) noexcept = default;
PeerHalo::~PeerHalo() = default;

const PeerHaloImpl& PeerHalo::impl() const {
    if (impl_ == nullptr) refuse("this halo was moved from: use the one that it was moved to");
    return *impl_;
}

const void* PeerHalo::data(ValueType type) const {
    if (type != impl().type)
        refuse(fmt::format("the halo is of {} elements, not {}", to_string(impl().type),
                           to_string(type)));
    return impl().halo->data();
}

void PeerHalo::exchange(ValueType type, const void* x, Stream stream) const {
    const PeerHaloImpl& i = impl();
    data(type);
    if (!i.connected) refuse("the halo knows no other: call connect() with those of all parts");
    if (i.sends.empty() && i.receives.empty()) return;
    if (x == nullptr && !i.sends.empty()) refuse("a vector is null");
    i.kernel->enqueue({nullptr, x, nullptr, i.halo->data()}, {stream.native});
}

namespace {

/// What the kernel of `own` has to know of the others.
std::vector<std::int64_t> peers_of(const PeerHaloImpl& own,
                                   const std::vector<const PeerHaloImpl*>& all) {
    const auto other = [&](int part) -> const PeerHaloImpl& {
        if (part < 0 || static_cast<std::size_t>(part) >= all.size())
            refuse(fmt::format("part {} exchanges elements with part {}, but there are {} halos",
                               own.number, part, all.size()));
        return *all[static_cast<std::size_t>(part)];
    };
    std::vector<std::int64_t> words;
    for (const Exchange& send : own.sends) {
        const PeerHaloImpl& to = other(send.part);
        const std::size_t place = to.place(to.receives, own.number, "receives");
        const Exchange& receive = to.receives[place];
        if (receive.count != send.count)
            refuse(fmt::format("part {} sends {} elements to part {}, which receives {}",
                               own.number, send.count, to.number, receive.count));
        words.insert(words.end(), {send.first, send.first + send.count,
                                   address(static_cast<std::byte*>(to.halo->data()) +
                                           static_cast<std::size_t>(receive.first) * to.row_bytes),
                                   address(to.flag(to.sends.size() + place))});
    }
    for (const Exchange& receive : own.receives) {
        const PeerHaloImpl& from = other(receive.part);
        words.push_back(address(from.flag(from.place(from.sends, own.number, "sends"))));
    }
    words.push_back(address(own.flag(0)));
    return words;
}

}  // namespace

PeerHalo make_peer_halo(const Part& part, const Options& options, std::shared_ptr<Device> device) {
    return PeerHalo(part, options, std::move(device));
}

void connect(std::span<PeerHalo> halos) {
    std::vector<const PeerHaloImpl*> all;
    for (const PeerHalo& halo : halos) {
        const PeerHaloImpl& i = halo.impl();
        if (i.number != static_cast<int>(all.size()))
            refuse(fmt::format("halos[{}] is of part {}: give those of all parts, part 0 first",
                               all.size(), i.number));
        if (!all.empty() && (i.type != all[0]->type || i.num_rhs != all[0]->num_rhs))
            refuse(fmt::format("part {} has {} vectors of {}, but part 0 has {} of {}", i.number,
                               i.num_rhs, to_string(i.type), all[0]->num_rhs,
                               to_string(all[0]->type)));
        all.push_back(&i);
    }
    for (const PeerHaloImpl* own : all) {
        const auto words = peers_of(*own, all);
        own->device->copy_to_device(own->peers->data(), words.data(), own->peers->bytes());
    }
    for (PeerHalo& halo : halos) halo.impl_->connected = true;
}

}  // namespace spmvgen
