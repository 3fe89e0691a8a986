#pragma once
#include <csignal>

namespace spmvgen::cli {

/// While one exists, Ctrl-C (SIGINT) and SIGTERM do not end the process but are noted. One at a
/// time.
class Interrupt {
  public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    /// Whether there was one. Safe to call from any thread.
    static bool came();

  private:
    struct sigaction before_int_{}, before_term_{};
};

}  // namespace spmvgen::cli
