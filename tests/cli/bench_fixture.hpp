#pragma once
#include <algorithm>

#include "cli_fixture.hpp"

namespace spmvgen::cli {

using nlohmann::json;

/// With a stand-in for MKL, whose products are as $MKL_STANDIN says.
class BenchTest : public CliTest {
  protected:
    BenchTest() {
        setenv("SPMVGEN_MKL", MKL_STANDIN_LIBRARY, 1);
        unsetenv("MKL_STANDIN");
    }
    ~BenchTest() override {
        unsetenv("SPMVGEN_MKL");
        unsetenv("MKL_STANDIN");
    }

    static Outcome bench(const std::string& line) {
        const bool cold = line.find("cold") != std::string::npos;
        return run_line("bench --budget 1ms " + std::string(cold ? "--flush 1048576 " : "") + line);
    }
    static std::vector<json> lines(const std::string& path = "R.jsonl") {
        std::vector<json> all;
        std::istringstream text(read(path));
        for (std::string line; std::getline(text, line);) all.push_back(json::parse(line));
        return all;
    }
    static std::vector<json> rows(const std::string& path = "R.jsonl") {
        std::vector<json> all = lines(path);
        std::erase_if(all, [](const json& line) { return line.contains("kind"); });
        return all;
    }
    static std::vector<std::string> cases(const std::vector<json>& rows) {
        std::vector<std::string> names;
        for (auto& row : rows) names.push_back(row["case"]);
        return names;
    }
    static std::string error(const std::string& line) {
        const Outcome outcome = bench(line);
        return std::to_string(outcome.status) + ": " +
               outcome.err.substr(0, outcome.err.find('\n'));
    }
};

inline void expect_times(const json& times) {
    EXPECT_GT(times["us"], 0);
    EXPECT_LE(times["low_us"], times["us"]);
    EXPECT_GE(times["high_us"], times["us"]);
    EXPECT_LE(times["min_us"], times["low_us"]);
    EXPECT_GE(times["max_us"], times["high_us"]);
    EXPECT_GE(times["samples"], 5);
    EXPECT_GE(times["calls"], 1);
    EXPECT_GE(times["spread"], 0);
}

}  // namespace spmvgen::cli
