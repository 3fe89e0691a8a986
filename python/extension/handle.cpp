#include "handle.hpp"

#include <nanobind/stl/string.h>

#include <cstring>
#include <mutex>
#include <sstream>
#include <vector>

#include "errors.hpp"
#include "gil.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace spmvgen_python {
namespace {

/// The operands that an epilogue names, with their roles.
std::map<std::string, std::string> operands_of(const std::string& epilogue) {
    const std::string lines = text_of([&](char* buffer, std::size_t size, std::size_t* needed) {
        return spmvgen_epilogue_operands(epilogue.c_str(), buffer, size, needed);
    });
    std::map<std::string, std::string> roles;
    std::istringstream in(lines);
    for (std::string name, role; in >> name && std::getline(in >> std::ws, role);)
        roles[name] = role;
    return roles;
}

[[noreturn]] void refuse(const std::string& message) {
    throw nb::value_error(message.c_str());
}

std::int32_t type_of_name(const std::string& name) {
    for (const auto& [text, type] : {std::pair{"f32", SPMVGEN_F32},
                                     {"f64", SPMVGEN_F64},
                                     {"c32", SPMVGEN_C32},
                                     {"c64", SPMVGEN_C64}})
        if (name == text) return type;
    refuse("vectors of type " + name);
}

/// A number as the library takes it: one element of the vectors' type.
struct Scalar {
    Scalar(std::int32_t type, double real, double imag) {
        if (type == SPMVGEN_F32 || type == SPMVGEN_C32) {
            const float parts[] = {static_cast<float>(real), static_cast<float>(imag)};
            std::memcpy(bytes, parts, sizeof parts);
        } else {
            const double parts[] = {real, imag};
            std::memcpy(bytes, parts, sizeof parts);
        }
    }
    alignas(16) unsigned char bytes[16] = {};
};

}  // namespace

Arrays::Arrays(std::int32_t layout, std::int64_t num_rows, std::int64_t num_cols, nb::handle rows,
               nb::handle columns, nb::handle values, std::int32_t block_rows,
               std::int32_t block_cols, nb::handle listed)
    : buffers_{std::make_shared<Buffer>(rows, "the array of rows", false),
               std::make_shared<Buffer>(columns, "the array of columns", false),
               std::make_shared<Buffer>(values, "the array of values", false)} {
    matrix_.struct_size = sizeof matrix_;
    matrix_.layout = layout;
    matrix_.rows = num_rows;
    matrix_.cols = num_cols;
    matrix_.block_height = block_rows;
    matrix_.block_width = block_cols;
    matrix_.block_layout = layout == SPMVGEN_BSR ? SPMVGEN_ROW : 0;
    if (!listed.is_none()) {
        listed_ = std::make_shared<Buffer>(listed, "the array of listed rows", false);
        static constexpr std::int64_t nothing = 0;  // NULL stands for all rows
        matrix_.listed_rows = listed_->size() > 0 ? listed_->data() : &nothing;
        matrix_.num_listed = static_cast<std::int64_t>(listed_->size());
    }
    describe();
    check_sizes();
}

Arrays Arrays::with_values(nb::handle values) const {
    Arrays other = *this;
    other.buffers_[2] = std::make_shared<Buffer>(values, "the array of values", false);
    other.describe();
    if (other.values().size() != buffers_[2]->size())
        refuse("the matrix has " + std::to_string(buffers_[2]->size()) +
               " entries, but there are " + std::to_string(other.values().size()) + " values");
    return other;
}

void Arrays::describe() {
    const bool coo = matrix_.layout == SPMVGEN_COO, csc = matrix_.layout == SPMVGEN_CSC;
    const Buffer &rows = *buffers_[0], &columns = *buffers_[1];
    matrix_.value_type = values().type();
    matrix_.index_type = (csc ? rows : columns).type();
    matrix_.offset_type = coo ? 0 : (csc ? columns : rows).type();
    matrix_.nnz = static_cast<std::int64_t>(values().size());
    (coo || csc ? matrix_.row_idx : matrix_.row_ptr) = rows.data();
    (csc ? matrix_.col_ptr : matrix_.col_idx) = columns.data();
    matrix_.values = values().data();
}

void Arrays::check_sizes() const {
    if (matrix_.rows < 0 || matrix_.cols < 0) refuse("a shape is negative");
    const bool csc = matrix_.layout == SPMVGEN_CSC;
    const std::size_t entries = values().size();
    if (matrix_.layout == SPMVGEN_BSR) return check_block_sizes();
    check_count(csc ? 0 : 1, entries, "values");
    if (matrix_.layout == SPMVGEN_COO) {
        check_count(0, entries, "values");
        if (buffers_[0]->type() != buffers_[1]->type())
            refuse("rows and columns have different types");
    } else if (csc) {
        check_offsets(1, matrix_.cols, "column", "columns");
    } else {
        check_offsets(0, listed_ ? matrix_.num_listed : matrix_.rows, "row",
                      listed_ ? "listed rows" : "rows");
        if (listed_ && listed_->type() != matrix_.index_type)
            refuse("listed rows and columns have different types");
    }
}

