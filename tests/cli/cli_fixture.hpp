#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "command_line.hpp"

namespace spmvgen::cli {

struct Outcome {
    int status = -1;
    std::string out, err;
};

/// Runs command lines in process, in a directory of its own that holds A.mtx:
///
///     | 1 2 0 |
///     | 0 0 3 |
///
/// and x.mtx = (1, 2, 3), y.mtx = (10, 20). The kernel cache and the user's tuning records are in
/// that directory too.
class CliTest : public testing::Test {
  protected:
    CliTest() {
        std::string pattern = (std::filesystem::temp_directory_path() / "spmvgen-cli-XXXXXX");
        directory_ = mkdtemp(pattern.data());
        std::filesystem::current_path(directory_);
        setenv("SPMVGEN_CACHE_DIR", (directory_ / "cache").c_str(), 1);
        setenv("SPMVGEN_RECORDS_DIR", (directory_ / "records").c_str(), 1);
        write("A.mtx",
              "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n1 2 2\n2 3 3\n");
        write("x.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
        write("y.mtx", "%%MatrixMarket matrix array real general\n2 1\n10\n20\n");
    }
    ~CliTest() override {
        std::filesystem::current_path("/");
        std::filesystem::remove_all(directory_);
    }

    static Outcome run(const std::vector<std::string>& arguments) {
        std::ostringstream out, err;
        Outcome outcome;
        outcome.status = run_command_line(arguments, out, err);
        outcome.out = out.str();
        outcome.err = err.str();
        return outcome;
    }
    /// The words of `line`, which has no quotes.
    static Outcome run_line(const std::string& line) { return run(words_of(line)); }
    /// Words of a shell's line; what is between single quotes is one.
    static std::vector<std::string> words_of(const std::string& line) {
        std::vector<std::string> words;
        bool within = false, quoted = false;
        for (const char c : line) {
            if (c == '\'') quoted = !quoted;
            if (c == ' ' && !quoted) {
                within = false;
                continue;
            }
            if (!within) words.emplace_back();
            within = true;
            if (c != '\'') words.back() += c;
        }
        return words;
    }
    /// What is printed by a command that must succeed, as JSON.
    static nlohmann::json json_of(const std::string& line) {
        const Outcome outcome = run_line(line);
        EXPECT_EQ(outcome.status, 0) << line << ": " << outcome.err;
        return nlohmann::json::parse(outcome.out);
    }
    static void write(const std::string& path, const std::string& text) {
        std::ofstream(path) << text;
    }
    static std::string read(const std::string& path) {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    static std::vector<std::string> files() {
        std::vector<std::string> names;
        for (auto& entry : std::filesystem::directory_iterator("."))
            names.push_back(entry.path().filename());
        std::ranges::sort(names);
        return names;
    }

    std::filesystem::path directory_;
};

}  // namespace spmvgen::cli
