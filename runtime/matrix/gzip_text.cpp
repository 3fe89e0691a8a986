#include "matrix/gzip_text.hpp"

#include <zlib.h>

#include <algorithm>
#include <mutex>
#include <new>

namespace spmvgen {
namespace {

/// The bytes that a gzip file inflates to, in order.
class Inflater {
  public:
    explicit Inflater(const InputFile& file) : file_(file), input_(std::size_t{1} << 18) {
        constexpr int gzip_only = 15 + 16;
        if (inflateInit2(&stream_, gzip_only) != Z_OK) throw std::bad_alloc();
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    /// Inflates up to `bytes`; fewer only at the end or before damage, which `damage()` then names.
    std::size_t read(char* to, std::size_t bytes) {
        std::size_t done = 0;
        while (done < bytes && !ended_) done += step(to + done, bytes - done);
        return done;
    }

    const std::string& damage() const { return damage_; }

  private:
    std::size_t step(char* to, std::size_t bytes) {
        if (stream_.avail_in == 0) refill();
        if (stream_.avail_in == 0) {
            stop(between_members_ ? "" : "the gzip data is truncated");
            return 0;
        }
        if (between_members_ && !start_member()) return 0;
        const uInt room = static_cast<uInt>(std::min(bytes, std::size_t{1} << 30));
        stream_.next_out = reinterpret_cast<Bytef*>(to);
        stream_.avail_out = room;
        const int status = inflate(&stream_, Z_NO_FLUSH);
        if (status == Z_MEM_ERROR) throw std::bad_alloc();
        if (status == Z_STREAM_END)
            between_members_ = true;
        else if (status != Z_OK && status != Z_BUF_ERROR)
            stop(std::string("the gzip data is corrupt: ") +
                 (stream_.msg != nullptr ? stream_.msg : "unknown format"));
        return room - stream_.avail_out;
    }

    void refill() {
        const std::size_t got = file_.read(input_.data(), input_.size(), position_);
        position_ += static_cast<std::int64_t>(got);
        stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
        stream_.avail_in = static_cast<uInt>(got);
    }

    /// After a member: another one, or zero bytes that pad the file (as gzip itself allows).
    bool start_member() {
        if (*stream_.next_in == 0x1f) {
            between_members_ = false;
            inflateReset(&stream_);
            return true;
        }
        for (; stream_.avail_in > 0; ++stream_.next_in, --stream_.avail_in)
            if (*stream_.next_in != 0) {
                stop("other data follow the end of the gzip data");
                return false;
            }
        return false;
    }

    void stop(std::string damage) {
        ended_ = true;
        damage_ = std::move(damage);
    }

    const InputFile& file_;
    std::vector<char> input_;
    std::int64_t position_ = 0;
    z_stream stream_{};
    bool between_members_ = false;
    bool ended_ = false;
    std::string damage_;
};

class GzipText final : public TextSource {
  public:
    GzipText(const InputFile& file, std::size_t block_bytes)
        : file_(file), inflater_(file), block_bytes_(block_bytes) {}

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
