#include <fmt/format.h>

#include <cstdint>
#include <span>

#include "c_abi/arguments.hpp"
#include "c_abi/status.hpp"
#include "kernel/refuse.hpp"
#include "spmvgen/distributed.hpp"

using namespace spmvgen::c_abi;

struct spmvgen_list {
    spmvgen::ListedElements value;
};

spmvgen_status spmvgen_list_create(int32_t type, const int32_t* list, int64_t count,
                                   const spmvgen_options* options, spmvgen_list** made) {
    return guarded(__func__, [&] {
        required(made, "made") = nullptr;
        if (count < 0) spmvgen::refuse(fmt::format("count is {}: use 0 or more", count));
        if (count > PTRDIFF_MAX / static_cast<std::int64_t>(sizeof *list))
            spmvgen::refuse(fmt::format("count is {}: the list is larger than any memory", count));
        if (count > 0) (void)required(list, "list");
        const spmvgen::Options wanted = options != nullptr ? options->value : spmvgen::Options{};
        *made = new spmvgen_list{spmvgen::ListedElements(
            value_type(type, "type"), std::span(list, static_cast<size_t>(count)), wanted)};
    });
}

spmvgen_status spmvgen_list_gather(const spmvgen_list* list, int32_t type, const void* x,
                                   void* packed, void* stream) {
    return guarded(__func__, [&] {
        required(list, "list").value.gather(value_type(type, "type"), x, packed, {stream});
    });
}

spmvgen_status spmvgen_list_scatter(const spmvgen_list* list, int32_t type, const void* packed,
                                    void* y, void* stream) {
    return guarded(__func__, [&] {
        required(list, "list").value.scatter(value_type(type, "type"), packed, y, {stream});
    });
}

spmvgen_status spmvgen_list_add(const spmvgen_list* list, int32_t type, const void* packed, void* y,
                                void* stream) {
    return guarded(__func__, [&] {
        required(list, "list").value.add(value_type(type, "type"), packed, y, {stream});
    });
}

void spmvgen_list_destroy(spmvgen_list* list) {
    delete list;
}

spmvgen_status spmvgen_enable_peer_access(const char* device, const char* other, int32_t* can) {
    return guarded(__func__, [&] {
        required(can, "can") = 0;
        *can = spmvgen::enable_peer_access(&required(device, "device"), &required(other, "other"));
    });
}
