// Whatever happens to the cache directory, a handle multiplies right, or says why not. The compiler
// is a fake that hands out a precompiled kernel, so that a process that makes it anew costs
// nothing; the store is the real one. tests/store has the same troubles one by one.
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "../store/samples.hpp"
#include "fakes.hpp"

namespace spmvgen {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// As the real one, it tells the digest of its source.
class DigestingGenerator : public FakeGenerator {
  public:
    std::chrono::milliseconds takes{0};  ///< how long it compiles

    KernelBinary compile(const KernelSource& source, BinaryKind kind, Compiler compiler) override {
        std::this_thread::sleep_for(takes);
        KernelBinary binary = FakeGenerator::compile(source, kind, compiler);
        binary.source_digest = to_hex(sha256(source.text));
        return binary;
    }
};

struct Product {
    std::string origin, warning;
    bool operator==(const Product&) const = default;
};

void PrintTo(const Product& p, std::ostream* out) {
    *out << p.origin << (p.warning.empty() ? "" : ": " + p.warning);
}

class StoreFire : public testing::Test {
  protected:
    // No team: its threads would be missing in a child process.
    StoreFire() { omp_set_num_threads(1); }
    std::string directory() const { return (temporary_.path() / "cache").string(); }

    Options options(CacheMode mode = CacheMode::on) const {
        Options o;
        o.kernel = "csr_rows";
        o.threads = 1;
        o.cache = mode;
        o.cache_dir = directory();
        return o;
    }
    KernelSources sources(Maker maker = this_maker()) {
        return {[this]() -> Generator& { return generator_; },
                [this, maker](const std::string& where, bool writable) {
                    StoreOptions o;
                    o.directory = where;
                    o.writable = writable;
                    o.maker = maker;
                    o.warn = std::ref(warnings_);
                    return std::make_unique<Cache>(o);
                }};
    }
    /// A handle as a process that knows no kernel yet makes it, and its product, which must be
    /// right.
    Product multiply(const Options& o, const Maker& maker = this_maker()) {
        KernelProvider provider(sources(maker));
        const int row_ptr[] = {0, 2, 3, 4}, col_idx[] = {0, 1, 1, 0};
        const double values[] = {1, 2, 3, 4}, x[] = {10, 20};
        double y[] = {7, 7, 7};
        const Handle handle = make_handle(csr_view(3, 2, row_ptr, col_idx, values), o, provider);
        handle.apply(1.0, x, 0.0, y);
        EXPECT_EQ((std::vector<double>{y[0], y[1], y[2]}), (std::vector<double>{50, 60, 40}));
        return {handle.info().origin, handle.info().warning};
    }
    std::string error_of(const Options& o) {
        try {
            multiply(o);
        } catch (const Error& e) {
            return std::string(to_string(e.code())) + ": " + e.what();
        }
        return "no error";
    }
    /// The only entry.
    std::string entry() {
        const auto files = files_below(directory());
        EXPECT_EQ(files.size(), 1u);
        return files.empty() ? "" : files[0].string();
    }
    /// Where the entry is or would be.
    std::string csr_path() const {
        StoreOptions o;
        o.directory = directory();
        return Store(o).path_of(csr_signature());
    }
    static int status_of(pid_t child) {
        int status = 0;
        while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    /// Runs the body in a child process, whose status says whether all was right.
    static pid_t start(const std::function<int()>& body) {
        const pid_t child = ::fork();
        if (child != 0) return child;
        int status = 99;
        try {
            status = body();
        } catch (const std::exception& e) {
            std::fprintf(stderr, "child: %s\n", e.what());
        }
        ::_exit(HasFailure() ? 98 : status);
    }

    class Cache : public KernelCache {
      public:
        explicit Cache(const StoreOptions& o) : store_(o) {}
        std::optional<KernelBinary> find(const Signature& s, BinaryKind kind) override {
            return store_.find(s, kind);
        }
        bool put(const KernelBinary& binary) override { return store_.put(binary); }
        std::shared_ptr<const void> lock(const Signature& s, BinaryKind kind) override {
            return std::make_shared<const EntryLock>(store_.lock(s, kind));
        }
        std::string path_of(const Signature& s, BinaryKind kind) const override {
            return store_.path_of(s, kind);
        }

      private:
        Store store_;
    };

    TemporaryDirectory temporary_;
    Warnings warnings_;
    DigestingGenerator generator_;
    const Product compiled_{"compiled", ""}, cached_{"cache", ""};
};

constexpr int skip = 77;

TEST_F(StoreFire, EveryFlippedHeaderByteAndTheRestInSteps) {
    ASSERT_EQ(multiply(options()), compiled_);
    const std::string path = entry(), sound = read_file(path);
    const std::size_t header_end =
        32 + static_cast<unsigned char>(sound[12]) + 256u * static_cast<unsigned char>(sound[13]);
    ASSERT_LT(header_end, sound.size());
    std::size_t tried = 0;
    for (std::size_t i = 0; i < sound.size(); i += i < header_end ? 1 : 997) {
        std::string flipped = sound;
        flipped[i] = static_cast<char>(flipped[i] ^ (1 << i % 8));
        write_file(path, flipped);
        ASSERT_EQ(multiply(options()), compiled_) << i;
        ++tried;
    }
    EXPECT_EQ(generator_.compiled, static_cast<int>(tried + 1));
    EXPECT_EQ(multiply(options()), cached_) << "and it was mended";
}

TEST_F(StoreFire, TruncatedEntries) {
    ASSERT_EQ(multiply(options()), compiled_);
    const std::string path = entry(), sound = read_file(path);
    for (std::size_t length = 0; length < sound.size(); length += length < 40 ? 1 : 499) {
        write_file(path, sound.substr(0, length));
        ASSERT_EQ(multiply(options()), compiled_) << length;
    }
    write_file(path, sound + "more");
    EXPECT_EQ(multiply(options()), compiled_);
}

// A sound entry whose payload no loader takes: a defect, or another kind of file.
TEST_F(StoreFire, SoundEntryThatCannotBeLoaded) {
    generator_.bytes = "not a shared object";
    testing::internal::CaptureStderr();
    const Product none = multiply(options());
    EXPECT_EQ(none.origin, "generic");
    EXPECT_THAT(none.warning, HasSubstr("its shared object cannot be loaded"));
    EXPECT_TRUE(files_below(directory()).empty()) << "what was never loaded is not kept";
    KernelBinary bad = csr_binary(csr_signature());
    bad.bytes = generator_.bytes;
    bad.source_digest = to_hex(sha256(bad.source));
    StoreOptions o;
    o.directory = directory();
    ASSERT_TRUE(Store(o).put(bad));
    generator_.bytes = file_bytes(FAKE_KERNEL);
    EXPECT_EQ(multiply(options()), compiled_);
    EXPECT_EQ(multiply(options()), cached_);
    testing::internal::GetCapturedStderr();
}

TEST_F(StoreFire, FormatOfALaterVersion) {
    ASSERT_EQ(multiply(options()), compiled_);
    std::string later = read_file(entry());
    later[8] = 3;
    write_file(entry(), later);
    EXPECT_EQ(multiply(options(CacheMode::readonly)), compiled_);
    EXPECT_EQ(read_file(entry()), later);
    testing::internal::CaptureStderr();
    EXPECT_EQ(multiply(options(CacheMode::load)).origin, "generic");
    testing::internal::GetCapturedStderr();
}

TEST_F(StoreFire, TwoTemplateVersionsShareADirectory) {
    Maker other = this_maker();
    other.generator = std::string(64, 'f');
    for (auto& expected : {compiled_, cached_, cached_}) {
        EXPECT_EQ(multiply(options()), expected);
        EXPECT_EQ(multiply(options(), other), expected);
    }
    EXPECT_EQ(generator_.compiled, 2);
}

TEST_F(StoreFire, DirectoriesThatAreNotTrustworthy) {
    ASSERT_EQ(multiply(options()), compiled_);
    ASSERT_EQ(::chmod(directory().c_str(), 0775), 0);
    EXPECT_EQ(multiply(options()), compiled_);
    EXPECT_EQ(generator_.compiled, 2) << "the group may have put anything there";
    testing::internal::CaptureStderr();
    EXPECT_EQ(multiply(options(CacheMode::load)).origin, "generic");
    testing::internal::GetCapturedStderr();
    Options strict = options(CacheMode::load);
    strict.strict = true;
    EXPECT_EQ(error_of(strict),
              "compile: no kernel " + to_string(csr_signature()) +
                  ": it is not in the cache, and cache mode load does not compile");
    EXPECT_THAT(warnings_.texts(),
                testing::Contains("kernel cache " + directory() +
                                  " is not used: its group may write to it (mode 0775); chmod 700 "
                                  "mends that"));
    if (::geteuid() != 0) GTEST_SKIP() << "[SKIP] only root can give a directory away";
    ASSERT_EQ(::chmod(directory().c_str(), 0700), 0);
    ASSERT_EQ(multiply(options()), cached_);
    ASSERT_EQ(::chown(directory().c_str(), 1, 1), 0);
    EXPECT_EQ(multiply(options()), compiled_);
    EXPECT_EQ(warnings_.texts().back(), "kernel cache " + directory() +
                                            ": kernels are not kept: it belongs to user 1, and "
                                            "this process is user 0");
}

TEST_F(StoreFire, PathsWithSpacesAndUnicode) {
    for (const char* name : {"with space", "ünïcödé 漢字", "new\nline", "'\"$(x);*", "-n"}) {
        Options o = options();
        o.cache_dir = (temporary_.path() / name / "deep er").string();
        EXPECT_EQ(multiply(o), compiled_) << name;
        EXPECT_EQ(multiply(o), cached_) << name;
    }
}

TEST_F(StoreFire, DirectoryThatCannotBeWritten) {
    ASSERT_EQ(::chmod(temporary_.path().c_str(), 0755), 0);
    fs::create_directory(directory());
    ASSERT_EQ(::chmod(directory().c_str(), 0700), 0);
    if (::geteuid() == 0) {
        ASSERT_EQ(::chown(directory().c_str(), 65534, 65534), 0);
    }
    const int status = status_of(start([&] {
        // Root may write everywhere: become nobody.
        if (::geteuid() == 0 &&
            (::setgroups(0, nullptr) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0))
            return skip;
        ::chmod(directory().c_str(), 0500);
        EXPECT_EQ(multiply(options()), compiled_);
        ::chmod(directory().c_str(), 0700);
        EXPECT_EQ(multiply(options()), compiled_);
        const fs::path made = entry();
        ::chmod(made.parent_path().c_str(), 0500);
        ::chmod(directory().c_str(), 0500);
        EXPECT_EQ(multiply(options()), cached_);
        EXPECT_EQ(multiply(options(CacheMode::readonly)), cached_);
        ::chmod(made.c_str(), 0);
        EXPECT_EQ(multiply(options()), compiled_);
        ::chmod(made.parent_path().c_str(), 0700);
        ::chmod(directory().c_str(), 0700);
        return 0;
    }));
    if (status == skip) GTEST_SKIP() << "[SKIP] root here may not become another user";
    EXPECT_EQ(status, 0);
}

TEST_F(StoreFire, FullDisk) {
    fs::create_directory(directory());
    const int status = status_of(start([&] {
        const std::string user = std::to_string(::geteuid()), group = std::to_string(::getegid());
        if (::unshare(CLONE_NEWNS | (user == "0" ? 0 : CLONE_NEWUSER)) != 0) return skip;
        if (user != "0") {
            std::ofstream("/proc/self/uid_map") << user + " " + user + " 1";
            std::ofstream("/proc/self/setgroups") << "deny";
            std::ofstream("/proc/self/gid_map") << group + " " + group + " 1";
        }
        if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount("tmpfs", directory().c_str(), "tmpfs", 0, "size=8k,mode=0700") != 0)
            return skip;
        EXPECT_EQ(multiply(options()), compiled_);
        EXPECT_EQ(multiply(options()), compiled_);
        EXPECT_TRUE(files_below(directory()).empty()) << "no torn file stays";
        EXPECT_THAT(warnings_.texts().at(0), HasSubstr("No space left on device"));
        return 0;
    }));
    if (status == skip) GTEST_SKIP() << "[SKIP] no tmpfs can be mounted here";
    EXPECT_EQ(status, 0);
}

TEST_F(StoreFire, ProcessesOnAColdDirectoryCompileOnce) {
    generator_.takes = std::chrono::milliseconds(100);
    std::vector<pid_t> children;
    for (int i = 0; i < 12; ++i)
        children.push_back(start([&] {
            const Product product = multiply(options());
            EXPECT_TRUE(product == compiled_ || product == cached_) << product.warning;
            return product == compiled_ ? 1 : 0;
        }));
    int compilations = 0;
    for (const pid_t child : children) {
        const int status = status_of(child);
        ASSERT_LE(status, 1);
        compilations += status;
    }
    EXPECT_EQ(compilations, 1);
    EXPECT_NE(entry(), "") << "one entry, and no lock";
}

// Its compiler refuses: each process finds that out by itself, and none stands in another's way.
TEST_F(StoreFire, ProcessesWhoseCompilerFailsDoNotWaitForEachOther) {
    generator_.failure = "broken";
    testing::internal::CaptureStderr();
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i)
        children.push_back(start([&] { return multiply(options()).origin == "generic" ? 0 : 1; }));
    for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
    testing::internal::GetCapturedStderr();
    EXPECT_TRUE(files_below(directory()).empty());
}

