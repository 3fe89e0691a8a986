#include "text/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "text/units.hpp"

namespace spmvgen::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;
using namespace std::chrono_literals;

bool is_terminal(const std::ostream& err) {
    return &err == &std::cerr && isatty(STDERR_FILENO) != 0;
}

std::size_t terminal_columns() {
    winsize size{};
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20;
    return known ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(std::ostream& err, std::string what, std::size_t total)
    : err_(err),
      what_(std::move(what)),
      total_(total),
      terminal_(is_terminal(err)),
      begin_(SteadyClock::now()) {}

Progress::~Progress() {
    if (terminal_ && done_ > 0) err_ << "\r\x1b[K" << std::flush;
}

void Progress::step(const std::string& what) {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (terminal_) {
        if (done_ == total_ || SteadyClock::now() - drawn_ > 100ms) draw(what);
    } else if (const std::size_t tenths = 10 * done_ / total_; tenths > tenths_) {
        tenths_ = tenths;
        err_ << fmt::format("{}: {} of {}{}\n", what_, done_, total_, remaining()) << std::flush;
    }
}

std::string Progress::remaining() const {
    if (done_ == total_) return "";
    const std::chrono::duration<double> spent = SteadyClock::now() - begin_;
    const double left = spent.count() / static_cast<double>(done_);
    return ", " + in_seconds(left * static_cast<double>(total_ - done_)) + " left";
}

void Progress::draw(const std::string& what) {
    constexpr std::size_t width = 20;
    drawn_ = SteadyClock::now();
    const std::size_t full = width * done_ / std::max<std::size_t>(total_, 1);
    std::string line = fmt::format("{} [{:<{}}] {}/{}{} {}", what_, std::string(full, '#'), width,
                                   done_, total_, remaining(), what);
    line.resize(std::min(line.size(), terminal_columns() - 1));
    err_ << "\r" << line << "\x1b[K" << std::flush;
}

}  // namespace spmvgen::cli
