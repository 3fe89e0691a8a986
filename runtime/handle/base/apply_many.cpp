#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "handle/base/apply_memory.hpp"
#include "handle/base/handle_impl.hpp"
#include "handle/base/vector_packer.hpp"
#include "kernel/refuse.hpp"
#include "matrix/csr_matrix.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// The numbers of vectors that kernels are made for, beside the planned one.
constexpr std::array widths{32, 16, 8, 4, 2, 1};

VectorSteps steps_of(std::int64_t ld, VectorLayout layout) {
    return layout == VectorLayout::row ? VectorSteps{ld, 1} : VectorSteps{1, ld};
}

VectorForm form_of(std::int64_t ld, VectorLayout layout, int width) {
    return layout == VectorLayout::column ? VectorForm::columns
           : ld == width                  ? VectorForm::dense
                                          : VectorForm::rows;
}

/// Elements from the first to behind the last. Throws when there is no such memory.
std::int64_t extent(const char* name, const VectorSteps& steps, std::int64_t rows, std::int64_t k,
                    std::size_t element) {
    if (rows == 0 || k == 0) return 0;
    constexpr double most = 0x1p62;
    const double bytes = (static_cast<double>(rows - 1) * static_cast<double>(steps.row_step) +
                          static_cast<double>(k - 1) * static_cast<double>(steps.rhs_step)) *
                         static_cast<double>(element);
    if (bytes >= most)
        refuse(fmt::format("apply_many: {} is larger than any memory: give a smaller ld{}", name,
                           name));
    return (rows - 1) * steps.row_step + (k - 1) * steps.rhs_step + 1;
}

void check_layout(const char* name, std::int64_t ld, VectorLayout layout, std::int64_t rows,
                  std::int64_t k) {
    const bool by_row = layout == VectorLayout::row;
    const std::int64_t least = by_row ? k : rows;
    if (ld < least)
        refuse(fmt::format("apply_many: ld{} is {}, but a {} of {} has {} numbers: use {} or more",
                           name, ld, by_row ? "row" : "column", name, least, least));
}

/// Whether the vectors are different columns of one array that is stored by rows.
bool are_columns_of_one(const ManyOperands& m, std::size_t element) {
    if (m.x.layout != VectorLayout::row || m.y.layout != VectorLayout::row || m.x.ld != m.y.ld)
        return false;
    const auto apart =
        static_cast<const std::byte*>(m.y.data) - static_cast<const std::byte*>(m.x.data);
    const auto size = static_cast<std::ptrdiff_t>(element);
    if (apart % size != 0) return false;
    const std::int64_t column = (apart / size % m.x.ld + m.x.ld) % m.x.ld;
    return column >= m.k && column <= m.x.ld - m.k;
}

/// Vectors from number `first` on.
PackedVectors from(const void* data, std::int64_t rows, const VectorSteps& steps,
                   std::int64_t first, ValueType type) {
    const auto bytes = first * steps.rhs_step * static_cast<std::int64_t>(size_of(type));
    return {.data = data != nullptr ? static_cast<const std::byte*>(data) + bytes : nullptr,
            .rows = rows,
            .steps = steps};
}

}  // namespace

void HandleImpl::check_many(ValueType type, const ManyOperands& m) const {
    check_type(type, "apply_many");
    if (!epilogue_.names.empty())
        refuse(
            "apply_many: the epilogue has operands, which are for one vector: use apply_with for "
            "one after another");
    if (m.k < 0) refuse(fmt::format("apply_many: k is {}: use 0 or more", m.k));
    if (m.alpha == nullptr || m.beta == nullptr) refuse("apply_many: α or β is null");
    check_layout("y", m.y.ld, m.y.layout, info_.rows, m.k);
    const std::size_t element = size_of(type);
    const auto y_count = extent("y", steps_of(m.y.ld, m.y.layout), info_.rows, m.k, element);
    if (y_count > 0 && m.y.data == nullptr) refuse("apply_many: y is null");
    if (info_.nnz == 0 || scale_of(type, m.alpha) == Scale::zero) return;
    check_layout("x", m.x.ld, m.x.layout, info_.cols, m.k);
    const auto x_count = extent("x", steps_of(m.x.ld, m.x.layout), info_.cols, m.k, element);
    if (x_count > 0 && m.x.data == nullptr) refuse("apply_many: x is null");
    if (overlap(m.x.data, static_cast<std::size_t>(x_count) * element, m.y.data,
                static_cast<std::size_t>(y_count) * element) &&
        !are_columns_of_one(m, element))
        refuse("apply_many: x and y overlap; use different arrays");
}

