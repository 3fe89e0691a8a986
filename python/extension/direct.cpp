#include "direct.hpp"

#include <utility>

namespace nb = nanobind;

namespace spmvgen_python {

Direct::Direct(nb::object handle, nb::object vectors)
    : handle_object_(std::move(handle)),
      vectors_object_(std::move(vectors)),
      handle_(nb::cast<const Handle&>(handle_object_)),
      vectors_(nb::cast<const Vectors&>(vectors_object_)) {}

nb::object Direct::multiply(nb::handle x) const {
    void *from, *to;
    if (!vectors_.read(x, handle_.x_rows(), false, &from)) return nb::none();
    nb::object y = vectors_.make(x, handle_.y_rows(), &to);
    if (!y.is_none()) handle_.multiply(from, to, 1, 0, vectors_.stream(), 1);
    return y;
}

bool Direct::apply(nb::handle x, nb::handle out, double alpha, double beta,
                   nb::handle stream) const {
    void *from, *to;
    if (!vectors_.read(x, handle_.x_rows(), false, &from) ||
        !vectors_.read(out, handle_.y_rows(), true, &to))
        return false;
    const std::uintptr_t on =
        stream.is_none() ? vectors_.stream() : nb::cast<std::uintptr_t>(stream);
    handle_.multiply(from, to, alpha, beta, on, 1);
    return true;
}

}  // namespace spmvgen_python
