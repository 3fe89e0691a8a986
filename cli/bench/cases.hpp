#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/clock.hpp"
#include "bench/workbench.hpp"
#include "peers/peer.hpp"
#include "spmvgen/spmvgen.hpp"
#include "text/output.hpp"

namespace spmvgen::cli {

/// What `spmvgen bench` is asked for, as it is spelled.
struct BenchOptions {
    std::vector<std::string> matrices;
    std::string suite;
    double scale = 1;
    std::string device = "host";
    std::vector<std::string> formats, kernels{"auto", "all"}, against{"all"}, values{"f64"},
        clocks{"stream"}, numbers{"own"};
    int threads = 0, rounds = 1;
    int num_rhs = 1;
    std::string layout = "row";   ///< of several vectors in memory, or "column"
    std::string arch = "native";  ///< of this CPU
    std::string budget = "200ms", encodings = "auto";
    std::int64_t flush_bytes = 0;
    std::string cusparse;  ///< its file; "" = what is found
    std::string json;
    bool resume = false;
};

/// A peer that was looked for: there, or why not.
struct FoundPeer {
    std::string name;                   ///< "cusparse"
    std::string label = {};             ///< what its cases are named by: "cusparse 12.9.4"
    std::unique_ptr<peers::Peer> peer;  ///< null = absent
    std::string absent;
};

/// Opens what --against names. Throws UsageError for what is not known or multiplies elsewhere, and
/// Error(unsupported) when one that is named itself, by a file or not, is absent.
std::vector<FoundPeer> find_peers(const BenchOptions& options, const peers::Place& place);

/// One thing that is timed on every matrix.
struct BenchCase {
    std::string name;     ///< "auto", "auto/measure", "strips:codes=8", "cusparse 12.9.4/csr_alg1"
    std::string library;  ///< "spmvgen", or the peer's name
    std::string level = "rule", kernel = "auto";  ///< of ours
    /// Of ours: what is fixed, as set_option() takes it: {"param.codes", "8"}.
    std::vector<std::pair<std::string, std::string>> settings = {};
    peers::Peer* peer = nullptr;
    std::string way = {};  ///< of the peer's
};

/// The cases that --kernels and --formats name, then the ways of the peers. Throws UsageError.
std::vector<BenchCase> bench_cases(const BenchOptions& options, const std::vector<FoundPeer>& peers,
                                   bool gpu);

/// What is measured of each case.
struct CaseMethod {
    std::vector<Clock> clocks;
    double seconds = 0.2;  ///< for all clocks together, in all rounds
    int rounds = 1;

    bool has(Clock clock) const { return std::ranges::find(clocks, clock) != clocks.end(); }
};

/// One matrix of one value type on its place; makes, checks and times its cases.
class CaseRunner {
  public:
    CaseRunner(const CsrMatrix& matrix, Place& place, const BenchOptions& options,
               const CaseMethod& method);

    /// The row of a case: its figures by clock, and in "untimed" why a clock has none; "none", why
    /// it has no time at all; or "wrong", what is wrong with its product. A product is checked
    /// before it is timed and after each clock, by the same object; one that is wrong has no times.
    /// "failed": a defect of ours.
    Json run(const BenchCase& one);

  private:
    /// What is ready to run, with what keeps it alive.
    struct Ready {
        std::function<void()> apply;
        std::int64_t bytes = 0;
    };
    Ready make_ours(const BenchCase& one, Json& row);
    Ready make_peer(const BenchCase& one, Json& row);
    void measure(const Ready& ready, Json& row);

    const CsrMatrix& matrix_;
    Place& place_;
    const BenchOptions& options_;
    CaseMethod method_;
    Workbench bench_;
};

}  // namespace spmvgen::cli
