#pragma once
#include <string>
#include <string_view>

namespace spmvgen {

/// A file being written, gzipped when asked for. What is not finished is removed.
class OutputFile {
  public:
    enum class Form { plain, gzip };

    /// Creates or replaces `path`. Throws Error(io), as all members do.
    explicit OutputFile(const std::string& path, Form form = Form::plain);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(const void* data, std::size_t bytes);
    void write(std::string_view text) { write(text.data(), text.size()); }
    /// Closes the file; only then it is whole.
    void finish();

  private:
    [[noreturn]] void fail();

    std::string path_;
    void* file_ = nullptr;  // gzFile
};

}  // namespace spmvgen
