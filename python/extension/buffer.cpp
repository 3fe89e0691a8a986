#include "buffer.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <spmvgen/spmvgen.h>

#include <string>
#include <string_view>

namespace nb = nanobind;

namespace spmvgen_python {
namespace {

[[noreturn]] void refuse_value(const std::string& message) {
    throw nb::value_error(message.c_str());
}
[[noreturn]] void refuse_type(const std::string& message) {
    throw nb::type_error(message.c_str());
}

[[noreturn]] void refuse_element_type(const char* name, const std::string& type) {
    refuse_type(std::string(name) + " has elements of type " + type +
                ": use float32, float64, complex64 or complex128, and int32 or int64 for indices");
}

/// Of kind f (real), c (complex) or i (signed); 0 = none that spmvgen knows.
std::int32_t element_type(char kind, std::size_t bytes) {
    if (kind == 'f') return bytes == 4 ? SPMVGEN_F32 : bytes == 8 ? SPMVGEN_F64 : 0;
    if (kind == 'c') return bytes == 8 ? SPMVGEN_C32 : bytes == 16 ? SPMVGEN_C64 : 0;
    if (kind == 'i') return bytes == 4 ? SPMVGEN_I32 : bytes == 8 ? SPMVGEN_I64 : 0;
    return 0;
}

/// The kind of a format of Python's module struct; 0 = another.
char kind_of_format(std::string_view format) {
    if (format.size() > 1 && (format[0] == '<' || format[0] == '=' || format[0] == '@'))
        format.remove_prefix(1);
    if (format == "d" || format == "f") return 'f';
    if (format == "Zd" || format == "Zf") return 'c';
    if (format == "i" || format == "l" || format == "q") return 'i';
    return 0;
}

/// Whether steps of these bytes between elements make a contiguous array in C's order.
bool is_contiguous(nb::handle strides, nb::handle shape, std::size_t bytes) {
    if (strides.is_none()) return true;
    std::int64_t expected = static_cast<std::int64_t>(bytes);
    for (std::size_t i = nb::len(shape); i-- > 0;) {
        const auto extent = nb::cast<std::int64_t>(shape[i]);
        if (extent > 1 && nb::cast<std::int64_t>(strides[i]) != expected) return false;
        expected *= extent;
    }
    return true;
}

[[noreturn]] void refuse_strides(const char* name) {
    refuse_value(std::string(name) +
                 " is not contiguous in C's order: give a contiguous copy, such as "
                 "numpy.ascontiguousarray makes");
}
[[noreturn]] void refuse_read_only(const char* name) {
    refuse_value(std::string(name) + " is read-only");
}

}  // namespace

const char* type_name(std::int32_t type) {
    switch (type) {
        case SPMVGEN_F32:
            return "float32";
        case SPMVGEN_F64:
            return "float64";
        case SPMVGEN_C32:
            return "complex64";
        case SPMVGEN_C64:
            return "complex128";
        case SPMVGEN_I32:
            return "int32";
        default:
            return "int64";
    }
}

Buffer::Buffer(nb::handle object, const char* name, bool writable) {
    // CuPy's arrays have the buffer protocol too, and refuse it where the host cannot read them.
    if (!take_cuda_array(object, name, writable) && !take_buffer(object, name, writable) &&
        !take_dlpack(object, name, writable))
        refuse_type(std::string(name) +
                    " is no array: " + nb::cast<std::string>(object.type().attr("__name__")) +
                    " has neither the buffer protocol, nor __cuda_array_interface__, nor DLPack");
}

Buffer::~Buffer() {
    if (view_.obj != nullptr) PyBuffer_Release(&view_);
}

bool Buffer::take_buffer(nb::handle object, const char* name, bool writable) {
    if (!PyObject_CheckBuffer(object.ptr())) return false;
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_STRIDES | PyBUF_FORMAT) != 0)
        throw nb::python_error();
    const char* format = view_.format != nullptr ? view_.format : "B";
    type_ = element_type(kind_of_format(format), static_cast<std::size_t>(view_.itemsize));
    std::string trouble;
    const bool contiguous = PyBuffer_IsContiguous(&view_, 'C') != 0;
    const bool read_only = writable && view_.readonly != 0;
    if (type_ == 0 || !contiguous || read_only) {
        trouble = format;
        PyBuffer_Release(&view_);
        view_ = {};
        if (type_ == 0) refuse_element_type(name, "'" + trouble + "'");
        if (!contiguous) refuse_strides(name);
        refuse_read_only(name);
    }
    data_ = view_.buf;
    size_ = static_cast<std::size_t>(view_.len / view_.itemsize);
    return true;
}

bool Buffer::take_cuda_array(nb::handle object, const char* name, bool writable) {
    const nb::object found = nb::getattr(object, "__cuda_array_interface__", nb::none());
    if (found.is_none()) return false;
    const auto array = nb::cast<nb::dict>(found);
    const auto type = nb::cast<std::string>(array["typestr"]);
    const std::size_t bytes = type.size() > 2 ? std::stoul(type.substr(2)) : 0;
    type_ = type[0] == '>' ? 0 : element_type(type.size() > 2 ? type[1] : '?', bytes);
    if (type_ == 0) refuse_element_type(name, "'" + type + "'");
    if (array.contains("mask") && !array["mask"].is_none())
        refuse_value(std::string(name) + " has a mask");
    const nb::object shape = array["shape"];
    if (array.contains("strides") && !is_contiguous(array["strides"], shape, bytes))
        refuse_strides(name);
    const nb::object place = array["data"];
    if (writable && nb::cast<bool>(place[1])) refuse_read_only(name);
    data_ = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(place[0]));
    size_ = 1;
    for (const nb::handle extent : shape) size_ *= nb::cast<std::size_t>(extent);
    place_ = Place::cuda_array;
    owner_ = nb::borrow(object);
    return true;
}

bool Buffer::take_dlpack(nb::handle object, const char* name, bool writable) {
    nb::ndarray<nb::ro> array;
    if (!nb::hasattr(object, "__dlpack__") || !nb::try_cast(object, array)) return false;
    const nb::dlpack::dtype type = array.dtype();
    using Code = nb::dlpack::dtype_code;
    const auto is = [&](Code code) { return type.code == static_cast<std::uint8_t>(code); };
    const char kind = is(Code::Float) ? 'f' : is(Code::Complex) ? 'c' : is(Code::Int) ? 'i' : '\0';
    type_ = type.lanes == 1 ? element_type(kind, type.bits / 8u) : 0;
    if (type_ == 0)
        refuse_element_type(
            name, "DLPack " + std::to_string(type.code) + ":" + std::to_string(type.bits));
    std::int64_t expected = 1;
    for (std::size_t i = array.ndim(); i-- > 0;) {
        const auto extent = static_cast<std::int64_t>(array.shape(i));
        if (extent > 1 && array.stride(i) != expected) refuse_strides(name);
        expected *= extent;
    }
    nb::ndarray<> to_write;
    if (writable && !nb::try_cast(object, to_write)) refuse_read_only(name);
    data_ = const_cast<void*>(static_cast<const void*>(array.data()));
    size_ = array.size();
    const bool on_host = array.device_type() == nb::device::cpu::value ||
                         array.device_type() == nb::device::cuda_host::value;
    place_ = on_host ? Place::host : Place::dlpack_gpu;
    owner_ = nb::cast(array, nb::rv_policy::reference);
    return true;
}

}  // namespace spmvgen_python
