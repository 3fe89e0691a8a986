#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// Trouble at one place of a text: becomes Error(invalid_input) `file:line: what` once the line is
/// known (matrix_market.cpp counts it then; nothing counts lines while all is well).
struct TextError {
    std::int64_t offset = 0;  ///< bytes of text before the place
    std::string what;
};

/// A run of whole lines. `text` points into `storage`.
struct TextBlock {
    std::string_view text;  ///< empty, or ends in a line end (added where the file lacks the last)
    std::int64_t offset = 0;           ///< bytes of text before `text`
    std::int64_t index = 0;            ///< 0, 1, 2, … in the order of the text
    std::optional<TextError> trouble;  ///< why the text cannot be read beyond this block
    std::vector<char> storage;
};

/// A text in blocks of whole lines, taken by several threads at once.
class TextSource {
  public:
    virtual ~TextSource() = default;

    /// The next block in the order of the text; false at the end. Thread safe, one block a thread.
    /// A line without end and corrupt gzip data are the block's trouble. Throws Error(io).
    virtual bool next(TextBlock& block) = 0;

    /// Goes on at `offset`, which lies in `block`, the last one taken; blocks count from 0 again.
    virtual void resume_at(const TextBlock& block, std::int64_t offset) = 0;

    /// No more than this many bytes of text follow `offset`.
    virtual std::int64_t bytes_after(std::int64_t offset) const = 0;
};

/// The longest line that is read, but for comments, of which blocks hold no more than the begin.
inline constexpr std::size_t longest_line = std::size_t{1} << 20;
inline constexpr const char* line_too_long =
    "a line is longer than 1 MiB: this is not a text of numbers";

/// Whether the line that begins at `offset` of the text with these bytes is a comment. The banner,
/// the first line, is none.
bool is_comment(std::string_view line, std::int64_t offset);
/// So much of a comment that is longer than longest_line stays in a block.
inline constexpr std::size_t kept_of_comment = 64;

/// Opens the text of `file`, plain or gzipped. `block_bytes` is about how large blocks are. The
/// file must outlive the source.
std::unique_ptr<TextSource> open_text(const InputFile& file, std::size_t block_bytes);

}  // namespace spmvgen
