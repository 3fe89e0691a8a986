#include <memory>
#include <span>
#include <vector>

#include "c_abi/arguments.hpp"
#include "c_abi/status.hpp"

using namespace spmvgen::c_abi;

spmvgen_status spmvgen_create(const spmvgen_matrix* matrix, const spmvgen_options* options,
                              spmvgen_handle** handle) {
    return guarded(__func__, [&] {
        required(handle, "handle") = nullptr;
        const spmvgen_matrix given = sized_copy(matrix);
        const spmvgen::Options wanted = options != nullptr ? options->value : spmvgen::Options{};
        *handle = new spmvgen_handle{handle_of(given, wanted)};
    });
}

spmvgen_status spmvgen_create_pair(const spmvgen_matrix* matrix, const spmvgen_options* options,
                                   const char* transpose, spmvgen_handle** handle,
                                   spmvgen_handle** transposed) {
    return guarded(__func__, [&] {
        required(handle, "handle") = nullptr;
        required(transposed, "transposed") = nullptr;
        (void)required(transpose, "transpose");
        const spmvgen_matrix given = sized_copy(matrix);
        const spmvgen::Options wanted = options != nullptr ? options->value : spmvgen::Options{};
        auto pair = pair_of(given, wanted, transpose);
        auto first = std::make_unique<spmvgen_handle>(std::move(pair.product));
        *transposed = new spmvgen_handle{std::move(pair.transposed)};
        *handle = first.release();
    });
}

spmvgen_status spmvgen_apply(const spmvgen_handle* handle, int32_t type, const void* alpha,
                             const void* x, const void* beta, void* y, void* stream) {
    return guarded(__func__, [&] {
        required(handle, "handle")
            .value.apply(value_type(type, "type"), alpha, x, beta, y, {stream});
    });
}

spmvgen_status spmvgen_apply_out_of_place(const spmvgen_handle* handle, int32_t type,
                                          const void* alpha, const void* x, const void* beta,
                                          const void* y, void* z, void* stream) {
    return guarded(__func__, [&] {
        required(handle, "handle")
            .value.apply_out_of_place(value_type(type, "type"), alpha, x, beta, y, z, {stream});
    });
}

spmvgen_status spmvgen_apply_device_scalars(const spmvgen_handle* handle, int32_t type,
                                            const void* alpha, const void* x, const void* beta,
                                            void* y, void* stream) {
    return guarded(__func__, [&] {
        required(handle, "handle")
            .value.apply_device_scalars(value_type(type, "type"), alpha, x, beta, y, {stream});
    });
}

spmvgen_status spmvgen_epilogue_operands(const char* epilogue, char* buffer, size_t size,
                                         size_t* needed) {
    return guarded(__func__, [&] {
        std::string lines;
        for (auto& [name, role] : spmvgen::parse_epilogue(&required(epilogue, "epilogue")).names)
            lines += name + " " + to_string(role) + "\n";
        put_text(lines, buffer, size, needed);
    });
}

spmvgen_status spmvgen_apply_with(const spmvgen_handle* handle, int32_t type, const void* alpha,
                                  const void* x, const void* beta, void* y,
                                  const spmvgen_operand* operands, size_t count, void* stream) {
    return guarded(__func__, [&] {
        const spmvgen::ValueType of_vectors = value_type(type, "type");
        if (count > 0) (void)required(operands, "operands");
        std::vector<spmvgen::EpilogueOperand> named;
        for (const spmvgen_operand& o : std::span(operands, count))
            named.emplace_back(&required(o.name, "operands.name"), of_vectors, o.data, true);
        required(handle, "handle").value.apply_with(of_vectors, alpha, x, beta, y, named, {stream});
    });
}

spmvgen_status spmvgen_apply_many(const spmvgen_handle* handle, int32_t type, int64_t k,
                                  const void* alpha, const void* x, int64_t ldx, int32_t x_layout,
                                  const void* beta, void* y, int64_t ldy, int32_t y_layout,
                                  void* stream) {
    return guarded(__func__, [&] {
        required(handle, "handle")
            .value.apply_many(value_type(type, "type"), k, alpha,
                              {x, ldx, vector_layout(x_layout, "x_layout")}, beta,
                              {y, ldy, vector_layout(y_layout, "y_layout")}, {stream});
    });
}

spmvgen_status spmvgen_prepare(const spmvgen_handle* handle, int32_t alpha, int32_t beta,
                               void* stream) {
    return guarded(__func__, [&] {
        required(handle, "handle")
            .value.prepare(scale(alpha, "alpha"), scale(beta, "beta"), {stream});
    });
}

spmvgen_status spmvgen_workspace_bytes(const spmvgen_handle* handle, int32_t alpha, int32_t beta,
                                       size_t* bytes) {
    return guarded(__func__, [&] {
        required(bytes, "bytes") = 0;
        *bytes = required(handle, "handle")
                     .value.workspace_bytes(scale(alpha, "alpha"), scale(beta, "beta"));
    });
}

spmvgen_status spmvgen_apply_with_workspace(const spmvgen_handle* handle, int32_t type,
                                            const void* alpha, const void* x, const void* beta,
                                            void* y, void* stream, void* workspace, size_t bytes) {
    return guarded(__func__, [&] {
        required(handle, "handle")
            .value.apply(value_type(type, "type"), alpha, x, beta, y, {stream}, {workspace, bytes});
    });
}

spmvgen_status spmvgen_update_values(spmvgen_handle* handle, int32_t type, const void* values,
                                     void* stream) {
    return guarded(__func__, [&] {
        required(handle, "handle").value.update_values(value_type(type, "type"), values, {stream});
    });
}

spmvgen_status spmvgen_info(const spmvgen_handle* handle, char* buffer, size_t size,
                            size_t* needed) {
    return guarded(
        __func__, [&] { put_info(required(handle, "handle").value.info(), buffer, size, needed); });
}

spmvgen_status spmvgen_info_field(const spmvgen_handle* handle, const char* name, char* buffer,
                                  size_t size, size_t* needed) {
    return guarded(__func__, [&] {
        put_info_field(required(handle, "handle").value.info(), name, buffer, size, needed);
    });
}

spmvgen_status spmvgen_source(const spmvgen_handle* handle, char* buffer, size_t size,
                              size_t* needed) {
    return guarded(__func__, [&] {
        put_text(required(handle, "handle").value.source(), buffer, size, needed);
    });
}

spmvgen_status spmvgen_row_order(const spmvgen_handle* handle, const int32_t** order,
                                 int64_t* count) {
    return guarded(__func__, [&] {
        required(order, "order") = nullptr;
        required(count, "count") = 0;
        const auto rows = required(handle, "handle").value.row_order();
        if (rows.empty()) return;
        *order = rows.data();
        *count = static_cast<int64_t>(rows.size());
    });
}

void spmvgen_destroy(spmvgen_handle* handle) {
    delete handle;
}
