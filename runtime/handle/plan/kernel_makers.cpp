#include "handle/plan/kernel_makers.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "registry.hpp"

namespace spmvgen {

KernelMakers::KernelMakers(Terms terms,
                           std::function<std::vector<Piece>(const Signature&)> pieces_of)
    : terms_(std::move(terms)), pieces_of_(std::move(pieces_of)) {}

KernelMakers::~KernelMakers() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
        waiting_.clear();
    }
    changed_.notify_all();
}

void KernelMakers::begin(const Choice& choice, double expected_ms, double end_ms) {
    const std::string kernel = kernel_name(choice.signature);
    if (!begun_.insert(kernel).second) return;
    const std::vector<Piece> pieces = pieces_of_(choice.signature);
    {
        const std::lock_guard lock(mutex_);
        unmade_[kernel] = pieces.size();
        for (auto& piece : pieces) waiting_.push_back({kernel, piece, expected_ms, end_ms});
    }
    const auto most = static_cast<std::size_t>(terms_.threads);
    for (std::size_t i = 0; i < pieces.size() && team_.size() < most; ++i)
        team_.emplace_back([this] { work(); });
    changed_.notify_all();
}

void KernelMakers::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
        if (ends_) return;
        const Job job = std::move(waiting_.front());
        waiting_.pop_front();
        const double expected_ms = slowness_ * job.expected_ms;
        lock.unlock();
        const double start_ms = terms_.now_ms();
        const bool fits = start_ms + expected_ms <= job.end_ms;
        if (fits) try_to_make(job);
        const double took_ms = terms_.now_ms() - start_ms;
        lock.lock();
        if (fits && job.expected_ms > 0) slowness_ = std::max(1.0, took_ms / job.expected_ms);
        --unmade_[job.kernel];
        changed_.notify_all();
    }
}

void KernelMakers::try_to_make(const Job& job) {
    try {
        job.make();
    } catch (const std::exception&) {  // it is told when the kernel is timed
    }
}

bool KernelMakers::all_made() const {
    return std::ranges::all_of(unmade_, [](auto& kernel) { return kernel.second == 0; });
}

std::size_t KernelMakers::wait_for_one(std::span<const Choice> choices) {
    if (!terms_.beside_trials) {
        wait_for_all();
        return 0;
    }
    std::vector<std::string> kernels;
    for (auto& choice : choices) kernels.push_back(kernel_name(choice.signature));
    std::unique_lock lock(mutex_);
    std::size_t found = 0;
    changed_.wait(lock, [&] {
        const auto made = std::ranges::find_if(kernels, [&](const std::string& kernel) {
            const auto known = unmade_.find(kernel);
            return known == unmade_.end() || known->second == 0;
        });
        found = static_cast<std::size_t>(made - kernels.begin());
        return made != kernels.end();
    });
    return found;
}

void KernelMakers::wait_for_all() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return all_made(); });
}

}  // namespace spmvgen
