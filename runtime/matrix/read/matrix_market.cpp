#include "matrix/read/matrix_market.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>

#include "matrix/memory_limit.hpp"
#include "matrix/read/array_places.hpp"
#include "matrix/read/csr_assembly.hpp"
#include "matrix/read/market_parser.hpp"
#include "matrix/read/text_lines.hpp"
#include "matrix/sort_rows.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// Reads the data of one file with `threads` threads.
template <typename Row, typename Col, typename Value>
class MarketReader {
    using List = EntryList<Row, Col, Value>;

  public:
    MarketReader(const InputFile& file, TextSource& source, const MarketHeader& header, int threads)
        : file_(file),
          source_(source),
          h_(header),
          threads_(threads),
          assembly_(header, threads),
          lists_(static_cast<std::size_t>(threads)) {}

    CsrMatrix read() {
        parse_all();
        check_count();
        if (h_.layout == MarketLayout::array) place_array();
        std::vector<std::unique_ptr<Segment<Row, Col, Value>>> segments;
        for (List& list : lists_)
            for (auto& segment : list.segments) segments.push_back(std::move(segment));
        const bool tagged = triangles_.lower && triangles_.upper && h_.is_symmetric();
        CsrMatrix a = assembly_.assemble(std::move(segments), tagged);
        const auto conflict = sort_rows(a, tagged ? Columns::tagged : Columns::plain, threads_);
        if (conflict) throw located(file_, find_conflict(file_, h_.data_offset, *conflict));
        return a;
    }

  private:
    void parse_all() {
#pragma omp parallel num_threads(threads_)
        parse_blocks(lists_[static_cast<std::size_t>(omp_get_thread_num())]);
        if (failure_) std::rethrow_exception(failure_);
    }

