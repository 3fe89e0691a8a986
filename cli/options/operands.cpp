#include "options/operands.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>

#include "devices/host/permute_rows.hpp"
#include "matrix/memory_limit.hpp"
#include "matrix/read/reader.hpp"
#include "matrix/suites/gallery.hpp"
#include "measure/random_vector.hpp"
#include "options/options.hpp"
#include "registry.hpp"

namespace spmvgen::cli {
namespace {

/// f(pointer to α, pointer to β) with both in the matrix's type.
template <typename F>
void with_scalars(const Operands& p, F f) {
    dispatch(p.type, [&](auto zero) {
        using Value = decltype(zero);
        const auto in_type = [](std::complex<double> z) {
            if constexpr (std::is_floating_point_v<Value>)
                return static_cast<Value>(z.real());
            else
                return static_cast<Value>(z);
        };
        const Value alpha = in_type(p.alpha), beta = in_type(p.beta);
        f(static_cast<const void*>(&alpha), static_cast<const void*>(&beta));
    });
}

/// Whether a kernel of this name may round parts of a sum to y's type.
bool adds_in_steps(const std::string& name) {
    return std::ranges::any_of(kernel_registry(), [&](const KernelEntry& entry) {
        const std::string id = std::string(entry.id) + "_";
        return entry.determinism != Determinism::always &&
               (name.starts_with(id + "f") || name.starts_with(id + "c"));
    });
}

Buffer vector_for(const std::string& path, ValueType type, std::int64_t elements, int columns,
                  std::uint64_t seed) {
    if (!path.empty()) return read_vector(path, type, elements, columns);
    Buffer data(static_cast<std::size_t>(elements * columns) * size_of(type));
    fill_random(type, data.data(), elements * columns, seed);
    return data;
}

/// A matrix of so many rows, which lies by rows, by columns.
Buffer transposed(ValueType type, const Buffer& from, std::int64_t rows) {
    Buffer to(from.bytes());
    if (rows == 0) return to;
    dispatch(type, [&]<typename Value>(Value) {
        const std::int64_t cols = static_cast<std::int64_t>(from.bytes() / sizeof(Value)) / rows;
        const Value* in = from.as<Value>().data();
        Value* out = to.as<Value>().data();
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < cols; ++j) out[j * rows + i] = in[i * cols + j];
    });
    return to;
}

/// Elements of one of the vectors.
std::int64_t length_of(const Operands& p, const Buffer& vectors) {
    return static_cast<std::int64_t>(vectors.bytes() / size_of(p.type)) / p.num_rhs;
}

}  // namespace

void Operands::apply(const Handle& handle, const void* x_at, void* y_at) const {
    with_scalars(*this, [&](const void* a, const void* b) {
        if (layout == VectorLayout::row) return handle.apply(type, a, x_at, b, y_at);
        handle.apply_many(type, num_rhs, a, {x_at, length_of(*this, x), layout}, b,
                          {y_at, length_of(*this, y), layout});
    });
}

void Operands::apply(const Handle& handle, const void* x_at, void* y_at,
                     const NamedOperands& named) const {
    const std::vector<EpilogueOperand> given = named.operands();
    with_scalars(*this, [&](const void* a, const void* b) {
        handle.apply_with(type, a, x_at, b, y_at, given);
    });
}

void Operands::apply(const BatchHandle& handle, const void* x_at, void* y_at) const {
    with_scalars(*this,
                 [&](const void* a, const void* b) { handle.apply(type, a, x_at, b, y_at); });
}

void Operands::reset(Buffer& to) const {
    if (to.bytes() == 0) return;
    if (beta == 0.0)
        std::memset(to.data(), 0xff, to.bytes());
    else
        std::memcpy(to.data(), y_before.data(), to.bytes());
}

void Operands::tell(const Info& info) {
    accumulator = parse_value_type(info.accumulator);
    in_steps = adds_in_steps(info.kernel);
}

CheckResult Operands::check(const CsrMatrix& matrix, const Buffer& result, std::int64_t x_first,
                            std::int64_t y_first) const {
    CheckResult check;
    const auto from = [&](const Buffer& vector, std::int64_t first) -> const void* {
        if (vector.data() == nullptr) return nullptr;
        return static_cast<const std::byte*>(vector.data()) +
               static_cast<std::size_t>(first) * size_of(type);
    };
    with_scalars(*this, [&](const void* a, const void* b) {
        check = check_product(matrix.view(),
                              {.alpha = a,
                               .x = from(x, x_first),
                               .beta = b,
                               .y_before = from(y_before, y_first),
                               .y_after = from(result, y_first),
                               .num_rhs = num_rhs,
                               .vectors = type,
                               .accumulator = accumulator,
                               .in_steps = in_steps},
                              op);
    });
    return check;
}

Operands in_order(const Operands& p, std::span<const std::int32_t> order) {
    const auto gathered = [&](const Buffer& from) {
        Buffer to(from.bytes());
        if (from.bytes() > 0) gather_rows(p.type, order, p.num_rhs, from.data(), to.data(), 1);
        return to;
    };
    Operands result{.type = p.type,
                    .num_rhs = p.num_rhs,
                    .layout = p.layout,
                    .alpha = p.alpha,
                    .beta = p.beta,
                    .x = gathered(p.x),
                    .y_before = gathered(p.y_before),
                    .y = Buffer(p.y.bytes())};
    result.reset(result.y);
    return result;
}

