#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace spmvgen {

/// A regular file opened for reading at any place, by several threads at once.
class InputFile {
  public:
    /// Throws Error(io) when the file cannot be opened, Error(invalid_input) when it is not a
    /// regular file.
    explicit InputFile(const std::string& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    const std::string& path() const { return path_; }
    std::int64_t size() const { return size_; }

    /// Reads up to `bytes` from `offset`; fewer only at the end of the file. Throws Error(io).
    std::size_t read(void* to, std::size_t bytes, std::int64_t offset) const;

  private:
    std::string path_;
    int descriptor_ = -1;
    std::int64_t size_ = 0;
};

}  // namespace spmvgen