void Arrays::check_block_sizes() const {
    const std::int64_t height = matrix_.block_height, width = matrix_.block_width;
    if (height < 1 || width < 1) refuse("blocks have a shape of two positive numbers");
    check_count(1, values().size() / static_cast<std::size_t>(height * width), "blocks");
    check_offsets(0, matrix_.rows / height, "row", "rows of blocks");
}

void Arrays::check_count(std::size_t which, std::size_t expected, const char* of) const {
    if (buffers_[which]->size() != expected)
        refuse(std::string(which == 0 ? "rows: " : "columns: ") +
               std::to_string(buffers_[which]->size()) + " for " + std::to_string(expected) + " " +
               of);
}

void Arrays::check_offsets(std::size_t which, std::int64_t lines, const char* line,
                           const char* name) const {
    if (buffers_[which]->size() != static_cast<std::size_t>(lines) + 1)
        refuse(std::string(line) + " offsets: " + std::to_string(buffers_[which]->size()) +
               " for " + std::to_string(lines) + " " + name + ", which have one more than " + name);
}

Options::Options(nb::dict texts) {
    check(spmvgen_options_create(&options_));
    try {
        for (const auto& [name, value] : texts)
            check(spmvgen_options_set(options_, option_text(name, name).c_str(),
                                      option_text(name, value).c_str()));
    } catch (...) {
        spmvgen_options_destroy(options_);
        throw;
    }
}

std::string Options::text(const char* name) const {
    return text_of([&](char* buffer, std::size_t size, std::size_t* needed) {
        return spmvgen_options_get(options_, name, buffer, size, needed);
    });
}

/// Whether this thread is in Handle's constructor: threads of the library are none of Python's.
thread_local bool makes_handle = false;

/// Lets Python raise what a signal asks for, such as KeyboardInterrupt, between two kernels that
/// are timed.
int32_t no_signal_came(void*, const char*, double) {
    if (!makes_handle) return 1;
    const nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() == 0 ? 1 : 0;
}

/// What the library holds as long as it reads the arrays.
struct Handle::Kept {
    std::array<std::shared_ptr<const Buffer>, 3> buffers;

    /// The library's owner is a shared_ptr of its own, given back by any thread.
    static void give_back(void* owner) {
        if (!nb::is_alive()) return;  // the interpreter is gone, and the arrays with it
        const nb::gil_scoped_acquire gil;
        delete static_cast<std::shared_ptr<Kept>*>(owner);
    }
};

void Handle::keep(const Arrays& arrays, spmvgen_options* options) {
    auto* owner = new std::shared_ptr<Kept>(std::make_shared<Kept>(Kept{arrays.buffers_}));
    kept_ = *owner;
    check(spmvgen_options_set_owner(options, owner, Kept::give_back));
}

Handle::Handle(const Arrays& arrays, nb::dict options) {
    const Options wanted(options);
    if (wanted.text("copy") == "false") keep(arrays, wanted.get());
    check(spmvgen_options_set_on_measured(wanted.get(), no_signal_came, nullptr));
    spmvgen_status status;
    {
        const WithoutGil free;
        makes_handle = true;
        status = spmvgen_create(&arrays.matrix(), wanted.get(), &handle_);
        makes_handle = false;
    }
    if (PyErr_Occurred() != nullptr) {
        const WithoutGil free;
        spmvgen_destroy(handle_);
        handle_ = nullptr;
    }
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    check(status);
    device_ = wanted.text("device");
    on_host_ = device_ == "host";
    takes_cuda_arrays_ = !device_.starts_with("simt") || wanted.text("device_arrays") == "true";
    try {
        type_ = type_of_name(info_field("vectors"));
        operands_ = operands_of(wanted.text("epilogue"));
        planned_columns_ = std::stoll(wanted.text("num_rhs"));
        x_rows_ = std::stoll(info_field("cols"));
        y_rows_ = std::stoll(info_field("rows"));
    } catch (...) {
        spmvgen_destroy(handle_);
        throw;
    }
}

Handle::~Handle() {
    const WithoutGil free;
    spmvgen_destroy(handle_);
}

void Handle::check_operand(const Buffer& buffer, const char* name, std::int64_t size) const {
    if (buffer.type() != type_)
        throw nb::type_error((std::string(name) + " is of type " + type_name(buffer.type()) +
                              ", but the products are of type " + type_name(type_))
                                 .c_str());
    if (buffer.size() != static_cast<std::size_t>(size))
        refuse(std::string(name) + " has " + std::to_string(buffer.size()) +
               " elements, but the product takes " + std::to_string(size));
    const bool fits = on_host_ || device_.starts_with("simt")
                          ? buffer.place() == Place::host || (!on_host_ && takes_cuda_arrays_ &&
                                                              buffer.place() == Place::cuda_array)
                          : buffer.place() != Place::host;
    if (!fits)
        refuse(std::string(name) + " is in " +
               (buffer.place() == Place::host ? "host memory" : "a GPU's memory") +
               ", but the matrix is on " + device_);
}