VectorPacker& HandleImpl::packer() {
    throw Error(ErrorCode::internal, "this handle takes no vectors in other layouts");
}

Signature HandleImpl::signature_for(const Signature& base, const ProductVectors& vectors,
                                    Scale alpha, Scale beta) const {
    Signature wanted = base;
    wanted.alpha = alpha;
    wanted.beta = beta;
    wanted.num_rhs = vectors.num_rhs;
    wanted.x_form = vectors.x;
    wanted.y_form = vectors.y;
    return vectors.num_rhs != num_rhs_ || !is_dense(vectors) ? complete(wanted) : wanted;
}

bool HandleImpl::offers(ValueType type, const Operands& o) {
    const ProductVectors vectors = vectors_of(o);
    if (vectors.num_rhs == num_rhs_ && is_dense(vectors)) return true;
    const std::uint64_t bit = std::uint64_t{1} << (vectors.num_rhs - 1);
    auto& refused = refused_widths_[static_cast<std::size_t>(vectors.x) * 3 +
                                    static_cast<std::size_t>(vectors.y)];
    if ((refused.load(std::memory_order_relaxed) & bit) != 0) return false;
    try {
        if (has_kernel(type, o)) return true;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::compile && error.code() != ErrorCode::invalid_argument)
            throw;
    }
    refused.fetch_or(bit, std::memory_order_relaxed);
    return false;
}

/// Whether a product reads x by columns, rather than packs it.
bool HandleImpl::columns_pay(ValueType type, int num_rhs) {
    const std::lock_guard lock(counting_);
    if (!x_gathers_) x_gathers_ = count_gathers(type);
    const double entries = static_cast<double>(info_.nnz) / static_cast<double>(info_.cols);
    return spmvgen::columns_pay(*x_gathers_, entries, size_of(type), num_rhs);
}

/// The forms that a product with all of its vectors, and more than one, takes them in.
ProductVectors HandleImpl::vectors_as_they_are(ValueType type, const ManyOperands& m, int width) {
    VectorForm x = form_of(m.x.ld, m.x.layout, width);
    if (x == VectorForm::columns && pack_ == PackVectors::automatic && !columns_pay(type, width))
        x = VectorForm::dense;
    return {width, x, form_of(m.y.ld, m.y.layout, width)};
}

/// Whether vectors that lie by columns, of a kernel that takes none so, are multiplied one by one:
/// that reads A for each, but packing them and Y writes and reads both once more.
bool HandleImpl::takes_one_by_one(ValueType type, const ManyOperands& m) const {
    constexpr double least = 8e6;  // bytes of a vector x and a y: with fewer launches take longer
    const double vectors = static_cast<double>(size_of(type)) *
                           (static_cast<double>(info_.cols) + static_cast<double>(info_.rows));
    return pack_ == PackVectors::automatic && !takes_forms() &&
           m.x.layout == VectorLayout::column && m.y.layout == VectorLayout::column &&
           vectors >= least && static_cast<double>(info_.matrix_bytes) < 2 * vectors;
}

