// Names and texts of the codes that the stand-in gives.
#include "world.hpp"

namespace spmvgen::standin {
namespace {

struct CodeRow {
    int code;
    const char* name;
    const char* text;
};
constexpr CodeRow codes[] = {
    {success, "SUCCESS", "no error"},
    {invalid_value, "INVALID_VALUE", "invalid argument"},
    {out_of_memory, "OUT_OF_MEMORY", "out of memory"},
    {not_initialized, "NOT_INITIALIZED", "initialization error"},
    {no_device, "NO_DEVICE", "no device is detected"},
    {invalid_device, "INVALID_DEVICE", "invalid device ordinal"},
    {invalid_image, "INVALID_IMAGE", "device kernel image is invalid"},
    {invalid_context, "INVALID_CONTEXT", "invalid device context"},
    {invalid_ptx, "INVALID_PTX", "a PTX JIT compilation failed"},
    {invalid_handle, "INVALID_HANDLE", "invalid resource handle"},
    {not_found, "NOT_FOUND", "named symbol not found"},
    {peers_unreachable, "PEER_ACCESS_UNSUPPORTED",
     "peer access is not supported between these two devices"},
    {peers_reached, "PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {launch_failure, "LAUNCH_FAILED", "unspecified launch failure"},
    {capture_unsupported, "STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
};

const CodeRow* row_of(int code) {
    for (auto& row : codes)
        if (row.code == code) return &row;
    return nullptr;
}

}  // namespace

const char* code_name(int code) {
    const CodeRow* row = row_of(code);
    return row != nullptr ? row->name : nullptr;
}
const char* code_text(int code) {
    const CodeRow* row = row_of(code);
    return row != nullptr ? row->text : nullptr;
}

}  // namespace spmvgen::standin
