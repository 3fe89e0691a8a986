#pragma once
#include <nanobind/nanobind.h>

#include "handle.hpp"
#include "vectors.hpp"

namespace spmvgen_python {

/// Products of a handle with vectors of one kind, each one short call. What is not such a vector is
/// left to Handle::apply, which takes any, and says what is wrong. Any number of threads may call.
class Direct {
  public:
    /// Keeps both: a Handle and Vectors.
    Direct(nanobind::object handle, nanobind::object vectors);

    /// A x on the current stream, a new vector; None where x is not such a vector.
    nanobind::object multiply(nanobind::handle x) const;
    /// out = alpha A x + beta out; false, and nothing done, where x or out is not such a vector.
    /// stream: its number; None = the current one.
    bool apply(nanobind::handle x, nanobind::handle out, double alpha, double beta,
               nanobind::handle stream) const;

  private:
    nanobind::object handle_object_, vectors_object_;
    const Handle& handle_;
    const Vectors& vectors_;
};

}  // namespace spmvgen_python
