#pragma once
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace spmvgen {

/// Memory that is given back to the system the moment it goes; without huge pages, so that only
/// what is written counts.
class Pages {
  public:
    explicit Pages(std::size_t bytes) : bytes_(bytes) {
        void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) throw std::bad_alloc();
        madvise(p, bytes, MADV_NOHUGEPAGE);
        data_ = static_cast<char*>(p);
    }
    ~Pages() { munmap(data_, bytes_); }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    char* data() const { return data_; }

  private:
    std::size_t bytes_;
    char* data_ = nullptr;
};

/// The value of an entry of a pattern matrix: none.
struct NoValue {};

/// Room for `capacity` entries as three arrays; entries 0 … size-1 are set.
template <typename Row, typename Col, typename Value>
class Segment {
  public:
    static constexpr bool has_values = !std::is_same_v<Value, NoValue>;

    explicit Segment(std::size_t room)
        : capacity(room),
          pages_(room * (sizeof(Value) + sizeof(Row) + sizeof(Col)) + 64),
          values(reinterpret_cast<Value*>(pages_.data())),
          rows(reinterpret_cast<Row*>(pages_.data() + (has_values ? room * sizeof(Value) : 0))),
          cols(reinterpret_cast<Col*>(rows + room)) {}

    const std::size_t capacity;
    std::size_t size = 0;

  private:
    Pages pages_;

  public:
    Value* const values;  ///< not to be touched when !has_values
    Row* const rows;
    Col* const cols;
};

/// The entries of one block of text, in order: `segment` [begin, begin + count).
struct BlockEntries {
    std::int64_t block = 0;   ///< its index
    std::int64_t offset = 0;  ///< bytes of text before it
    std::size_t segment = 0;
    std::size_t begin = 0;
    std::int64_t count = 0;  ///< entries in the text
    std::size_t kept = 0;    ///< of them, in the segment (zeros of an array are dropped)
};

/// Entries in the order in which one thread met them.
template <typename Row, typename Col, typename Value>
struct EntryList {
    using Entries = Segment<Row, Col, Value>;
    std::vector<std::unique_ptr<Entries>> segments;
    std::vector<BlockEntries> blocks;

    /// A segment with room for `count` more entries.
    Entries& room_for(std::size_t count) {
        constexpr std::size_t usual = std::size_t{1} << 19;
        if (segments.empty() || segments.back()->capacity - segments.back()->size < count)
            segments.push_back(std::make_unique<Entries>((std::max(count, usual) + 63) / 64 * 64));
        return *segments.back();
    }
};

}  // namespace spmvgen
