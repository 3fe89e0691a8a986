#pragma once
#include <nanobind/nanobind.h>
#include <spmvgen/spmvgen.h>

namespace spmvgen_python {

/// Nothing for SPMVGEN_OK, else an exception with the library's own text: ValueError for what is
/// wrong with a call or an input, MemoryError, OSError for the system or a GPU's driver,
/// NotImplementedError (a RuntimeError) for what this machine cannot do, else RuntimeError. Called
/// with the GIL held, by the thread whose call failed.
inline void check(spmvgen_status status) {
    if (status == SPMVGEN_OK) return;
    PyObject* type = PyExc_RuntimeError;
    if (status == SPMVGEN_INVALID_ARGUMENT || status == SPMVGEN_INVALID_INPUT)
        type = PyExc_ValueError;
    else if (status == SPMVGEN_OUT_OF_MEMORY)
        type = PyExc_MemoryError;
    else if (status == SPMVGEN_IO)
        type = PyExc_OSError;
    else if (status == SPMVGEN_UNSUPPORTED)
        type = PyExc_NotImplementedError;
    PyErr_SetString(type, spmvgen_last_error());
    throw nanobind::python_error();
}

}  // namespace spmvgen_python
