// A matrix in parts, and what they send. An input is a byte of flags (1 = 64-bit indices; 2 =
// 64-bit offsets; 4 = offsets and columns are made right; 8 = partitions are made right; 16 = the
// last part's columns go on to the end of 64 bits), the sizes in a byte each (rows, columns,
// entries, parts), the arrays, a byte for a number: the partition's rows and columns, offsets and
// columns of the matrix, and last a part and columns that others want of it. The values are 1, 2,
// ….
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "layouts.hpp"
#include "spmvgen/distributed.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::fuzz {
namespace {

/// Makes bounds of any numbers: from 0, ascending, to `end`.
template <typename Number>
void make_right(std::vector<Number>& bounds, std::int64_t end) {
    for (Number& bound : bounds) {
        const auto any = static_cast<std::uint64_t>(bound);
        bound = static_cast<Number>(any % static_cast<std::uint64_t>(end + 1));
    }
    std::ranges::sort(bounds);
    if (bounds.empty()) return;
    bounds.front() = 0;
    bounds.back() = static_cast<Number>(end);
}

template <typename Number>
bool are_bounds(const std::vector<Number>& bounds, std::int64_t end) {
    return !bounds.empty() && bounds.front() == 0 && std::ranges::is_sorted(bounds) &&
           static_cast<std::int64_t>(bounds.back()) == end;
}

/// What a part has, in the numbers of the whole matrix.
void add_places(const Part& part, Places& places) {
    for (const auto& [place, value] : places_of(part.local.view()))
        places[{part.first_row + place.first, part.first_col + place.second}] += value;
    for (const auto& [place, value] : places_of(part.halo.view()))
        places[{part.first_row + part.halo_rows.at(static_cast<std::size_t>(place.first)),
                part.halo_columns.at(static_cast<std::size_t>(place.second))}] += value;
}

/// That what is received is the whole halo, each element as its part numbers it.
void check_halo(const Part& part, const RowPartition& partition) {
    std::int64_t received = 0;
    for (const Exchange& receive : part.receives) {
        check(receive.part != part.number, "nothing comes from the part itself");
        check(receive.first == received && receive.count > 0, "receives follow one another");
        received += receive.count;
        for (std::int64_t k = receive.first; k < received; ++k) {
            const auto i = static_cast<std::size_t>(k);
            const std::int64_t first = partition.cols.at(static_cast<std::size_t>(receive.part));
            check(part.halo_columns.at(i) == first + part.halo_elements.at(i),
                  "an element is numbered within its part");
        }
    }
    check(received == std::ssize(part.halo_columns), "the whole halo is received");
    check(std::ranges::is_sorted(part.halo_columns), "the halo ascends");
    check(std::ssize(part.halo_rows) == part.halo.rows, "each row of the halo is listed");
}

/// Columns that others want, as they ask for them.
void send_what_is_wanted(Input& input, std::vector<Part>& parts) {
    Part& part = parts.at(input.byte() % parts.size());
    std::vector<std::vector<std::int64_t>> wanted(parts.size());
    bool right = true;
    for (auto& columns : wanted) {
        columns = numbers<std::int64_t>(input, input.byte() % 4);
        for (const std::int64_t column : columns)
            right = right && column >= part.first_col && column - part.first_col < part.cols();
    }
    try {
        set_sends(part, wanted);
        check(right, "columns that the part has not are refused");
    } catch (const Error& error) {
        check(!right, std::string("columns that the part has are sent: ") + error.what());
        check(error.code() == ErrorCode::invalid_argument, error.what());
    }
}

/// The parts one by one, as processes make them, and their sends by what the others ask for.
void check_one_by_one(const CsrView& a, const RowPartition& partition,
                      const std::vector<Part>& parts) {
    for (const Part& part : parts) {
        CsrView rows = a;
        rows.rows = part.rows();
        std::vector<std::int64_t> ptr{0};
        const std::int64_t begin = rows.rows > 0 ? a.row_begin(part.first_row) : 0;
        for (std::int64_t i = 0; i < rows.rows; ++i)
            ptr.push_back(a.row_begin(part.first_row + i + 1) - begin);
        rows.nnz = ptr.back();
        rows.offset_type = IndexType::i64;
        rows.row_ptr = ptr.data();
        rows.col_idx = static_cast<const std::byte*>(a.col_idx) +
                       static_cast<std::size_t>(begin) * size_of(a.index_type);
        rows.values = a.values_as<double>() + begin;
        Part alone = make_part(rows, partition, part.number);
        std::vector<std::vector<std::int64_t>> wanted(parts.size());
        for (const Part& other : parts)
            for (const Exchange& receive : other.receives) {
                if (receive.part != part.number) continue;
                const auto columns = columns_of(other, receive);
                wanted.at(static_cast<std::size_t>(other.number))
                    .assign(columns.begin(), columns.end());
            }
        set_sends(alone, wanted);
        check(alone == part, "a part made alone is the same");
    }
}

/// Of a partition whose parts are too long to be numbered.
void check_refused(const CsrView& rows, const RowPartition& partition) {
    for (int number = 0; number < partition.parts(); ++number) try {
            make_part(rows, partition, number);
            check(false, "a part of 2^31 columns is refused");
        } catch (const Error& error) {
            check(error.code() == ErrorCode::invalid_argument, error.what());
        }
}

template <typename Index, typename Offset>
void run(Input& input, unsigned flags) {
    const std::int64_t rows = input.byte() % 24, cols = input.byte() % 24;
    const std::int64_t count = input.byte() % 40;
    const std::int64_t bounds = input.byte() % 7;
    RowPartition partition{numbers<std::int64_t>(input, bounds),
                           numbers<std::int64_t>(input, bounds)};
    auto ptr = numbers<Offset>(input, rows + 1);
    auto col_idx = numbers<Index>(input, count);
    if ((flags & 8) != 0) {
        make_right(partition.rows, rows);
        make_right(partition.cols, cols);
    }
    if ((flags & 4) != 0) {
        make_right(ptr, count);
        for (Index& column : col_idx)
            column = cols == 0 ? Index{0}
                               : static_cast<Index>(static_cast<std::uint64_t>(column) %
                                                    static_cast<std::uint64_t>(cols));
    }
    std::vector<double> values;
    for (std::int64_t k = 0; k < count; ++k) values.push_back(static_cast<double>(k + 1));
    const CsrView a = csr_view(rows, cols, count, ptr.data(), col_idx.data(), values.data());
    const bool right =
        are_bounds(partition.rows, rows) && are_bounds(partition.cols, cols) &&
        (rows > 0 ? are_bounds(ptr, count) : count == 0) &&
        std::ranges::all_of(col_idx, [&](Index j) { return j >= 0 && std::int64_t{j} < cols; });
    try {
        std::vector<Part> parts = make_parts(a, partition);
        check(right, "what is wrong is refused");
        Places places;
        for (const Part& part : parts) {
            check_halo(part, partition);
            add_places(part, places);
        }
        check(places == places_of(a), "every entry keeps its place and value");
        check_one_by_one(a, partition, parts);
        if (!parts.empty()) send_what_is_wanted(input, parts);
        if ((flags & 16) != 0 && partition.parts() > 0) {
            CsrView wide = a;
            wide.cols = partition.cols.back() = std::numeric_limits<std::int64_t>::max();
            wide.rows = wide.nnz = 0;
            std::ranges::fill(partition.rows, 0);
            check_refused(wide, partition);
        }
    } catch (const Error& error) {
        check(!right, std::string("what is right is taken: ") + error.what());
        check(error.code() == ErrorCode::invalid_argument, error.what());
    }
    for (const int wanted : {1, 2, 7}) try {
            const RowPartition own = partition_by_entries(a, wanted);
            check(are_bounds(own.rows, rows) && are_bounds(own.cols, cols) &&
                      own.parts() == wanted && own.cols.size() == own.rows.size(),
                  "a partition by entries is one");
        } catch (const Error& error) {
            check(!right, std::string("a right matrix is cut: ") + error.what());
        }
}

}  // namespace
}  // namespace spmvgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    spmvgen::fuzz::Input input(data, size);
    const unsigned flags = input.byte();
    spmvgen::dispatch(
        (flags & 1) != 0 ? spmvgen::IndexType::i64 : spmvgen::IndexType::i32,
        [&]<typename Index>(Index) {
            spmvgen::dispatch(
                (flags & 2) != 0 ? spmvgen::IndexType::i64 : spmvgen::IndexType::i32,
                [&]<typename Offset>(Offset) { spmvgen::fuzz::run<Index, Offset>(input, flags); });
        });
    return 0;
}
