// The loader's state is the process's: each case runs in a child of its own.
#include "handle/kernels/kernel_sources.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include "registry.hpp"
#include "spmvgen/error.hpp"

using namespace spmvgen;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

/// What `work` returns in a child process.
std::string in_child(const std::function<std::string()>& work) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        const std::string text = work();
        _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0
                                                                                            : 1);
    }
    close(ends[1]);
    std::string text;
    char chunk[4096];
    for (ssize_t n; (n = read(ends[0], chunk, sizeof chunk)) > 0;)
        text.append(chunk, static_cast<std::size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "the child died";
    return text;
}

/// "loaded PATH", or code and text of the error.
std::string try_load() {
    try {
        load_generator();
        return "loaded " + generator_path();
    } catch (const Error& error) {
        return std::string(to_string(error.code())) + ": " + error.what();
    }
}

std::string load_with(const std::string& path) {
    return in_child([&] {
        setenv("SPMVGEN_JIT", path.c_str(), 1);
        return try_load();
    });
}

std::string memory_map() {
    std::ifstream maps("/proc/self/maps");
    return {std::istreambuf_iterator<char>(maps), {}};
}

Signature signature() {
    Signature s;
    s.kernel = "csr_rows";
    s.target = parse_target("native");
    return complete(s);
}

TEST(LoadGenerator, FindsTheBuildTreeAndOnlyThenMapsLlvm) {
    const std::string text = in_child([] {
        const std::string before = memory_map();
        const std::string result = try_load();
        return result + (before.find("libLLVM") == before.npos ? ", not before" : ", before") +
               (memory_map().find("libLLVM") == before.npos ? ", not after" : ", after");
    });
    EXPECT_EQ(text, "loaded " SPMVGEN_JIT_BUILT ", not before, after");
}

TEST(LoadGenerator, MakesAKernel) {
    const std::string text = in_child([] {
        Generator& generator = load_generator();
        return generator.compile(generator.emit(signature())).bytes.substr(0, 4);
    });
    EXPECT_EQ(text,
              "\x7f"
              "ELF");
}

TEST(LoadGenerator, ErrorsOfTheModuleAreCaughtByTheirType) {
    const std::string text = in_child([] {
        Generator& generator = load_generator();
        KernelSource source = generator.emit(signature());
        source.text += "\n?\n";
        try {
            generator.compile(source);
        } catch (const Error& error) {
            return std::string(to_string(error.code()));
        }
        return std::string("no error");
    });
    EXPECT_EQ(text, "compile");
}

TEST(LoadGenerator, Versions) {
    const std::string text = in_child([] {
        std::string lines;
        for (auto& [name, value] : load_generator().versions()) lines += name + "=" + value + "\n";
        return lines;
    });
    EXPECT_THAT(text, testing::MatchesRegex("clang=.*clang version 19\\..*\n"
                                            "clang library=/.*libclang-cpp\\.so\\.19.*\n"
                                            "lld=.*LLD 19\\..*\n"
                                            "llvm library=/.*libLLVM\\.so\\.19.*\n"
                                            "spmvgen_jit=.*\n"));
}

TEST(LoadGenerator, EnvironmentPointsNowhere) {
    EXPECT_EQ(load_with("/nowhere/libspmvgen_jit.so"),
              "unsupported: cannot load the kernel compiler:\n"
              "  /nowhere/libspmvgen_jit.so: cannot open shared object file: No such file or "
              "directory\n"
              "set SPMVGEN_JIT to the path of libspmvgen_jit.so, or unset it");
    // a bare name is a file here, not one of the system's libraries
    EXPECT_THAT(load_with("libm.so.6"), HasSubstr("./libm.so.6: cannot open shared object file"));
    EXPECT_THAT(load_with(""), StartsWith("loaded /"));
}

TEST(LoadGenerator, EnvironmentPointsToSomethingElse) {
    EXPECT_THAT(
        load_with(SPMVGEN_OTHER_ABI),
        EndsWith("\n  " SPMVGEN_OTHER_ABI
                 ": speaks another interface than number 6 of this libspmvgen: install both "
                 "from the same build\nset SPMVGEN_JIT to the path of libspmvgen_jit.so, or "
                 "unset it"));
    EXPECT_THAT(
        load_with(SPMVGEN_NO_ENTRY),
        HasSubstr(SPMVGEN_NO_ENTRY ": no symbol spmvgen_generator: not a spmvgen library\n"));
    const std::string text_file = testing::TempDir() + "spmvgen_text.so";
    std::ofstream(text_file) << "text\n";
    EXPECT_THAT(load_with(text_file), HasSubstr(text_file + ": file too short\n"));
    std::filesystem::remove(text_file);
}

TEST(LoadGenerator, FailureIsNotRemembered) {
    const std::string text = in_child([] {
        setenv("SPMVGEN_JIT", "/nowhere", 1);
        const std::string first = try_load(), again = try_load(), path = generator_path();
        unsetenv("SPMVGEN_JIT");
        return first + "|" + (first == again ? "same" : again) + "|" + path + "|" + try_load();
    });
    EXPECT_THAT(text, StartsWith("unsupported: cannot load"));
    EXPECT_THAT(text, EndsWith("|same||loaded " SPMVGEN_JIT_BUILT));
}

TEST(LoadGenerator, FromSeveralThreads) {
    const std::string text = in_child([] {
        Generator* found[4] = {};
        std::vector<std::thread> threads;
        for (auto& generator : found) threads.emplace_back([&] { generator = &load_generator(); });
        for (auto& thread : threads) thread.join();
        for (auto* generator : found)
            if (generator == nullptr || generator != found[0]) return "different";
        return "one";
    });
    EXPECT_EQ(text, "one");
}

}  // namespace
