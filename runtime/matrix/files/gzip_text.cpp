#include "matrix/files/gzip_text.hpp"

#include <algorithm>
#include <mutex>

#include "matrix/files/inflater.hpp"

namespace spmvgen {
namespace {

class GzipText final : public TextSource {
  public:
    GzipText(const InputFile& file, std::size_t block_bytes)
        : file_(file),
          inflater_([this](char* to, std::size_t bytes) { return read_on(to, bytes); }),
          block_bytes_(block_bytes) {}

    bool next(TextBlock& block) override {
        const std::lock_guard lock(mutex_);
        if (ended_ && rest_.empty() && !resumed_) return false;
        resumed_ = false;
        block.index = next_++;
        block.offset = offset_;
        block.storage.swap(rest_);
        rest_.clear();
        block.trouble.reset();
        skipped_ = 0;
        const std::size_t length = fill(block);
        block.text = {block.storage.data(), length};
        offset_ += static_cast<std::int64_t>(length) + skipped_;
        return true;
    }

    void resume_at(const TextBlock& block, std::int64_t offset) override {
        const std::string_view unread =
            block.text.substr(static_cast<std::size_t>(offset - block.offset));
        rest_.insert(rest_.begin(), unread.begin(), unread.end());
        offset_ = offset;
        next_ = 0;
        resumed_ = true;
    }

    std::int64_t bytes_after(std::int64_t) const override {
        // DEFLATE cannot shrink by more than 1032 : 1.
        return file_.size() > INT64_MAX / 1032 ? INT64_MAX : file_.size() * 1032;
    }

  private:
    std::size_t read_on(char* to, std::size_t bytes) {
        const std::size_t got = file_.read(to, bytes, position_);
        position_ += static_cast<std::int64_t>(got);
        return got;
    }

    /// Adds to the block's text, whose begin it has, until that is a block of whole lines; the
    /// begin of the next line goes to rest_. Returns the length of the whole lines.
    std::size_t fill(TextBlock& block) {
        std::vector<char>& text = block.storage;
        std::size_t have = text.size();
        std::size_t searched = 0;
        while (true) {
            const std::size_t want = std::max(have + 4096, block_bytes_);
            text.resize(want);
            have += inflater_.read(text.data() + have, want - have);
            ended_ = have < want;
            const std::string_view fresh{text.data() + searched, have - searched};
            const std::size_t line_end = fresh.rfind('\n');
            if (ended_ && inflater_.damage().empty()) return end_text(text, have);
            const std::size_t length =
                line_end == std::string_view::npos ? 0 : searched + line_end + 1;
            if (ended_) {
                const std::int64_t last = offset_ + static_cast<std::int64_t>(have) - 1;
                damaged_at_ = std::max(damaged_at_, last);
                block.trouble = {damaged_at_, inflater_.damage()};
                return length;
            }
            if (length > 0) {
                rest_.assign(text.begin() + static_cast<std::ptrdiff_t>(length),
                             text.begin() + static_cast<std::ptrdiff_t>(have));
                return length;
            }
            if (have > longest_line + block_bytes_) {
                if (is_comment({text.data(), have}, offset_)) return skip_comment(block, have);
                ended_ = true;
                block.trouble = {offset_, line_too_long};
                return 0;
            }
            searched = have;
        }
    }

    /// Of the block, which so far is a part of one comment, leaves the begin as a line; the text
    /// behind the comment goes to rest_. Returns the length of the line.
    std::size_t skip_comment(TextBlock& block, std::size_t have) {
        constexpr std::size_t line = kept_of_comment + 1;
        std::vector<char>& text = block.storage;
        text[kept_of_comment] = '\n';
        std::vector<char> part(block_bytes_);
        bool found = false;
        while (!found && !ended_) {
            const std::size_t got = inflater_.read(part.data(), part.size());
            const std::string_view fresh{part.data(), got};
            const std::size_t end = std::min(fresh.find('\n'), got - 1) + 1;
            found = end > 0 && fresh[end - 1] == '\n';
            ended_ = !found && got < part.size();
            have += end;
            rest_.assign(part.begin() + static_cast<std::ptrdiff_t>(end),
                         part.begin() + static_cast<std::ptrdiff_t>(got));
        }
        if (ended_ && !inflater_.damage().empty()) {
            damaged_at_ = std::max(damaged_at_, offset_ + static_cast<std::int64_t>(have) - 1);
            block.trouble = {damaged_at_, inflater_.damage()};
            return 0;
        }
        skipped_ = static_cast<std::int64_t>(have - line);
        return line;
    }

    static std::size_t end_text(std::vector<char>& text, std::size_t have) {
        if (have == 0 || text[have - 1] == '\n') return have;
        text[have] = '\n';
        return have + 1;
    }

    const InputFile& file_;
    std::int64_t position_ = 0;  ///< bytes of the file that were read
    std::mutex mutex_;
    Inflater inflater_;
    const std::size_t block_bytes_;
    std::vector<char> rest_;
    std::int64_t offset_ = 0;
    std::int64_t next_ = 0;
    std::int64_t skipped_ = 0;     ///< bytes of a comment that the block leaves out
    std::int64_t damaged_at_ = 0;  ///< the last byte of text, when the file is damaged
    bool ended_ = false;
    bool resumed_ = false;  ///< the next block tells the trouble of the last one again
};

}  // namespace

std::unique_ptr<TextSource> open_gzip_text(const InputFile& file, std::size_t block_bytes) {
    return std::make_unique<GzipText>(file, block_bytes);
}

}  // namespace spmvgen