/// The next product, where `left` vectors are left: of more than those, where one pass over A with
/// up to a quarter of zeros takes less than several.
ProductVectors HandleImpl::piece_of(ValueType type, const ManyOperands& m, std::int64_t left,
                                    bool may_stay) {
    const auto offered = [&](const ProductVectors& v) {
        return offers(type, {.alpha = m.alpha,
                             .x = nullptr,
                             .beta = m.beta,
                             .y = nullptr,
                             .workspace = nullptr,
                             .num_rhs = v.num_rhs,
                             .device_scalars = false,
                             .x_form = v.x,
                             .y_form = v.y});
    };
    const auto stays = [&](int width) -> std::optional<ProductVectors> {
        if (!may_stay || width == 1 || width > left) return {};
        const ProductVectors vectors = vectors_as_they_are(type, m, width);
        if (is_dense(vectors) || !offered(vectors)) return {};
        return vectors;
    };
    if (takes_one_by_one(type, m) && offered({1})) return {1};
    if (left == num_rhs_) return stays(num_rhs_).value_or(ProductVectors{num_rhs_});
    for (const int width : widths) {
        if (left < (width > 2 ? width - width / 4 : width)) continue;
        if (const auto vectors = stays(width)) return *vectors;
        if (offered({width})) return {width};
    }
    return {num_rhs_};
}

void HandleImpl::apply_many(ValueType type, const ManyOperands& m, Stream stream) {
    check_many(type, m);
    if (info_.rows == 0) return;  // else so many products of nothing, whatever k is
    const VectorSteps x = steps_of(m.x.ld, m.x.layout), y = steps_of(m.y.ld, m.y.layout);
    const bool reads_x = info_.nnz > 0 && scale_of(type, m.alpha) != Scale::zero;
    const bool reads_y = scale_of(type, m.beta) != Scale::zero || leaves_some_of_y();
    // y = βy is not a kernel's everywhere.
    const bool may_stay = pack_ != PackVectors::always && reads_x && takes_forms();
    for (std::int64_t first = 0; first < m.k;) {
        const ProductVectors vectors = piece_of(type, m, m.k - first, may_stay);
        const int width = vectors.num_rhs;
        const int columns = static_cast<int>(std::min<std::int64_t>(width, m.k - first));
        PackedProduct product{.type = type,
                              .width = width,
                              .columns = columns,
                              .x = from(m.x.data, info_.cols, x, first, type),
                              .y = from(m.y.data, info_.rows, y, first, type),
                              .reads_x = reads_x,
                              .reads_y = reads_y};
        product.x.form = vectors.x;
        product.y.form = vectors.y;
        packer().run(
            product,
            [&](const void* from_x, void* to_y) {
                apply(type,
                      {.alpha = m.alpha,
                       .x = from_x,
                       .beta = m.beta,
                       .y = to_y,
                       .workspace = nullptr,
                       .num_rhs = width,
                       .device_scalars = false,
                       .x_form = vectors.x,
                       .y_form = vectors.y,
                       .ld_x = product.x.ld(),
                       .ld_y = product.y.ld()},
                      stream);
            },
            stream);
        first += columns;
    }
}

void HandleImpl::apply_out_of_place(ValueType type, const Operands& o, void* z, Stream stream) {
    Operands in_place = o;
    in_place.y = z;
    check_type(type, "apply_out_of_place");
    if (o.beta == nullptr) refuse("apply_out_of_place: α or β is null");
    const std::int64_t count = info_.rows * num_rhs_;
    if (z != o.y && count > 0 && scale_of(type, o.beta) != Scale::zero) {
        const std::size_t bytes = static_cast<std::size_t>(count) * size_of(type);
        if (o.y == nullptr || z == nullptr)
            refuse(fmt::format("apply_out_of_place: {} is null, but has {} elements",
                               z == nullptr ? "z" : "y", count));
        if (overlap(o.y, bytes, z, bytes))
            refuse("apply_out_of_place: y and z overlap; use one array, or two");
        // What is wrong with x must be found before z is written to.
        (void)checked_modes(type, in_place);
        packer().copy(type, count, o.y, z, stream);
    }
    apply(type, in_place, stream);
}

void Handle::apply_out_of_place(ValueType type, const void* alpha, const void* x, const void* beta,
                                const void* y, void* z, Stream stream) const {
    impl().apply_out_of_place(type, {alpha, x, beta, const_cast<void*>(y)}, z, stream);
}

void Handle::apply_many(ValueType type, std::int64_t k, const void* alpha, const ConstVectors& x,
                        const void* beta, const Vectors& y, Stream stream) const {
    impl().apply_many(type, {k, alpha, x, beta, y}, stream);
}

}  // namespace spmvgen
