#include "c_abi/arguments.hpp"
#include "c_abi/status.hpp"
#include "handle/info_json.hpp"

using namespace spmvgen::c_abi;

int32_t spmvgen_abi(void) {
    return SPMVGEN_ABI;
}

const char* spmvgen_version(void) {
    return spmvgen::version();
}

spmvgen_status spmvgen_counters(char* buffer, size_t size, size_t* needed) {
    return guarded(__func__, [&] {
        put_text(spmvgen::counters_json(spmvgen::kernel_counters()).dump(), buffer, size, needed);
    });
}

spmvgen_status spmvgen_counter(const char* name, double* value) {
    return guarded(__func__, [&] {
        required(value, "value") = 0;
        const auto json = spmvgen::counters_json(spmvgen::kernel_counters());
        *value = field_of(json, name).get<double>();
    });
}
