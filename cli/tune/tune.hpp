#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/verb.hpp"

namespace spmvgen::cli {

/// What everything that `spmvgen tune` measures has in common.
struct TuneOptions {
    std::string device = "host", output, note;
    std::vector<std::string> matrices;
    std::vector<std::string> values;  ///< types; empty = not said
    int threads = 0, rounds = 3;
    double time_ms = 20;
    bool keep = true;  ///< for this user, what is measured of matrices and devices
};

/// One thing that `spmvgen tune` measures: whether it is asked for, and how it is done.
struct Tuning {
    const char* option;  ///< that asks for it: "--dense-profile"; null: what is done without one
    std::function<bool()> asked;
    std::function<void(Streams&)> work;
    /// What it takes beside `option`, --device, --threads and --output; any other that is given is
    /// refused.
    std::vector<std::string_view> takes;
};

/// Each adds its own options to the verb; to add another: a file, a line here and one in tune.cpp.
Tuning add_tune_dense(CLI::App& verb, std::shared_ptr<const TuneOptions> common);
Tuning add_tune_calibrate(CLI::App& verb, std::shared_ptr<const TuneOptions> common);
Tuning add_tune_csr_k(CLI::App& verb, std::shared_ptr<const TuneOptions> common);
Tuning add_tune_matrices(CLI::App& verb, std::shared_ptr<const TuneOptions> common);

}  // namespace spmvgen::cli
