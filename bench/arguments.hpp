#pragma once
// What benchmarks with options of their own share: taking these out of the command line, and
// running. Such an option has the form --name=VALUE, as Google Benchmark's have.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace spmvgen::bench {

/// Takes "--name=VALUE" out of the arguments; `otherwise` when it is not there. `name` is
/// "--name=".
inline std::string take_option(int& argc, char** argv, std::string_view name,
                               std::string_view otherwise) {
    for (int i = 1; i < argc; ++i)
        if (const std::string word = argv[i]; word.starts_with(name)) {
            std::rotate(argv + i, argv + i + 1, argv + argc--);
            return word.substr(name.size());
        }
    return std::string(otherwise);
}

inline int take_number(int& argc, char** argv, std::string_view name, int otherwise) {
    return std::stoi(take_option(argc, argv, name, std::to_string(otherwise)));
}

/// Takes the words that are no options: names of matrices.
inline std::vector<std::string> take_words(int& argc, char** argv) {
    std::vector<std::string> words;
    for (int i = 1; i < argc;)
        if (argv[i][0] != '-') {
            words.emplace_back(argv[i]);
            std::rotate(argv + i, argv + i + 1, argv + argc--);
        } else {
            ++i;
        }
    return words;
}

/// Runs what was registered; the exit status.
inline int run_benchmarks(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}

/// A benchmark whose exceptions become its error.
template <typename Function>
benchmark::internal::Benchmark* add(const std::string& name, Function function) {
    return benchmark::RegisterBenchmark(name.c_str(), [function](benchmark::State& state) {
        try {
            function(state);
        } catch (const std::exception& error) {
            state.SkipWithError(error.what());
        }
    });
}

}  // namespace spmvgen::bench
