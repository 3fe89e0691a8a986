#include "vectors.hpp"

#include <utility>

namespace nb = nanobind;

namespace spmvgen_python {
namespace {

/// What Python gave, or its exception.
nb::object taken(PyObject* object) {
    if (object == nullptr) throw nb::python_error();
    return nb::steal(object);
}

std::int64_t number(nb::handle object) {
    const long long found = PyLong_AsLongLong(object.ptr());
    if (found == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return found;
}

void* address(nb::handle object) {
    void* const found = PyLong_AsVoidPtr(object.ptr());
    if (found == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
    return found;
}

/// Whether this is a tuple of that one number.
bool is_only(nb::handle tuple, std::int64_t value) {
    return PyTuple_Check(tuple.ptr()) && PyTuple_Size(tuple.ptr()) == 1 &&
           number(PyTuple_GetItem(tuple.ptr(), 0)) == value;
}

}  // namespace

Vectors::Name::Name(const char* text) : text_(taken(PyUnicode_InternFromString(text))) {}

nb::object Vectors::Name::of(nb::handle object) const {
    return taken(PyObject_GetAttr(object.ptr(), text_.ptr()));
}

nb::object Vectors::Name::call(nb::handle object) const {
    PyObject* arguments[] = {object.ptr()};
    return taken(PyObject_VectorcallMethod(text_.ptr(), arguments, 1, nullptr));
}

nb::object Vectors::Name::call(nb::handle object, nb::handle argument) const {
    PyObject* arguments[] = {object.ptr(), argument.ptr()};
    return taken(PyObject_VectorcallMethod(text_.ptr(), arguments, 2, nullptr));
}

Vectors::Vectors(nb::object dtype) : dtype_(std::move(dtype)) {}

bool Vectors::read(nb::handle x, std::int64_t size, bool writable, void** data) const {
    try {
        return read_right(x, size, writable, data);
    } catch (const nb::python_error&) {
        return false;  // the protocols say what is wrong with it
    }
}

bool Vectors::has_type_and_size(nb::handle x, std::int64_t size) const {
    return dtype_name_.of(x).is(dtype_) && is_only(shape_.of(x), size);
}

TorchVectors::TorchVectors(nb::object dtype, int device, nb::object current_stream)
    : Vectors(std::move(dtype)),
      device_(device),
      is_complex_(nb::cast<bool>(dtype_.attr("is_complex"))),
      device_number_(nb::int_(device)),
      current_stream_(std::move(current_stream)) {}

bool TorchVectors::is_here(nb::handle x) const {
    if (device_ < 0) return is_cpu_.of(x).ptr() == Py_True;
    return is_cuda_.of(x).ptr() == Py_True && number(get_device_.call(x)) == device_;
}

bool TorchVectors::read_right(nb::handle x, std::int64_t size, bool writable, void** data) const {
    if (!has_type_and_size(x, size) || !is_here(x) || is_contiguous_.call(x).ptr() != Py_True)
        return false;
    // Signs that are not in the memory yet.
    if (is_neg_.call(x).ptr() != Py_False) return false;
    if (is_complex_ && is_conj_.call(x).ptr() != Py_False) return false;
    if (writable && requires_grad_.of(x).ptr() != Py_False) return false;
    *data = address(data_ptr_.call(x));
    return true;
}

nb::object TorchVectors::make(nb::handle like, std::int64_t size, void** data) const {
    nb::object made = new_empty_.call(like, nb::int_(size));
    *data = address(data_ptr_.call(made));
    return made;
}

std::uintptr_t TorchVectors::stream() const {
    if (device_ < 0) return 0;
    PyObject* arguments[] = {device_number_.ptr()};
    return reinterpret_cast<std::uintptr_t>(
        address(taken(PyObject_Vectorcall(current_stream_.ptr(), arguments, 1, nullptr))));
}

CuPyVectors::CuPyVectors(nb::object dtype, int device, nb::object empty, nb::object current_stream)
    : Vectors(std::move(dtype)),
      device_(device),
      element_bytes_(number(dtype_.attr("itemsize"))),
      empty_(std::move(empty)),
      current_stream_(std::move(current_stream)) {}

bool CuPyVectors::read_right(nb::handle x, std::int64_t size, bool, void** data) const {
    if (!has_type_and_size(x, size)) return false;
    if (size > 1 && !is_only(strides_.of(x), element_bytes_)) return false;
    const nb::object memory = data_.of(x);
    if (number(device_id_.of(memory)) != device_) return false;
    *data = address(ptr_.of(memory));
    return true;
}

nb::object CuPyVectors::make(nb::handle, std::int64_t size, void** data) const {
    const nb::int_ elements(size);
    PyObject* arguments[] = {elements.ptr(), dtype_.ptr()};
    nb::object made = taken(PyObject_Vectorcall(empty_.ptr(), arguments, 2, nullptr));
    return read(made, size, true, data) ? made : nb::none();
}

std::uintptr_t CuPyVectors::stream() const {
    const nb::object current =
        taken(PyObject_Vectorcall(current_stream_.ptr(), nullptr, 0, nullptr));
    return reinterpret_cast<std::uintptr_t>(address(ptr_.of(current)));
}

}  // namespace spmvgen_python