Buffer out_of_order(const Operands& p, std::span<const std::int32_t> order, const Buffer& y) {
    Buffer result(y.bytes());
    dispatch(p.type, [&](auto tag) {
        const decltype(tag) one(1), zero(0);
        scatter_rows(p.type, order, p.num_rhs, &one, y.data(), &zero, result.data(), 1);
    });
    return result;
}

PlacedOperands::PlacedOperands(const Operands& operands, std::shared_ptr<Device> device)
    : operands_(operands), device_(std::move(device)), y_(operands.y.bytes()) {
    if (by_columns())
        x_by_columns_ = transposed(operands.type, operands.x, length_of(operands, operands.x));
    if (device_ != nullptr) {
        x_on_device_ = device_->allocate(operands.x.bytes());
        y_on_device_ = device_->allocate(y_.bytes());
        device_->copy_to_device(x_on_device_->data(), laid_out_x().data(), operands.x.bytes());
    }
    reset();
}

void PlacedOperands::reset() {
    operands_.reset(y_);
    if (by_columns()) y_ = transposed(operands_.type, y_, length_of(operands_, y_));
    if (device_ != nullptr) device_->copy_to_device(y_on_device_->data(), y_.data(), y_.bytes());
}

void PlacedOperands::finish() {
    if (device_ != nullptr) device_->synchronize({});
}

Buffer PlacedOperands::result() const {
    Buffer y(y_.bytes());
    if (device_ != nullptr)
        device_->copy_to_host(y.data(), y_on_device_->data(), y.bytes());
    else if (y.bytes() > 0)
        std::memcpy(y.data(), y_.data(), y.bytes());
    // By columns it has a row for each vector.
    return by_columns() ? transposed(operands_.type, y, operands_.num_rhs) : std::move(y);
}

Operands make_operands(const ProductOptions& o, const CsrMatrix& matrix) {
    Operands p;
    p.type = o.vectors.empty() ? matrix.value_type : parse_value_type(o.vectors);
    p.num_rhs = o.num_rhs;
    p.layout = o.layout == "column" ? VectorLayout::column : VectorLayout::row;
    p.op = o.op;
    const std::int64_t x_rows = is_transposed(o.op) ? matrix.rows : matrix.cols;
    const std::int64_t y_rows = is_transposed(o.op) ? matrix.cols : matrix.rows;
    p.alpha = parse_number("--alpha", o.alpha, p.type);
    p.beta = parse_number("--beta", o.beta, p.type);
    if (p.beta == 0.0 && !o.y_path.empty())
        throw UsageError("--y: with --beta 0 the initial y is not read; drop --y or give --beta");
    // y is there three times: as it was, where it is made, and as it is given back.
    check_vectors_fit(p.type, static_cast<double>(x_rows) * o.num_rhs,
                      static_cast<double>(y_rows) * o.num_rhs, p.beta != 0.0 ? 4 : 3);
    p.x = vector_for(o.x_path, p.type, x_rows, o.num_rhs, 1);
    if (p.beta != 0.0) p.y_before = vector_for(o.y_path, p.type, y_rows, o.num_rhs, 2);
    p.y = Buffer(static_cast<std::size_t>(y_rows * o.num_rhs) * size_of(p.type));
    p.reset(p.y);
    return p;
}

namespace {

CsrMatrix generated(const std::string& specification) {
    try {
        return make_gallery_matrix(specification);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::invalid_argument) throw;
        throw UsageError(error.what());
    }
}

CapturedMatrix captured_in(const std::string& file) {
    CaptureList list = read_captures(file);
    if (list.captures.empty()) throw Error(ErrorCode::invalid_input, list.warnings.at(0));
    return std::move(list.captures[0]);
}

void widen_columns(CsrMatrix& matrix) {
    Buffer wide = make_buffer<std::int64_t>(matrix.nnz);
    const auto from = matrix.col_idx.as<std::int32_t>();
    const auto to = wide.as<std::int64_t>();
#pragma omp parallel for schedule(static)
    for (std::int64_t k = 0; k < matrix.nnz; ++k)
        to[static_cast<std::size_t>(k)] = from[static_cast<std::size_t>(k)];
    matrix.col_idx = std::move(wide);
    matrix.index_type = IndexType::i64;
}

}  // namespace

SourcedMatrix load_matrix(const std::string& name) {
    constexpr std::string_view prefix = "gallery:";
    const auto start = std::chrono::steady_clock::now();
    SourcedMatrix source;
    source.name = name;
    if (name.starts_with(prefix)) {
        source.matrix = generated(name.substr(prefix.size()));
    } else if (is_capture_name(name)) {
        CapturedMatrix captured = captured_in(name);
        source.matrix = load_pattern(captured);
        source.captured = std::move(captured.capture);
    } else {
        FileHeader header;
        source.matrix = read_matrix(name, &header);
        source.header = header;
    }
    source.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return source;
}

void convert_types(const std::string& value, const std::string& index_name, CsrMatrix& matrix) {
    if (!value.empty()) {
        const ValueType type = parse_computed_type("--value", value);
        if (type != matrix.value_type)
            matrix = resolve("--value", [&] { return convert_values(matrix.view(), type); });
    }
    if (index_name.empty()) return;
    const IndexType index = resolve("--index", [&] { return parse_index_type(index_name); });
    if (index == IndexType::i64 && matrix.index_type == IndexType::i32) widen_columns(matrix);
    if (index == IndexType::i32 && matrix.index_type == IndexType::i64)
        throw UsageError("--index: i32 is too narrow for " + std::to_string(matrix.cols) +
                         " columns; use i64");
}

}  // namespace spmvgen::cli