TEST_F(StoreFire, DeletedWhileOthersRead) {
    std::atomic<bool> done = false;
    std::jthread remover([&] {
        StoreOptions o;
        o.directory = directory();
        o.warn = std::ref(warnings_);
        for (int round = 0; !done; ++round)
            if (std::error_code ignored; round % 2)
                fs::remove_all(directory(), ignored);
            else
                Store(o).clear();
    });
    for (int round = 0; round < 300; ++round) {
        const Product product = multiply(options());
        EXPECT_TRUE(product == compiled_ || product == cached_) << product.warning;
    }
    done = true;
}

TEST_F(StoreFire, WritersThatAreKilled) {
    ASSERT_EQ(multiply(options()), compiled_);
    const fs::path other = temporary_.path() / "cache/00" / (std::string(62, '0') + ".spmvk");
    write_file(other, "another's");
    for (int round = 0; round < 40; ++round) {
        // It makes and removes the entry without end, and dies somewhere in that.
        const pid_t child = start([&] {
            for (;;) {
                multiply(options());
                fs::remove(csr_path());
            }
            return 0;
        });
        std::this_thread::sleep_for(std::chrono::microseconds(300 * round));
        ::kill(child, SIGKILL);
        ASSERT_EQ(status_of(child), 128 + SIGKILL);
        const Product product = multiply(options());
        ASSERT_TRUE(product == compiled_ || product == cached_) << round << product.warning;
        ASSERT_EQ(multiply(options()), cached_);
        ASSERT_EQ(read_file(other), "another's");
    }
    EXPECT_TRUE(warnings_.texts().empty()) << warnings_.texts()[0];
}

TEST_F(StoreFire, ThirtyTwoProcessesOnOneColdCache) {
    std::vector<pid_t> children;
    for (int i = 0; i < 32; ++i)
        children.push_back(start([&] {
            multiply(options());
            EXPECT_EQ(multiply(options()), cached_);
            return warnings_.texts().empty() ? 0 : 1;
        }));
    for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
    EXPECT_NE(entry(), "") << "one entry, and nothing left behind";
    EXPECT_EQ(multiply(options(CacheMode::load)), cached_);
}

}  // namespace
}  // namespace spmvgen
