#pragma once
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

#include "store/key.hpp"
#include "store/store.hpp"

namespace spmvgen {

inline Signature sample_signature() {
    return {.kernel = "csr_vector",
            .value = ValueType::f64,
            .index = IndexType::i32,
            .offset = IndexType::i64,
            .alpha = Scale::general,
            .beta = Scale::zero,
            .num_rhs = 2,
            .params = {{"lanes", 8}, {"unroll", -2}},
            .target = {"x86-64-v4", "sapphirerapids"}};
}

inline Maker sample_maker() {
    return {"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "clang", "19.1"};
}

inline KernelBinary sample_binary() {
    using namespace std::string_literals;
    KernelBinary binary;
    binary.signature = sample_signature();
    binary.bytes =
        "\x7f"
        "ELF\0\xff\r\n\x1a payload"s;
    binary.launch.steps = {
        {"csr_vector", StepRule::per_thread, {{"row_ptr", "const long*"}, {"alpha", "double"}}},
        {"carry", StepRule::once, {}}};
    binary.launch.workspace = {{"carry_row", 8}};
    binary.compiler = "clang 19.1.7 (Debian)";
    binary.flags = "-O3 -march=x86-64-v4";
    binary.source = "// y = αAx + βy\nint row;\n";
    binary.source_digest = to_hex(sha256(binary.source));
    return binary;
}

/// A binary of `size` bytes that are all `fill`, so that a mixture of two shows.
inline KernelBinary filled_binary(std::size_t size, char fill) {
    KernelBinary binary = sample_binary();
    binary.bytes.assign(size, fill);
    return binary;
}

inline bool is_uniform(const std::string& bytes) {
    return !bytes.empty() && bytes.find_first_not_of(bytes[0]) == std::string::npos;
}

inline bool same(const KernelBinary& a, const KernelBinary& b) {
    return a.signature == b.signature && a.kind == b.kind && a.bytes == b.bytes &&
           a.launch == b.launch && a.compiler == b.compiler && a.flags == b.flags &&
           a.source_digest == b.source_digest && a.source == b.source;
}

/// A directory of its own, gone with the object.
class TemporaryDirectory {
  public:
    TemporaryDirectory() {
        std::string pattern = std::filesystem::temp_directory_path() / "spmvgen-store-XXXXXX";
        path_ = ::mkdtemp(pattern.data());
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    ::chmod(path.c_str(), 0600);  // whatever the umask is
}

/// Every regular file below a directory, but the stamp of the last prune.
inline std::vector<std::filesystem::path> files_below(const std::filesystem::path& directory) {
    std::vector<std::filesystem::path> found;
    for (auto& item : std::filesystem::recursive_directory_iterator(directory))
        if (item.is_regular_file() && item.path().filename() != prune_stamp)
            found.push_back(item.path());
    return found;
}

/// What a store warned of.
class Warnings {
  public:
    void operator()(const std::string& text) {
        const std::lock_guard lock(mutex_);
        texts_.push_back(text);
    }
    std::vector<std::string> texts() const {
        const std::lock_guard lock(mutex_);
        return texts_;
    }

  private:
    mutable std::mutex mutex_;
    std::vector<std::string> texts_;
};

inline StoreOptions sample_options(const std::string& directory, Warnings& warnings) {
    StoreOptions options;
    options.directory = directory;
    options.maker = sample_maker();
    options.warn = std::ref(warnings);
    return options;
}

}  // namespace spmvgen
