// Symmetry, by looking up the mirror images of a sample of the entries.
#include <complex>
#include <tuple>

#include "matrix/chunks.hpp"
#include "matrix/features/features_parts.hpp"
#include "matrix/random.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t most_samples = 8192, queries_a_part = 256;

/// A place of the matrix, and what is stored there: duplicates added up.
struct Query {
    std::int64_t row = 0, col = 0;
    bool found = false;
    std::complex<double> value;
};

bool before(const Query* a, const Query* b) {
    return std::tie(a->row, a->col) < std::tie(b->row, b->col);
}

template <typename Offset, typename Index, typename Value>
class Lookup {
  public:
    explicit Lookup(const CsrView& a)
        : row_ptr_(a.row_ptr_as<Offset>()),
          col_(a.col_idx_as<Index>()),
          values_(a.values_as<Value>()) {}

    /// Answers a query of a row that is sorted by column.
    void search(Query& q) const {
        const Offset last = row_ptr_[q.row + 1];
        const Index* const found =
            std::lower_bound(col_ + row_ptr_[q.row], col_ + last, static_cast<Index>(q.col));
        for (auto k = static_cast<Offset>(found - col_); k < last && col_[k] == q.col; ++k)
            add(q, k);
    }
    /// Answers queries of one row, sorted by column, by reading the row once.
    void scan(Query** begin, Query** end) const {
        Query wanted;
        wanted.row = (*begin)->row;
        for (Offset k = row_ptr_[wanted.row]; k < row_ptr_[wanted.row + 1]; ++k) {
            wanted.col = col_[k];
            for (auto [q, stop] = std::equal_range(begin, end, &wanted, before); q != stop; ++q)
                add(**q, k);
        }
    }

  private:
    void add(Query& q, Offset k) const {
        q.found = true;
        q.value += std::complex<double>(values_[k]);
    }

    const Offset* row_ptr_;
    const Index* col_;
    const Value* values_;
};

/// Entries spread over the matrix, one at random in each of most_samples equal parts; all of a
/// small matrix. Two queries each: the entry and its mirror image. Diagonal entries are left out.
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
            queries.push_back({i, j, false, {}});
            queries.push_back({j, i, false, {}});
        }
    });
    return queries;
}

template <typename Answer>
void answer_sorted(const Answer& lookup, int threads, std::vector<Query>& queries) {
    for_parts(static_cast<std::int64_t>(queries.size()), queries_a_part, threads,
              [&](std::int64_t begin, std::int64_t end, int) {
                  for (std::int64_t q = begin; q < end; ++q)
                      lookup.search(queries[static_cast<std::size_t>(q)]);
              });
}

template <typename Answer>
void answer_unsorted(const Answer& lookup, int threads, std::vector<Query>& queries) {
    std::vector<Query*> order;
    for (Query& q : queries) order.push_back(&q);
    std::sort(order.begin(), order.end(), before);
    std::vector<std::size_t> groups;  // one for each row
    for (std::size_t q = 0; q < order.size(); ++q)
        if (q == 0 || order[q]->row != order[q - 1]->row) groups.push_back(q);
    groups.push_back(order.size());
    for_chunks(static_cast<std::int64_t>(groups.size()) - 1, threads, [&](std::int64_t g, int) {
        lookup.scan(order.data() + groups[static_cast<std::size_t>(g)],
                    order.data() + groups[static_cast<std::size_t>(g) + 1]);
    });
}

void answer_all(const CsrView& a, bool sorted, int threads, std::vector<Query>& queries) {
    const auto answer = [&]<typename Offset, typename Index, typename Value>(Offset, Index, Value) {
        const Lookup<Offset, Index, Value> lookup(a);
        sorted ? answer_sorted(lookup, threads, queries)
               : answer_unsorted(lookup, threads, queries);
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
