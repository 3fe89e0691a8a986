#include "matrix/reorder/sampled_clusters.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <span>

#include "matrix/reorder/cluster_grower.hpp"
#include "matrix/reorder/graph.hpp"

namespace spmvgen::reordering {
namespace {

constexpr int most_fetches = 12;  ///< each waits for a device; with more all columns take as long

/// Something for each of a few rows.
template <typename T>
class OfFewRows {
  public:
    const T* find(std::int32_t row) const {
        const Slot& slot = slots_[place_of(row)];
        return slot.row == row ? &slot.value : nullptr;
    }
    /// T{} at first. Valid until another row is asked for.
    T& operator[](std::size_t row) {
        if (2 * used_ >= slots_.size()) grow();
        Slot& slot = slots_[place_of(static_cast<std::int32_t>(row))];
        if (slot.row == nobody) {
            slot.row = static_cast<std::int32_t>(row);
            ++used_;
        }
        return slot.value;
    }

  private:
    static constexpr std::int32_t nobody = -1;
    static constexpr int first_bits = 12;
    struct Slot {
        std::int32_t row = nobody;
        T value{};
    };

    /// The row's, or an empty one for it.
    std::size_t place_of(std::int32_t row) const {
        constexpr std::uint32_t golden = 2654435769u;  // of 2^32, the golden section
        const std::size_t last = slots_.size() - 1;
        std::size_t place = static_cast<std::uint32_t>(row) * golden >> (32 - bits_);
        while (slots_[place].row != row && slots_[place].row != nobody) place = (place + 1) & last;
        return place;
    }
    void grow() {
        std::vector<Slot> old(std::size_t{1} << ++bits_);
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.row != nobody) slots_[place_of(slot.row)] = slot;
    }

    int bits_ = first_bits;  ///< of a slot's number
    std::vector<Slot> slots_ = std::vector<Slot>(std::size_t{1} << first_bits);
    std::size_t used_ = 0;
};

/// Columns of rows, as far as they are here.
template <typename Offset, typename Index>
class ColumnsHere {
  public:
    ColumnsHere(const CsrView& a, EntrySource* source)
        : row_ptr_(a.row_ptr_as<Offset>()),
          all_(source == nullptr ? a.col_idx_as<Index>() : nullptr),
          source_(source) {}

    bool has(std::int32_t row) const { return all_ != nullptr || few_.find(row) != nullptr; }
    /// None where they are not here.
    std::span<const Index> operator()(std::int32_t row) const {
        const Offset begin = row_ptr_[row];
        const auto length = static_cast<std::size_t>(row_ptr_[row + 1] - begin);
        if (all_ != nullptr) return {all_ + begin, length};
        const auto* const found = few_.find(row);
        return found != nullptr ? std::span(*found, length) : std::span<const Index>();
    }
    void fetch(std::vector<std::int32_t> rows) {
        if (++fetches_ > most_fetches) {
            all_ = source_->pattern().template col_idx_as<Index>();
            return;
        }
        std::ranges::sort(rows);
        rows.erase(std::ranges::unique(rows).begin(), rows.end());
        std::vector<EntryRange> ranges;
        for (const std::int32_t row : rows) append(ranges, {row_ptr_[row], row_ptr_[row + 1]});
        fetched_.push_back(source_->columns(ranges));
        const Index* next = fetched_.back().template as<Index>().data();
        for (const std::int32_t row : rows) {
            few_[static_cast<std::size_t>(row)] = next;
            next += row_ptr_[row + 1] - row_ptr_[row];
        }
    }

  private:
    const Offset* row_ptr_;
    const Index* all_;
    EntrySource* source_;
    OfFewRows<const Index*> few_;
    std::vector<Buffer> fetched_;
    int fetches_ = 0;
};

bool is_any(std::int32_t) {
    return true;
}

/// Clusters that grow in one place of the matrix.
template <typename Columns>
class Place {
  public:
    /// `rows` from `first` on are taken where none leads on.
    Place(const Columns& columns, std::int64_t first, std::int64_t rows, int size, int clusters)
        : columns_(columns), size_(size), clusters_left_(clusters), near_(at(rows)) {
        std::iota(near_.begin(), near_.end(), static_cast<std::int32_t>(first));
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    /// As far as there are columns; adds the rows that lack theirs.
    void go_on(std::vector<std::int32_t>& lacking) {
        while (grower_.go_on(order_) && clusters_left_ > 0) {
            grower_.begin(static_cast<std::size_t>(size_), order_);
            --clusters_left_;
        }
        for (const std::int32_t row : grower_.to_search(order_))
            if (!columns_.has(row)) lacking.push_back(row);
    }
    const std::vector<std::int32_t>& rows() const { return order_; }

  private:
    const Columns& columns_;
    int size_, clusters_left_;
    std::vector<std::int32_t> near_, order_;
    OfFewRows<VertexState> state_;
    ClusterGrower<const Columns&, bool (*)(std::int32_t), OfFewRows<VertexState>> grower_{
        columns_, is_any, near_, state_};
};

}  // namespace

std::vector<std::int64_t> sampled_row_clusters(const CsrView& a, int size, int of_each, int count,
                                               EntrySource* source) {
    const std::int64_t rows = std::min<std::int64_t>(a.rows, std::int64_t{size} * of_each);
    std::vector<std::int64_t> found;
    dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        dispatch(a.index_type, [&]<typename Index>(Index) {
            ColumnsHere<Offset, Index> columns(a, source);
            std::deque<Place<ColumnsHere<Offset, Index>>> places;
            for (std::int64_t i = 0; i < count; ++i)
                places.emplace_back(columns, (2 * i + 1) * (a.rows - rows) / (2 * count), rows,
                                    size, of_each);
            std::vector<std::int32_t> lacking;
            do {
                if (!lacking.empty()) columns.fetch(std::move(lacking));
                lacking.clear();
                for (auto& place : places) place.go_on(lacking);
            } while (!lacking.empty());
            for (auto& place : places)
                found.insert(found.end(), place.rows().begin(), place.rows().end());
        });
    });
    return found;
}

}  // namespace spmvgen::reordering