void Handle::apply(nb::handle x, nb::handle y, double alpha, double beta, double alpha_imag,
                   double beta_imag, std::uintptr_t stream, std::int64_t columns) const {
    const Buffer from(x, "x", false), to(y, "out", true);
    check_operand(from, "x", x_rows_ * columns);
    check_operand(to, "out", y_rows_ * columns);
    multiply(from.data(), to.data(), {alpha, alpha_imag}, {beta, beta_imag}, stream, columns);
}

void Handle::multiply(const void* x, void* y, std::complex<double> alpha, std::complex<double> beta,
                      std::uintptr_t stream, std::int64_t columns) const {
    const Scalar a(type_, alpha.real(), alpha.imag()), b(type_, beta.real(), beta.imag());
    spmvgen_status status;
    {
        const WithoutGil free;
        const auto lock = reading();
        void* const on = reinterpret_cast<void*>(stream);
        status = columns == planned_columns_
                     ? spmvgen_apply(handle_, type_, a.bytes, x, b.bytes, y, on)
                     : spmvgen_apply_many(handle_, type_, columns, a.bytes, x, columns, SPMVGEN_ROW,
                                          b.bytes, y, columns, SPMVGEN_ROW, on);
    }
    check(status);
}

void Handle::apply_with(nb::handle x, nb::handle y, nb::dict operands, double alpha, double beta,
                        double alpha_imag, double beta_imag, std::uintptr_t stream) const {
    const Buffer from(x, "x", false), to(y, "out", true);
    check_operand(from, "x", x_rows_);
    check_operand(to, "out", y_rows_);
    std::vector<std::string> names;
    std::vector<std::unique_ptr<Buffer>> buffers;
    for (auto [name, array] : operands) {
        names.push_back(nb::cast<std::string>(name));
        const auto known = operands_.find(names.back());
        if (known == operands_.end()) refuse("the epilogue has no operand '" + names.back() + "'");
        const bool vector = known->second.ends_with("vector");
        const bool written = known->second != "vector" && known->second != "number";
        buffers.push_back(std::make_unique<Buffer>(array, names.back().c_str(), written));
        check_operand(*buffers.back(), names.back().c_str(), vector ? y_rows_ : 1);
    }
    std::vector<spmvgen_operand> named;
    for (std::size_t i = 0; i < names.size(); ++i)
        named.push_back({names[i].c_str(), buffers[i]->data()});
    const Scalar a(type_, alpha, alpha_imag), b(type_, beta, beta_imag);
    spmvgen_status status;
    {
        const WithoutGil free;
        const auto lock = reading();
        status = spmvgen_apply_with(handle_, type_, a.bytes, from.data(), b.bytes, to.data(),
                                    named.data(), named.size(), reinterpret_cast<void*>(stream));
    }
    check(status);
}

void Handle::update(const Arrays& arrays, std::uintptr_t stream) {
    spmvgen_status status;
    {
        const WithoutGil free;
        const std::lock_guard turn(turn_);
        const std::unique_lock lock(mutex_);
        status = spmvgen_update_values(handle_, arrays.values().type(), arrays.values().data(),
                                       reinterpret_cast<void*>(stream));
    }
    check(status);
    if (const auto kept = kept_.lock()) kept->buffers[2] = arrays.buffers_[2];
}

std::shared_lock<std::shared_mutex> Handle::reading() const {
    const std::lock_guard turn(turn_);
    return std::shared_lock(mutex_);
}

template <typename Call>
std::string Handle::read_text(Call&& call) const {
    return text_of([&](char* buffer, std::size_t size, std::size_t* needed) {
        const WithoutGil free;
        const auto lock = reading();
        return call(buffer, size, needed);
    });
}

std::string Handle::info() const {
    return read_text([&](char* buffer, std::size_t size, std::size_t* needed) {
        return spmvgen_info(handle_, buffer, size, needed);
    });
}

std::string Handle::info_field(const char* name) const {
    return read_text([&](char* buffer, std::size_t size, std::size_t* needed) {
        return spmvgen_info_field(handle_, name, buffer, size, needed);
    });
}

std::string Handle::source() const {
    return read_text([&](char* buffer, std::size_t size, std::size_t* needed) {
        return spmvgen_source(handle_, buffer, size, needed);
    });
}

nb::bytes Handle::row_order() const {
    const std::int32_t* order = nullptr;
    std::int64_t count = 0;
    check(spmvgen_row_order(handle_, &order, &count));
    return nb::bytes(reinterpret_cast<const char*>(order),
                     static_cast<std::size_t>(count) * sizeof *order);
}

std::string Handle::explain(const Arrays& arrays, nb::dict options) const {
    const Options wanted(options);
    spmvgen_blob* blob = nullptr;
    spmvgen_status status;
    {
        const WithoutGil free;
        const auto lock = reading();
        status = spmvgen_explain(handle_, &arrays.matrix(), wanted.get(), &blob);
    }
    check(status);
    return taken(blob);
}

}  // namespace spmvgen_python
