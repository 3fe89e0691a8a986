#include "matrix/files/text_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "matrix/files/gzip_text.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// Position after the first line end at or after `from`, or npos.
std::size_t after_line_end(std::string_view text, std::size_t from) {
    const std::size_t end = text.find('\n', from);
    return end == std::string_view::npos ? end : end + 1;
}

/// A plain file. Block k holds the lines that start in bytes [begin + k·size, begin + (k+1)·size),
/// so that threads need not wait for each other.
class PlainText final : public TextSource {
  public:
    PlainText(const InputFile& file, std::size_t block_bytes)
        : file_(file), block_bytes_(static_cast<std::int64_t>(block_bytes)) {}

    bool next(TextBlock& block) override {
        block.index = next_++;
        const std::int64_t begin = begin_ + block.index * block_bytes_;
        if (begin >= file_.size()) return false;
        // One byte before tells whether a line starts exactly at the block's begin.
        const std::int64_t lead = block.index > 0 ? 1 : 0;
        const std::size_t own =
            static_cast<std::size_t>(std::min(block_bytes_, file_.size() - begin) + lead);
        read(block, 0, own, begin - lead);
        std::size_t first = 0;
        if (lead > 0) first = after_line_end({block.storage.data(), own - 1}, 0);
        block.offset = begin;
        block.text = {};
        block.trouble.reset();
        if (first == std::string_view::npos) return true;
        block.offset = begin - lead + static_cast<std::int64_t>(first);
        const std::size_t last = finish_line(block, own, begin - lead);
        if (last > first) block.text = {block.storage.data() + first, last - first};
        return true;
    }

    void resume_at(const TextBlock&, std::int64_t offset) override {
        begin_ = offset;
        next_ = 0;
    }

    std::int64_t bytes_after(std::int64_t offset) const override { return file_.size() - offset; }

  private:
    /// Reads the file from `from` + at into storage[at, at + bytes); less at the end of the file.
    std::size_t read(TextBlock& block, std::size_t at, std::size_t bytes, std::int64_t from) {
        if (block.storage.size() < at + bytes) block.storage.resize(at + bytes);
        const std::int64_t offset = from + static_cast<std::int64_t>(at);
        return file_.read(block.storage.data() + at, bytes, offset);
    }

    /// Reads on until the last line that starts in storage[0, own) is whole; returns its end. A
    /// line that is too long stays out; of a comment that is, the begin stays.
    std::size_t finish_line(TextBlock& block, std::size_t own, std::int64_t from) {
        constexpr std::size_t step = std::size_t{1} << 12;
        std::size_t have = own;
        std::size_t searched = own - 1;
        while (true) {
            const std::string_view text{block.storage.data(), have};
            const std::size_t end = after_line_end(text, searched);
            if (end != std::string_view::npos) return end;
            if (have - own > longest_line) {
                const std::size_t before = text.substr(0, own).rfind('\n') + 1;
                const std::int64_t offset = from + static_cast<std::int64_t>(before);
                if (is_comment(text.substr(before), offset)) {
                    const std::size_t end_of_begin = before + kept_of_comment;
                    block.storage[end_of_begin] = '\n';
                    return end_of_begin + 1;
                }
                block.trouble = {offset, line_too_long};
                return before;
            }
            searched = have;
            const std::size_t got = read(block, have, step, from);
            if (got == 0) {
                block.storage.resize(std::max(block.storage.size(), have + 1));
                block.storage[have] = '\n';
                return have + 1;
            }
            have += got;
        }
    }

    const InputFile& file_;
    const std::int64_t block_bytes_;
    std::int64_t begin_ = 0;
    std::atomic<std::int64_t> next_{0};
};

}  // namespace

bool is_comment(std::string_view line, std::int64_t offset) {
    const std::size_t first = line.find_first_not_of(" \t");
    return offset > 0 && first != std::string_view::npos && line[first] == '%';
}

std::unique_ptr<TextSource> open_text(const InputFile& file, std::size_t block_bytes) {
    unsigned char magic[2] = {};
    file.read(magic, 2, 0);
    if (magic[0] == 0x1f && magic[1] == 0x8b) return open_gzip_text(file, block_bytes);
    return std::make_unique<PlainText>(file, block_bytes);
}

namespace {

[[noreturn]] void io_error(const std::string& path, const char* what) {
    const std::string reason = std::generic_category().message(errno);
    throw Error(ErrorCode::io, fmt::format("{}: cannot {}: {}", path, what, reason));
}

}  // namespace

InputFile::InputFile(const std::string& path) : path_(path) {
    // O_NONBLOCK: opening a pipe without a writer must not wait for one.
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) io_error(path, "open");
    struct stat facts{};
    const bool known = fstat(descriptor_, &facts) == 0;
    if (known && S_ISREG(facts.st_mode)) {
        size_ = facts.st_size;
        return;
    }
    const int reason = errno;
    close(descriptor_);
    errno = reason;
    if (!known) io_error(path, "read");
    if (S_ISDIR(facts.st_mode))
        throw Error(ErrorCode::invalid_input,
                    path + ": is a directory: name a matrix file inside it");
    throw Error(ErrorCode::invalid_input,
                path + ": is not a regular file: save the matrix in a file first");
}

InputFile::~InputFile() {
    close(descriptor_);
}

std::size_t InputFile::read(void* to, std::size_t bytes, std::int64_t offset) const {
    constexpr std::size_t most = std::size_t{1} << 30;
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t got = pread(descriptor_, static_cast<char*>(to) + done,
                                  std::min(bytes - done, most), offset + static_cast<off_t>(done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) io_error(path_, "read");
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

}  // namespace spmvgen
