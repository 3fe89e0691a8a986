#pragma once
#include "spmvgen/spmvgen.h"

namespace spmvgen::c_abi {

/// Turns the exception that is being handled into a status; its message becomes the thread's last
/// error. `call` is the function of spmvgen.h.
spmvgen_status failure(const char* call) noexcept;

/// Calls `work`, which may throw. Allocates nothing by itself.
template <typename Work>
spmvgen_status guarded(const char* call, Work&& work) noexcept {
    try {
        work();
        return SPMVGEN_OK;
    } catch (...) {
        return failure(call);
    }
}

}  // namespace spmvgen::c_abi