    /// One thread's share: blocks until the text or the patience for it ends. Blocks are handed out
    /// in order, so every block before the first trouble gets parsed, and the least offset is that
    /// of the first trouble in the file.
    void parse_blocks(List& list) {
        MarketParser<Row, Col, Value> parser(h_, list);
        TextBlock block;
        try {
            while (!stop_ && source_.next(block)) {
                note_block(list, parser.parse(block));
                if (block.trouble) throw *block.trouble;
            }
        } catch (const TextError& error) {
            stop_ = true;
            const std::lock_guard lock(mutex_);
            if (!error_ || error.offset < error_->offset) error_ = error;
        } catch (...) {
            stop_ = true;
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        triangles_.lower |= parser.triangles().lower;
        triangles_.upper |= parser.triangles().upper;
    }

    void note_block(const List& list, const BlockEntries& block) {
        if (h_.layout == MarketLayout::coordinate)
            assembly_.count(*list.segments[block.segment], block.begin, block.begin + block.kept);
        if (total_.fetch_add(block.count, std::memory_order_relaxed) + block.count > h_.stored)
            stop_ = true;
    }

    /// Reports what is wrong with the text as a whole: the first trouble, unless the entries before
    /// it are too many already.
    void check_count() const {
        std::int64_t entries = 0;
        for (const List& list : lists_)
            for (const BlockEntries& block : list.blocks)
                if (!error_ || block.offset <= error_->offset) entries += block.count;
        if (entries > h_.stored) {
            const std::int64_t offset = entry_offset(file_, h_.data_offset, h_.stored);
            throw located(file_, {offset, fmt::format("more than the {} entries that the size line "
                                                      "announces",
                                                      h_.stored)});
        }
        if (error_) throw located(file_, *error_);
        if (entries < h_.stored)
            throw located(file_, {INT64_MAX, fmt::format("the file ends after {} of {} entries",
                                                         entries, h_.stored)});
    }

    /// Turns the numbers that array entries have within their block into rows and columns.
    void place_array() {
        std::vector<ArrayBlock<Row, Col, Value>> blocks;
        for (List& list : lists_)
            for (const BlockEntries& b : list.blocks)
                blocks.push_back({b, list.segments[b.segment].get(), 0});
        std::sort(blocks.begin(), blocks.end(),
                  [](const auto& a, const auto& b) { return a.entries.block < b.entries.block; });
        std::int64_t first = 0;
        for (auto& b : blocks) {
            b.first = first;
            first += b.entries.count;
        }
        std::int64_t wrong = INT64_MAX;
        const auto count = static_cast<std::int64_t>(blocks.size());
#pragma omp parallel for num_threads(threads_) schedule(dynamic, 1) reduction(min : wrong)
        for (std::int64_t i = 0; i < count; ++i) {
            auto& b = blocks[static_cast<std::size_t>(i)];
            wrong = std::min(wrong, place_entries(h_, b));
            assembly_.count(*b.segment, b.entries.begin, b.entries.begin + b.entries.kept);
        }
        if (wrong < INT64_MAX)
            throw located(file_, {entry_offset(file_, h_.data_offset, wrong),
                                  std::string(diagonal_trouble(h_.symmetry, {0, 1}))});
    }

    const InputFile& file_;
    TextSource& source_;
    const MarketHeader& h_;
    const int threads_;
    CsrAssembly<Row, Col, Value> assembly_;
    std::vector<List> lists_;
    Triangles triangles_;

    std::atomic<bool> stop_{false};
    std::atomic<std::int64_t> total_{0};
    std::mutex mutex_;
    std::optional<TextError> error_;
    std::exception_ptr failure_;
};

IndexType index_for(std::int64_t size) {
    return size <= INT32_MAX ? IndexType::i32 : IndexType::i64;
}

double bytes_of(std::int64_t size) {
    return index_for(size) == IndexType::i32 ? 4 : 8;
}

/// Refuses sizes that the file cannot hold or that memory cannot.
void check_sizes(const MarketHeader& h, const TextSource& source) {
    const std::int64_t bytes = source.bytes_after(h.data_offset);
    const std::int64_t room = bytes / least_entry_bytes(h) + 1;
    if (h.stored > room)
        throw TextError{h.size_offset,
                        fmt::format("the size line announces {} entries, but what follows it has "
                                    "room for {} at most: the file is truncated or the sizes are "
                                    "wrong",
                                    h.stored, room)};
    const double value = h.field == MarketField::complex ? 16 : 8;
    const double entries = static_cast<double>(h.stored);
    const double nnz = entries * (h.is_symmetric() ? 2 : 1);
    double needed = (static_cast<double>(h.rows) + 2) *
                    bytes_of(static_cast<std::int64_t>(std::min(nnz, 9e18)));
    // The entries of an array may well be zeros, which take no memory.
    if (h.layout == MarketLayout::coordinate)
        needed += entries * (bytes_of(h.rows) + bytes_of(h.cols) +
                             (h.field == MarketField::pattern ? 0 : value)) +
                  nnz * (bytes_of(h.cols) + value);
    const auto available = static_cast<double>(available_memory());
    if (needed > available)
        throw TextError{
            h.size_offset,
            fmt::format("a {} x {} matrix with {} entries needs {} of memory to be "
                        "read, and {} are available",
                        h.rows, h.cols, h.stored, format_bytes(needed), format_bytes(available))};
}

struct Work {
    int threads = 1;
    std::size_t block_bytes = 0;
};

/// Small files are not worth a team.
Work share_work(const InputFile& file, const ReadOptions& options) {
    constexpr std::size_t least = std::size_t{1} << 16, most = std::size_t{1} << 20;
    if (options.block_bytes > 0)
        return {options.threads > 0 ? options.threads : omp_get_max_threads(), options.block_bytes};
    const auto size = static_cast<std::size_t>(file.size());
    const std::size_t wanted = options.threads > 0
                                   ? static_cast<std::size_t>(options.threads)
                                   : static_cast<std::size_t>(omp_get_max_threads());
    const std::size_t threads = std::clamp<std::size_t>(size / least, 1, wanted);
    return {static_cast<int>(threads), std::clamp(size / (threads * 4), least, most)};
}

CsrMatrix read_data(const InputFile& file, TextSource& source, const MarketHeader& h, int threads) {
    return dispatch(index_for(h.rows), [&](auto row) {
        return dispatch(index_for(h.cols), [&](auto col) {
            using Row = decltype(row);
            using Col = decltype(col);
            switch (h.field) {
                case MarketField::complex:
                    return MarketReader<Row, Col, std::complex<double>>(file, source, h, threads)
                        .read();
                case MarketField::pattern:
                    return MarketReader<Row, Col, NoValue>(file, source, h, threads).read();
                default:
                    return MarketReader<Row, Col, double>(file, source, h, threads).read();
            }
        });
    });
}

}  // namespace

CsrMatrix read_matrix_market(const InputFile& file, const ReadOptions& options,
                             MarketHeader* header) {
    const Work work = share_work(file, options);
    const auto source = open_text(file, work.block_bytes);
    MarketHeader h;
    try {
        h = read_market_header(*source);
        check_sizes(h, *source);
    } catch (const TextError& error) {
        throw located(file, error);
    }
    if (header != nullptr) *header = h;
    return read_data(file, *source, h, work.threads);
}

}  // namespace spmvgen
