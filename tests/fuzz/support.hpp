#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// What the fuzz targets share. A target is one LLVMFuzzerTestOneInput in a file of its own: it
/// takes any bytes and aborts when a property does not hold.
namespace spmvgen::fuzz {

/// Says what does not hold, and aborts: that is what a fuzzer looks for.
void check(bool holds, const std::string& property);

/// A regular file that exists in memory only.
class MemoryFile {
  public:
    explicit MemoryFile(std::string_view bytes = {});
    ~MemoryFile();
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    const std::string& path() const { return path_; }

  private:
    int descriptor_ = -1;
    std::string path_;
};

/// While it lives, readers find `bytes` of free memory. Otherwise they find 256 KiB: what they take
/// beyond that is a finding (libFuzzer's -malloc_limit_mb), on a machine of any size.
class FreeMemory {
  public:
    explicit FreeMemory(std::int64_t bytes);
    ~FreeMemory();
    FreeMemory(const FreeMemory&) = delete;
    FreeMemory& operator=(const FreeMemory&) = delete;
};

/// Takes numbers off the begin of an input.
class Input {
  public:
    Input(const std::uint8_t* data, std::size_t size)
        : rest_(reinterpret_cast<const char*>(data), size) {}
    /// 0 when there is nothing left.
    unsigned byte();
    unsigned two_bytes();
    /// Up to that many bytes.
    std::string_view bytes(std::size_t count);
    std::string_view rest() const { return rest_; }

  private:
    std::string_view rest_;
};

}  // namespace spmvgen::fuzz
