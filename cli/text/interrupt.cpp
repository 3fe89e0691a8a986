#include "text/interrupt.hpp"

#include <atomic>

namespace spmvgen::cli {
namespace {

// A handler of signals can reach nothing else.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void note(int) {
    interrupted = true;
}

}  // namespace

Interrupt::Interrupt() {
    interrupted = false;
    struct sigaction action{};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before_int_);
    sigaction(SIGTERM, &action, &before_term_);
}

Interrupt::~Interrupt() {
    sigaction(SIGINT, &before_int_, nullptr);
    sigaction(SIGTERM, &before_term_, nullptr);
}

bool Interrupt::came() {
    return interrupted;
}

}  // namespace spmvgen::cli
