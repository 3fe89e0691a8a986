#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "spmvgen/signature.hpp"
#include "tuner/search/measure.hpp"

namespace spmvgen {

/// Threads that make kernels for trials. What goes wrong with one is told when it is timed.
class KernelMakers : public Making {
  public:
    /// A piece of what makes a kernel; safe to call from any thread, may throw.
    using Piece = std::function<void()>;

    struct Terms {
        int threads = 1;  ///< at least 1
        bool beside_trials = false;
        std::function<double()> now_ms;  ///< the clock of begin()
    };
    /// `pieces_of` says what is to be made for a kernel; it is called by begin() only.
    KernelMakers(Terms terms, std::function<std::vector<Piece>(const Signature&)> pieces_of);
    /// Forgets what has not begun and waits for what has.
    ~KernelMakers() override;
    KernelMakers(const KernelMakers&) = delete;
    KernelMakers& operator=(const KernelMakers&) = delete;

    bool goes_beside_trials() const override { return terms_.beside_trials; }
    void begin(const Choice& choice, double expected_ms, double end_ms) override;
    std::size_t wait_for_one(std::span<const Choice> choices) override;
    void wait_for_all() override;
    int at_a_time() const override { return terms_.threads; }

  private:
    struct Job {
        std::string kernel;
        Piece make;
        double expected_ms, end_ms;
    };
    void work();
    static void try_to_make(const Job& job);
    bool all_made() const;

    const Terms terms_;
    const std::function<std::vector<Piece>(const Signature&)> pieces_of_;
    std::set<std::string> begun_;  ///< kernels
    std::mutex mutex_;             ///< guards what follows, but for the team
    std::condition_variable changed_;
    std::deque<Job> waiting_;
    std::map<std::string, std::size_t> unmade_;  ///< pieces of each kernel, waiting or being made
    double slowness_ = 1;  ///< what the last piece took over what was expected, at least 1
    bool ends_ = false;
    std::vector<std::jthread> team_;  ///< last: its threads use all of the others
};

}  // namespace spmvgen
