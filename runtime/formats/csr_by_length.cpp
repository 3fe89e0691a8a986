#include <algorithm>
#include <vector>

#include "formats/layout.hpp"
#include "matrix/chunks.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t rows_a_stretch = 1 << 14;

constexpr std::int64_t divide_up(std::int64_t count, std::int64_t unit) {
    return (count + unit - 1) / unit;
}

/// Of parts, but for the last of a row: they begin where lines of memory do, if their row does.
constexpr std::int64_t entries_a_line = 32;
/// Of a part, from which on another part pays for a meeting.
constexpr std::int64_t many_entries = 4096;

/// The classes of row lengths, and about how many entries a long row's part has.
struct Classes {
    std::int64_t most_short, most_middle, share;
    bool is_middle(std::int64_t length) const {
        return length > most_short && length <= most_middle;
    }
    /// Entries of each of a long row's parts but the last: about equally many.
    std::int64_t part(std::int64_t length) const {
        std::int64_t parts = std::max<std::int64_t>(1, (length + share / 2) / share);
        if (length > parts * std::max(share, many_entries)) parts = divide_up(length, share);
        return divide_up(divide_up(length, parts), entries_a_line) * entries_a_line;
    }
    std::int64_t parts(std::int64_t length) const {
        return length > std::max(most_short, most_middle) ? divide_up(length, part(length)) : 0;
    }
};

struct Counts {
    std::int64_t middle = 0, parts = 0;
};

/// What comes before each stretch of rows_a_stretch rows, and behind the last.
std::vector<Counts> count_before(const CsrView& matrix, const Classes& classes) {
    const std::int64_t stretches = divide_up(matrix.rows, rows_a_stretch);
    std::vector<Counts> before(static_cast<std::size_t>(stretches) + 1);
    for_parts(matrix.rows, rows_a_stretch, 0, [&](std::int64_t begin, std::int64_t end, int) {
        Counts& own = before[static_cast<std::size_t>(begin / rows_a_stretch) + 1];
        for (std::int64_t row = begin; row < end; ++row) {
            own.middle += classes.is_middle(matrix.row_length(row));
            own.parts += classes.parts(matrix.row_length(row));
        }
    });
    for (std::size_t i = 1; i < before.size(); ++i) {
        before[i].middle += before[i - 1].middle;
        before[i].parts += before[i - 1].parts;
    }
    return before;
}

/// Rows of the index type, entries of the offset type.
template <typename Index, typename Offset>
struct ClassArrays {
    Index *part_row, *part_first, *part_last, *middle_row;
    Offset *part_begin, *part_end, *middle_begin, *middle_end;

    void put_middle(std::int64_t at, std::int64_t row, std::int64_t begin, std::int64_t end) const {
        middle_row[at] = static_cast<Index>(row);
        middle_begin[at] = static_cast<Offset>(begin);
        middle_end[at] = static_cast<Offset>(end);
    }
    void put_long(std::int64_t first, std::int64_t count, std::int64_t row, std::int64_t begin,
                  std::int64_t end, std::int64_t part_entries) const {
        for (std::int64_t part = first; part < first + count; ++part) {
            part_row[part] = static_cast<Index>(row);
            part_first[part] = static_cast<Index>(first);
            part_last[part] = static_cast<Index>(first + count - 1);
            const std::int64_t from = begin + (part - first) * part_entries;
            part_begin[part] = static_cast<Offset>(from);
            part_end[part] = static_cast<Offset>(std::min(end, from + part_entries));
        }
    }
};

template <typename Index, typename Offset>
ClassArrays<Index, Offset> add_class_arrays(const Counts& all, StoredMatrix& stored) {
    const auto add = [&]<typename T>(const char* name, std::int64_t count, T) {
        T* const array = add_array<T>(stored, name, count);
        *array = 0;  // of an empty array there is one element, too
        return array;
    };
    const auto indices = [&](const char* name, std::int64_t count) {
        return add(name, count, Index{});
    };
    const auto offsets = [&](const char* name, std::int64_t count) {
        return add(name, count, Offset{});
    };
    return {.part_row = indices("part_row", all.parts),
            .part_first = indices("part_first", all.parts),
            .part_last = indices("part_last", all.parts),
            .middle_row = indices("middle_row", all.middle),
            .part_begin = offsets("part_begin", all.parts),
            .part_end = offsets("part_end", all.parts),
            .middle_begin = offsets("middle_begin", all.middle),
            .middle_end = offsets("middle_end", all.middle)};
}

template <typename Index, typename Offset>
void write_classes(const CsrView& matrix, const Classes& classes, const std::vector<Counts>& before,
                   const ClassArrays<Index, Offset>& arrays) {
    for_parts(matrix.rows, rows_a_stretch, 0, [&](std::int64_t first, std::int64_t last, int) {
        Counts at = before[static_cast<std::size_t>(first / rows_a_stretch)];
        for (std::int64_t row = first; row < last; ++row) {
            const std::int64_t begin = matrix.row_begin(row), end = matrix.row_begin(row + 1);
            if (classes.is_middle(end - begin)) arrays.put_middle(at.middle++, row, begin, end);
            const std::int64_t parts = classes.parts(end - begin);
            if (parts > 0)
                arrays.put_long(at.parts, parts, row, begin, end, classes.part(end - begin));
            at.parts += parts;
        }
    });
}

}  // namespace

void add_length_classes(const CsrView& matrix, const Signature& signature, StoredMatrix& stored) {
    const Classes classes{.most_short = param(signature, "most_short"),
                          .most_middle = param(signature, "most_middle"),
                          .share = param(signature, "share")};
    const std::vector<Counts> before = count_before(matrix, classes);
    const Counts& all = before.back();
    check_fits(matrix.rows, signature.index, "rows", "index");
    check_fits(all.parts, signature.index, "parts of long rows", "index");
    dispatch(signature.index, [&]<typename Index>(Index) {
        dispatch(signature.offset, [&]<typename Offset>(Offset) {
            write_classes(matrix, classes, before, add_class_arrays<Index, Offset>(all, stored));
        });
    });
    const std::int64_t block = param(signature, "block");
    const auto index = static_cast<std::int64_t>(size_of(signature.index));
    const auto offset = static_cast<std::int64_t>(size_of(signature.offset));
    stored.bytes += all.parts * (3 * index + 2 * offset) + all.middle * (index + 2 * offset);
    stored.scalars["num_parts"] = all.parts;
    stored.scalars["num_middle"] = all.middle;
    stored.scalars["grid_blocks"] = all.parts +
                                    divide_up(all.middle, block / signature.target.wavefront) +
                                    divide_up(matrix.rows, block / param(signature, "subwarp"));
}

}  // namespace spmvgen
