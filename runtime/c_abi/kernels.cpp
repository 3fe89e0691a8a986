#include "spmvgen/kernels.hpp"

#include <memory>

#include "c_abi/arguments.hpp"
#include "c_abi/status.hpp"

using namespace spmvgen::c_abi;

spmvgen_status spmvgen_export_kernels(spmvgen_blob** blob) {
    return guarded(__func__, [&] {
        required(blob, "blob") = nullptr;
        *blob = new spmvgen_blob{spmvgen::export_kernels()};
    });
}

spmvgen_status spmvgen_import_kernels(const void* data, size_t size, int64_t* accepted,
                                      int64_t* rejected, spmvgen_blob** reasons) {
    return guarded(__func__, [&] {
        if (accepted != nullptr) *accepted = 0;
        if (rejected != nullptr) *rejected = 0;
        if (reasons != nullptr) *reasons = nullptr;
        auto lines = std::make_unique<spmvgen_blob>();
        const spmvgen::ImportReport report =
            spmvgen::import_kernels({&required(static_cast<const char*>(data), "data"), size});
        for (auto& reason : report.reasons) lines->bytes += reason + "\n";
        if (accepted != nullptr) *accepted = report.accepted;
        if (rejected != nullptr) *rejected = report.rejected;
        if (reasons != nullptr) *reasons = lines.release();
    });
}

const char* spmvgen_blob_data(const spmvgen_blob* blob) {
    return blob != nullptr ? blob->bytes.c_str() : nullptr;
}

size_t spmvgen_blob_size(const spmvgen_blob* blob) {
    return blob != nullptr ? blob->bytes.size() : 0;
}

void spmvgen_blob_destroy(spmvgen_blob* blob) {
    delete blob;
}
