// Symmetry, by looking up the mirror images of a sample of the entries.
#include <complex>
#include <tuple>

#include "matrix/chunks.hpp"
#include "matrix/features_parts.hpp"
#include "matrix/gallery/random.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t most_samples = 16384, queries_a_part = 256;

/// A place of the matrix, and what is stored there: duplicates added up.
struct Query {
    std::int64_t row = 0, col = 0;
    std::int64_t sample = 0;  ///< 2·sample for the entry, 2·sample + 1 for its mirror image
    bool found = false;
    std::complex<double> value;
};

bool by_column(const Query& a, const Query& b) {
    return a.col < b.col;
}

template <typename Offset, typename Index, typename Value>
class Lookup {
  public:
    Lookup(const CsrView& a, bool sorted)
        : row_ptr_(a.row_ptr_as<Offset>()),
          col_(a.col_idx_as<Index>()),
          values_(a.values_as<Value>()),
          sorted_(sorted) {}

    /// Answers queries of one row, ascending by column.
    void answer(Query* begin, Query* end) const {
        const Offset first = row_ptr_[begin->row], last = row_ptr_[begin->row + 1];
        if (sorted_) {
            for (Query* q = begin; q != end; ++q) search(*q, first, last);
            return;
        }
        for (Offset k = first; k < last; ++k) {
            Query wanted;
            wanted.col = col_[k];
            for (auto [q, stop] = std::equal_range(begin, end, wanted, by_column); q != stop; ++q)
                add(*q, k);
        }
    }

  private:
    void search(Query& q, Offset first, Offset last) const {
        const Index* const found =
            std::lower_bound(col_ + first, col_ + last, static_cast<Index>(q.col));
        for (auto k = static_cast<Offset>(found - col_); k < last && col_[k] == q.col; ++k)
            add(q, k);
    }
    void add(Query& q, Offset k) const {
        q.found = true;
        q.value += std::complex<double>(values_[k]);
    }

    const Offset* row_ptr_;
    const Index* col_;
    const Value* values_;
    bool sorted_;
};

/// Entries spread over the matrix, one at random in each of most_samples equal parts; all of a
/// small matrix. Two queries each, diagonal entries left out.
std::vector<Query> sample_entries(const CsrView& a) {
    const std::int64_t samples = std::min(a.nnz, most_samples);
    const generators::Random random(0, generators::Purpose::edge);
    std::vector<Query> queries;
    queries.reserve(2 * static_cast<std::size_t>(samples));
    const std::int64_t part = a.nnz / samples, longer = a.nnz % samples;
    dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        for (std::int64_t s = 0; s < samples; ++s) {
            const std::int64_t begin = s * part + std::min(s, longer);
            const std::int64_t k = begin + random.below(part + (s < longer), s);
            const std::int64_t i = row_of_entry(a.row_ptr_as<Offset>(), a.rows, k), j = a.col(k);
            if (i == j) continue;
            queries.push_back({i, j, 2 * s, false, {}});
            queries.push_back({j, i, 2 * s + 1, false, {}});
        }
    });
    return queries;
}

void answer_all(const CsrView& a, bool sorted, int threads, std::vector<Query>& queries) {
    std::sort(queries.begin(), queries.end(), [](const Query& p, const Query& q) {
        return std::tie(p.row, p.col, p.sample) < std::tie(q.row, q.col, q.sample);
    });
    std::vector<std::size_t> groups;  // a row's queries each
    for (std::size_t q = 0; q < queries.size(); ++q)
        if (q == 0 || queries[q].row != queries[q - 1].row) groups.push_back(q);
    groups.push_back(queries.size());
    const auto answer = [&]<typename Offset, typename Index, typename Value>(Offset, Index, Value) {
        const Lookup<Offset, Index, Value> lookup(a, sorted);
        for_parts(static_cast<std::int64_t>(groups.size()) - 1, queries_a_part, threads,
                  [&](std::int64_t begin, std::int64_t end, int) {
                      for (auto g = static_cast<std::size_t>(begin);
                           g < static_cast<std::size_t>(end); ++g)
                          lookup.answer(queries.data() + groups[g], queries.data() + groups[g + 1]);
                  });
    };
    dispatch(a.offset_type, [&](auto offset) {
        dispatch(a.index_type, [&](auto index) {
            dispatch(a.value_type, [&](auto value) { answer(offset, index, value); });
        });
    });
}

}  // namespace

void analyse_symmetry(const CsrView& a, int threads, Features& f) {
    if (a.rows != a.cols) return;
    f.pattern_symmetry = f.value_symmetry = 1;
    if (a.nnz == 0) return;
    std::vector<Query> queries = sample_entries(a);
    if (queries.empty()) return;
    answer_all(a, f.sorted, threads, queries);
    std::sort(queries.begin(), queries.end(),
              [](const Query& p, const Query& q) { return p.sample < q.sample; });
    std::int64_t mirrored = 0, equal = 0;
    for (std::size_t q = 0; q < queries.size(); q += 2) {
        mirrored += queries[q + 1].found;
        equal += queries[q + 1].found && queries[q].value == queries[q + 1].value;
    }
    f.pattern_symmetry = static_cast<double>(2 * mirrored) / static_cast<double>(queries.size());
    f.value_symmetry =
        mirrored == 0 ? 0 : static_cast<double>(equal) / static_cast<double>(mirrored);
}

}  // namespace spmvgen
