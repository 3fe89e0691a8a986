#pragma once
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

namespace spmvgen_python {

/// Where the elements of an array are.
enum class Place {
    host,
    dlpack_gpu,  ///< memory of a GPU, as DLPack says
    cuda_array   ///< what __cuda_array_interface__ points to
};

/// The elements of somebody's array, held as long as the object lives: contiguous, in C's order, of
/// a type that spmvgen knows. Nothing is copied. Made and destroyed with the GIL held.
class Buffer {
  public:
    /// Of an object that has Python's buffer protocol, __cuda_array_interface__ or DLPack. `name`
    /// is what errors call it. Throws a ValueError where the array is not contiguous or must not be
    /// written to, a TypeError where it is no array or one of another type.
    Buffer(nanobind::handle object, const char* name, bool writable);
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer();

    void* data() const { return data_; }
    std::size_t size() const { return size_; }   ///< elements
    std::int32_t type() const { return type_; }  ///< SPMVGEN_F32 …, SPMVGEN_I32 …
    Place place() const { return place_; }

  private:
    bool take_buffer(nanobind::handle object, const char* name, bool writable);
    bool take_cuda_array(nanobind::handle object, const char* name, bool writable);
    bool take_dlpack(nanobind::handle object, const char* name, bool writable);

    Py_buffer view_{};
    nanobind::object owner_;
    void* data_ = nullptr;
    std::size_t size_ = 0;
    std::int32_t type_ = 0;
    Place place_ = Place::host;
};

/// "float64", as NumPy names the type SPMVGEN_F64.
const char* type_name(std::int32_t type);

}  // namespace spmvgen_python
