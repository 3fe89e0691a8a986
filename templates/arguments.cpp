#include <array>

#include "family.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

std::string operand_text(const ArgumentTemplate& a, const Signature& s) {
    const bool of_rows = (a.name == "x") == kernel_entry(s.kernel).transposes;
    const std::string extent = of_rows ? "[num_rows]" : "[columns of A]";
    if (s.num_rhs == 1) return extent;
    const std::string k = std::to_string(s.num_rhs), ld = "ld_" + std::string(a.name);
    switch (a.name == "x" ? s.x_form : s.y_form) {
        case VectorForm::rows:
            return extent + "[" + ld + "]: a column for each right-hand side, the first " + k;
        case VectorForm::columns:
            return "[" + k + "][" + ld + "]: a row for each right-hand side, which has " + extent;
        case VectorForm::dense:
            break;
    }
    return extent + "[" + k + "]: a column for each right-hand side";
}

std::int64_t value_code(const Signature& s) {
    const auto code = s.params.find("value_code");
    return code != s.params.end() ? code->second : 0;
}

/// What kernels of several formats take: sizes, the rows and columns of CSR, operands.
constexpr std::array common{
    ArgumentTemplate{"num_rows", Element::count, "", "rows of A"},
    ArgumentTemplate{"num_cols", Element::count, "", "columns of A"},
    ArgumentTemplate{"nnz", Element::count, "", "entries of A"},
    ArgumentTemplate{"row_ptr", Element::offset, "[num_rows + 1]",
                     "where each row's entries begin, then their number"},
    columns_array("[row_ptr[num_rows]]"),
    ArgumentTemplate{"row_order", Element::index, "[num_rows]",
                     "row of A at each position, or the element of y that each row makes"},
    ArgumentTemplate{"x", Element::vector, "", "", true, operand_text},
    ArgumentTemplate{"y", Element::vector, "", "", false, operand_text},
    ArgumentTemplate{"ld_x", Element::count, "", "how far rows of x are apart"},
    ArgumentTemplate{"ld_y", Element::count, "", "how far rows of y are apart"},
    ArgumentTemplate{"alpha", Element::number, "", "factor of Ax"},
    ArgumentTemplate{"beta", Element::number, "", "factor of the y that comes in"},
    ArgumentTemplate{"alpha_at", Element::vector, "[1]", "factor of Ax, in the device's memory"},
    ArgumentTemplate{"beta_at", Element::vector, "[1]",
                     "factor of the y that comes in, in the device's memory"},
};

}  // namespace

extern constexpr std::span<const ArgumentTemplate> common_arguments{common};

std::string values_text(const ArgumentTemplate& a, const Signature& s) {
    if (value_code(s) == 2) return "[1]: the value of every entry";
    if (value_code(s) == 3) return "[256]: the values that entries have";
    return std::string(a.extent) + ": " + std::string(a.sentence);
}

std::string coded_values_text(const ArgumentTemplate& a, const Signature& s) {
    return std::string(a.extent) + (value_code(s) == 1
                                        ? ": value of each entry, a signed integer of 8 bits"
                                        : ": number of each entry's value in values");
}

}  // namespace spmvgen
