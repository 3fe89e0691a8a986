#pragma once
#include "bench_fixture.hpp"

namespace spmvgen::cli {

/// The package bench/spmvbench, which makes tables, plots, records and models of results.
class BenchScriptsTest : public BenchTest {
  protected:
    void SetUp() override {
        setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
        if (!find_python("sys")) GTEST_SKIP() << "needs Python 3.11 or later";
    }
    /// Chooses an interpreter that has these modules; whether there is one.
    bool find_python(const std::string& modules) {
        for (const std::string candidate : {"python3", "/usr/bin/python3"}) {
            python_ = candidate;
            if (python("-c 'import sys, " + modules + "; sys.exit(sys.version_info < (3, 11))'") ==
                0)
                return true;
        }
        return false;
    }
    int python(const std::string& line) const {
        return WEXITSTATUS(std::system((python_ + " " + line + " > out 2> err").c_str()));
    }
    /// What a verb prints; its standard error is in the file "err".
    std::string script(const std::string& line, int status = 0) const {
        EXPECT_EQ(python("'" BENCH_SCRIPTS "/spmvbench' " + line), status) << line << "\n"
                                                                           << read("err");
        return read("out");
    }

  private:
    std::string python_;
};

inline void expect_parts(const std::string& page, const std::vector<std::string>& parts) {
    for (auto& part : parts) EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
}

}  // namespace spmvgen::cli
