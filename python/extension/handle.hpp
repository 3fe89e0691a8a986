#pragma once
#include <nanobind/nanobind.h>
#include <spmvgen/spmvgen.h>

#include <array>
#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "buffer.hpp"

namespace spmvgen_python {

/// The arrays of a matrix, and what they mean.
class Arrays {
  public:
    /// layout: SPMVGEN_CSR, COO, CSC or BSR. `rows` and `columns` are those of each entry (BSR: of
    /// each block), but CSR and BSR have row offsets and CSC has column offsets. Only BSR has a
    /// shape of blocks, whose values come row by row. `listed`: of CSR the rows that are there, or
    /// None. Throws a ValueError where the arrays do not fit each other.
    Arrays(std::int32_t layout, std::int64_t num_rows, std::int64_t num_cols, nanobind::handle rows,
           nanobind::handle columns, nanobind::handle values, std::int32_t block_rows,
           std::int32_t block_cols, nanobind::handle listed);

    /// The same pattern with other numbers; a ValueError for another number of them.
    Arrays with_values(nanobind::handle values) const;

    const spmvgen_matrix& matrix() const { return matrix_; }
    const Buffer& values() const { return *buffers_[2]; }

  private:
    friend class Handle;
    void check_sizes() const;
    void check_block_sizes() const;
    /// That rows (0) or columns (1) are so many.
    void check_count(std::size_t which, std::size_t expected, const char* of) const;
    void check_offsets(std::size_t which, std::int64_t lines, const char* line,
                       const char* name) const;
    void describe();

    spmvgen_matrix matrix_{};
    std::array<std::shared_ptr<const Buffer>, 3> buffers_;  ///< rows, columns, values
    std::shared_ptr<const Buffer> listed_;                  ///< null = all rows
};

/// spmvgen's options: names and texts, as in a dictionary of Python's.
class Options {
  public:
    explicit Options(nanobind::dict texts);
    Options(const Options&) = delete;
    Options& operator=(const Options&) = delete;
    ~Options() { spmvgen_options_destroy(options_); }
    spmvgen_options* get() const { return options_; }
    std::string text(const char* name) const;

  private:
    spmvgen_options* options_ = nullptr;
};

/// A matrix ready to be multiplied. Every function gives the GIL away while the library works;
/// products may run in several threads, and new numbers wait for those that run.
class Handle {
  public:
    /// Where option "copy" is "false" the arrays are kept as long as the library reads them.
    Handle(const Arrays& arrays, nanobind::dict options);
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle();

    /// y = alpha A x + beta y; stream: the number of a GPU's stream, 0 = the default one. x and y
    /// have so many columns, row by row, whatever option num_rhs is.
    void apply(nanobind::handle x, nanobind::handle y, double alpha, double beta, double alpha_imag,
               double beta_imag, std::uintptr_t stream, std::int64_t columns) const;
    /// The same of memory that is as the library takes it, where the handle takes it.
    void multiply(const void* x, void* y, std::complex<double> alpha, std::complex<double> beta,
                  std::uintptr_t stream, std::int64_t columns) const;
    /// The same with the operands of option epilogue, by name: arrays with an element for each row
    /// of y, or with one.
    void apply_with(nanobind::handle x, nanobind::handle y, nanobind::dict operands, double alpha,
                    double beta, double alpha_imag, double beta_imag, std::uintptr_t stream) const;
    void update(const Arrays& arrays, std::uintptr_t stream);
    std::string info() const;
    std::string info_field(const char* name) const;
    std::string source() const;
    nanobind::bytes row_order() const;  ///< 32-bit numbers; empty without option reorder
    std::string explain(const Arrays& arrays, nanobind::dict options) const;

    std::string device() const { return device_; }
    const char* vector_type() const { return type_name(type_); }
    std::int64_t x_rows() const { return x_rows_; }
    std::int64_t y_rows() const { return y_rows_; }

  private:
    struct Kept;
    /// Until it goes no new numbers come. Waits for those that are coming, or wait to.
    std::shared_lock<std::shared_mutex> reading() const;
    /// The text that call(buffer, size, needed) gives while no new numbers come.
    template <typename Call>
    std::string read_text(Call&& call) const;
    void check_operand(const Buffer& buffer, const char* name, std::int64_t size) const;
    void keep(const Arrays& arrays, spmvgen_options* options);

    spmvgen_handle* handle_ = nullptr;
    std::weak_ptr<Kept> kept_;         ///< the library's, as long as it borrows
    mutable std::shared_mutex mutex_;  ///< shared by what reads the handle
    mutable std::mutex turn_;  ///< of new numbers first: readers alone would never let them in
    std::string device_;
    std::int32_t type_ = 0;  ///< of x, y, alpha and beta
    std::int64_t x_rows_ = 0, y_rows_ = 0;
    std::int64_t planned_columns_ = 1;             ///< option num_rhs
    std::map<std::string, std::string> operands_;  ///< of option epilogue: roles by name
    bool on_host_ = true, takes_cuda_arrays_ = false;
};

}  // namespace spmvgen_python
