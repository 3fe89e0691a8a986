#include "spmvgen/batch.hpp"

#include <fmt/format.h>

#include <vector>

#include "c_abi/arguments.hpp"
#include "c_abi/status.hpp"
#include "kernel/refuse.hpp"

using namespace spmvgen::c_abi;

struct spmvgen_batch {
    spmvgen::BatchHandle value;
};

namespace {

using spmvgen::refuse;

spmvgen::BatchLayout layout_of(int32_t number) {
    if (number != SPMVGEN_CONCATENATED && number != SPMVGEN_INTERLEAVED)
        refuse(
            fmt::format("layout is {}: use SPMVGEN_CONCATENATED or SPMVGEN_INTERLEAVED", number));
    return number == SPMVGEN_CONCATENATED ? spmvgen::BatchLayout::concatenated
                                          : spmvgen::BatchLayout::interleaved;
}

/// The system at `address` of the caller's array, whose elements have the size of its first one.
spmvgen::CsrView system_at(const unsigned char* address, size_t stride, int64_t i) {
    const auto* matrix = reinterpret_cast<const spmvgen_matrix*>(address);
    try {
        if (matrix->struct_size != stride)
            refuse(fmt::format("matrix.struct_size is {}, but {} in system 0", matrix->struct_size,
                               stride));
        return csr_view_of(sized_copy(matrix), "batches take");
    } catch (const spmvgen::Error& error) {
        throw spmvgen::Error(error.code(), fmt::format("system {}: {}", i, error.what()));
    }
}

std::vector<spmvgen::CsrView> views_of(const spmvgen_matrix* systems, int64_t count) {
    if (count < 0) refuse(fmt::format("count is {}: use 0 or more", count));
    std::vector<spmvgen::CsrView> views;
    if (count == 0) return views;
    const size_t stride = required(systems, "systems").struct_size;
    const auto* bytes = reinterpret_cast<const unsigned char*>(systems);
    for (int64_t i = 0; i < count; ++i)
        views.push_back(system_at(bytes + static_cast<size_t>(i) * stride, stride, i));
    return views;
}

const spmvgen::BatchHandle& handle_of(const spmvgen_batch* batch) {
    return required(batch, "batch").value;
}

spmvgen::Options options_or_defaults(const spmvgen_options* options) {
    return options != nullptr ? options->value : spmvgen::Options{};
}

}  // namespace

spmvgen_status spmvgen_batch_create(const spmvgen_matrix* systems, int64_t count,
                                    const spmvgen_options* options, int32_t layout,
                                    spmvgen_batch** batch) {
    return guarded(__func__, [&] {
        required(batch, "batch") = nullptr;
        const spmvgen::BatchLayout wanted = layout_of(layout);
        const auto views = views_of(systems, count);
        *batch =
            new spmvgen_batch{spmvgen::BatchHandle(views, options_or_defaults(options), wanted)};
    });
}

spmvgen_status spmvgen_batch_create_repeated(const spmvgen_matrix* matrix, int64_t count,
                                             const spmvgen_options* options, int32_t layout,
                                             spmvgen_batch** batch) {
    return guarded(__func__, [&] {
        required(batch, "batch") = nullptr;
        const spmvgen::BatchLayout wanted = layout_of(layout);
        *batch =
            new spmvgen_batch{spmvgen::BatchHandle(csr_view_of(sized_copy(matrix), "batches take"),
                                                   count, options_or_defaults(options), wanted)};
    });
}

spmvgen_status spmvgen_batch_apply(const spmvgen_batch* batch, int32_t type, const void* alpha,
                                   const void* x, const void* beta, void* y, void* stream) {
    return guarded(__func__, [&] {
        handle_of(batch).apply(value_type(type, "type"), alpha, x, beta, y, {stream});
    });
}

spmvgen_status spmvgen_batch_prepare(const spmvgen_batch* batch, int32_t alpha, int32_t beta,
                                     void* stream) {
    return guarded(__func__, [&] {
        handle_of(batch).prepare(scale(alpha, "alpha"), scale(beta, "beta"), {stream});
    });
}

spmvgen_status spmvgen_batch_info(const spmvgen_batch* batch, char* buffer, size_t size,
                                  size_t* needed) {
    return guarded(__func__, [&] { put_info(handle_of(batch).info(), buffer, size, needed); });
}

spmvgen_status spmvgen_batch_info_field(const spmvgen_batch* batch, const char* name, char* buffer,
                                        size_t size, size_t* needed) {
    return guarded(__func__,
                   [&] { put_info_field(handle_of(batch).info(), name, buffer, size, needed); });
}

spmvgen_status spmvgen_batch_source(const spmvgen_batch* batch, char* buffer, size_t size,
                                    size_t* needed) {
    return guarded(__func__, [&] { put_text(handle_of(batch).source(), buffer, size, needed); });
}

spmvgen_status spmvgen_batch_sizes(const spmvgen_batch* batch, int64_t* systems, int64_t* x_size,
                                   int64_t* y_size) {
    return guarded(__func__, [&] {
        for (int64_t* out : {systems, x_size, y_size})
            if (out != nullptr) *out = 0;
        const auto& handle = handle_of(batch);
        if (systems != nullptr) *systems = handle.size();
        if (x_size != nullptr) *x_size = handle.x_size();
        if (y_size != nullptr) *y_size = handle.y_size();
    });
}

spmvgen_status spmvgen_batch_place_of(const spmvgen_batch* batch, int64_t system,
                                      spmvgen_batch_place* place) {
    return guarded(__func__, [&] {
        const size_t size = required(place, "place").struct_size;
        if (size != sizeof(spmvgen_batch_place))
            refuse(fmt::format("place.struct_size is {}: set it to sizeof(spmvgen_batch_place)",
                               size));
        const auto& handle = handle_of(batch);
        *place = {size, handle.x_offset(system), handle.x_stride(system), handle.y_offset(system),
                  handle.y_stride(system)};
    });
}

void spmvgen_batch_destroy(spmvgen_batch* batch) {
    delete batch;
}
