#include "text/temporary_file.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <mutex>
#include <utility>

namespace spmvgen::cli {
namespace {

/// A path where a handler of signals may read it. The text is never freed: at worst a handler
/// removes what was renamed already, which is nothing.
struct Slot {
    std::atomic<bool> used = false;
    std::array<char, 4096> path{};
};
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};

// A handler of signals can reach nothing else.
std::array<Slot, 16> slots;
std::mutex mutex;  ///< guards what follows, and which slots are free
int files = 0;
std::array<bool, signals.size()> handled{};

void remove_and_end(int signal) {
    for (const Slot& slot : slots)
        if (slot.used) unlink(slot.path.data());
    std::signal(signal, SIG_DFL);
    raise(signal);  // it ends the process when this returns
}

void handle_signals() {
    for (std::size_t i = 0; i < signals.size(); ++i) {
        struct sigaction now{}, wanted{};
        sigaction(signals[i], nullptr, &now);
        handled[i] = (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL;
        if (!handled[i]) continue;
        wanted.sa_handler = remove_and_end;
        sigemptyset(&wanted.sa_mask);
        sigaction(signals[i], &wanted, nullptr);
    }
}

void leave_signals() {
    for (std::size_t i = 0; i < signals.size(); ++i)
        if (handled[i]) std::signal(signals[i], SIG_DFL);
}

int take_slot(const std::string& path) {
    if (path.size() >= slots[0].path.size()) return -1;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (slots[i].used) continue;
        std::memcpy(slots[i].path.data(), path.c_str(), path.size() + 1);
        slots[i].used = true;
        return static_cast<int>(i);
    }
    return -1;
}

}  // namespace

TemporaryFile::TemporaryFile(std::string path) : path_(std::move(path)) {
    const std::lock_guard lock(mutex);
    slot_ = take_slot(path_);
    if (files++ == 0) handle_signals();
}

TemporaryFile::~TemporaryFile() {
    unlink(path_.c_str());
    const std::lock_guard lock(mutex);
    if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].used = false;
    if (--files == 0) leave_signals();
}

}  // namespace spmvgen::cli
