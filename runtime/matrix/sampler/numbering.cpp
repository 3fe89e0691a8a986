#include "matrix/sampler/numbering.hpp"

#include <algorithm>

namespace spmvgen::sampler {
namespace {

constexpr std::int64_t window = 64, parts = 61;
/// Shuffled numbers up to here are kept: the caches hold them, and looking one up is quicker.
constexpr std::int64_t most_kept = std::int64_t{1} << 22;

/// A key by which nodes are sorted; equal ones stay as they are.
std::uint64_t sort_key(NodeOrder order, const Pattern& nodes, std::int64_t i) {
    switch (order) {
        case NodeOrder::spatial:
            return nodes.along(i);
        case NodeOrder::partitioned:
            return generators::mix(nodes.part(i));
        default:
            return 0;
    }
}

std::int64_t shuffled_size(NodeOrder order, std::int64_t count) {
    if (order == NodeOrder::local) return window;
    if (order == NodeOrder::partitioned) return parts;
    return std::max<std::int64_t>(count, 1);
}

}  // namespace

Numbering::Numbering(NodeOrder order, std::int64_t count, std::uint64_t seed, const Pattern* nodes)
    : size_(count), shuffle_(shuffled_size(order, count), seed) {
    const bool placed = nodes != nullptr && nodes->along &&
                        (order == NodeOrder::spatial || order == NodeOrder::partitioned);
    if (placed || (nodes != nullptr && nodes->present)) {
        list(order, seed, *nodes);
        return;
    }
    if (order == NodeOrder::local) {
        kind_ = Kind::windows;
        width_ = window;
        parted_ = count / window * window;
    } else if (order == NodeOrder::partitioned && count >= parts) {
        kind_ = Kind::parts;
        width_ = count / parts;
        parted_ = width_ * parts;
    } else if (order == NodeOrder::random && count > 1) {
        kind_ = Kind::shuffled;
        if (count <= most_kept) keep();
    }
}

void Numbering::list(NodeOrder order, std::uint64_t seed, const Pattern& nodes) {
    kind_ = Kind::listed;
    const std::int64_t count = size_;
    std::vector<std::pair<std::uint64_t, std::int32_t>> keys;
    const bool placed = static_cast<bool>(nodes.along);
    for (std::int64_t i = 0; i < count; ++i)
        if (!nodes.present || nodes.present(i))
            keys.emplace_back(placed ? sort_key(order, nodes, i) : 0, static_cast<std::int32_t>(i));
    std::ranges::sort(keys);
    size_ = static_cast<std::int64_t>(keys.size());
    if (order == NodeOrder::random || order == NodeOrder::local) {
        const Numbering again(order, size_, seed, nullptr);
        std::vector<std::pair<std::uint64_t, std::int32_t>> moved(keys.size());
        for (std::int64_t k = 0; k < size_; ++k)
            moved[static_cast<std::size_t>(again.new_of(k))] = keys[static_cast<std::size_t>(k)];
        keys.swap(moved);
    }
    old_of_.resize(keys.size());
    new_of_.assign(static_cast<std::size_t>(count), -1);
    for (std::size_t k = 0; k < keys.size(); ++k) {
        old_of_[k] = keys[k].second;
        new_of_[static_cast<std::size_t>(keys[k].second)] = static_cast<std::int32_t>(k);
    }
}

void Numbering::keep() {
    kind_ = Kind::listed;
    old_of_.resize(static_cast<std::size_t>(size_));
    new_of_.resize(static_cast<std::size_t>(size_));
    for (std::int64_t i = 0; i < size_; ++i) {
        const std::int64_t number = shuffle_.forward(i);
        new_of_[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(number);
        old_of_[static_cast<std::size_t>(number)] = static_cast<std::int32_t>(i);
    }
}

std::int64_t Numbering::new_of(std::int64_t old) const {
    switch (kind_) {
        case Kind::windows:
            return old < parted_ ? old - old % width_ + shuffle_.forward(old % width_, old / width_)
                                 : old;
        case Kind::parts:
            return old < parted_ ? shuffle_.forward(old / width_) * width_ + old % width_ : old;
        case Kind::shuffled:
            return shuffle_.forward(old);
        case Kind::listed:
            return new_of_[static_cast<std::size_t>(old)];
        default:
            return old;
    }
}

std::int64_t Numbering::old_of(std::int64_t number) const {
    switch (kind_) {
        case Kind::windows:
            return number < parted_ ? number - number % width_ +
                                          shuffle_.backward(number % width_, number / width_)
                                    : number;
        case Kind::parts:
            return number < parted_ ? shuffle_.backward(number / width_) * width_ + number % width_
                                    : number;
        case Kind::shuffled:
            return shuffle_.backward(number);
        case Kind::listed:
            return old_of_[static_cast<std::size_t>(number)];
        default:
            return number;
    }
}

}  // namespace spmvgen::sampler
