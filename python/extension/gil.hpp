#pragma once
#include <nanobind/nanobind.h>
#include <unistd.h>

namespace spmvgen_python {

/// Gives the GIL away as long as it lives.
class WithoutGil {
  public:
    WithoutGil() : state_(PyEval_SaveThread()) {}
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;
    ~WithoutGil() {
        try {
            PyEval_RestoreThread(state_);
        } catch (...) {
            // Of an interpreter that goes down. Until 3.14 it ends daemon threads here, unwinding
            // them as an exception does, which would abort the process. Later ones wait, too.
            for (;;) pause();
        }
    }

  private:
    PyThreadState* state_;
};

}  // namespace spmvgen_python
