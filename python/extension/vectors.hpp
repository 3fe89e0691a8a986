#pragma once
#include <nanobind/nanobind.h>

#include <cstdint>

namespace spmvgen_python {

/// Vectors of one library, element type and device, read and made by the library's own attributes:
/// a tenth of the time that __cuda_array_interface__ or DLPack take. Called with the GIL held.
class Vectors {
  public:
    virtual ~Vectors() = default;
    /// Where the elements of x are, into `data`. False where x is not a contiguous vector of so
    /// many elements of this type on this device, or may not be written to.
    bool read(nanobind::handle x, std::int64_t size, bool writable, void** data) const;
    /// A vector that holds nothing yet, and where its elements are; `like` is one that was read.
    /// None where the library's current device is another.
    virtual nanobind::object make(nanobind::handle like, std::int64_t size, void** data) const = 0;
    /// The current stream of the device: its number.
    virtual std::uintptr_t stream() const = 0;

  protected:
    /// An attribute's name, made once.
    class Name {
      public:
        explicit Name(const char* text);
        nanobind::object of(nanobind::handle object) const;
        nanobind::object call(nanobind::handle object) const;
        nanobind::object call(nanobind::handle object, nanobind::handle argument) const;

      private:
        nanobind::object text_;
    };

    /// dtype: the library's, of which there is one object each.
    explicit Vectors(nanobind::object dtype);
    bool has_type_and_size(nanobind::handle x, std::int64_t size) const;
    const nanobind::object dtype_;

  private:
    /// As read; may throw what the attributes of x throw.
    virtual bool read_right(nanobind::handle x, std::int64_t size, bool writable,
                            void** data) const = 0;
    Name dtype_name_{"dtype"}, shape_{"shape"};
};

/// Those of PyTorch.
class TorchVectors : public Vectors {
  public:
    /// device: the number of a GPU, or -1 = the host. current_stream(device) is a stream's number.
    TorchVectors(nanobind::object dtype, int device, nanobind::object current_stream);
    nanobind::object make(nanobind::handle like, std::int64_t size, void** data) const override;
    std::uintptr_t stream() const override;

  private:
    bool read_right(nanobind::handle x, std::int64_t size, bool writable,
                    void** data) const override;
    bool is_here(nanobind::handle x) const;

    const int device_;
    const bool is_complex_;
    const nanobind::object device_number_, current_stream_;
    Name data_ptr_{"data_ptr"}, is_contiguous_{"is_contiguous"}, is_neg_{"is_neg"},
        is_conj_{"is_conj"}, is_cpu_{"is_cpu"}, is_cuda_{"is_cuda"}, get_device_{"get_device"},
        requires_grad_{"requires_grad"}, new_empty_{"new_empty"};
};

/// Those of CuPy.
class CuPyVectors : public Vectors {
  public:
    /// empty(size, dtype) makes an array on the current device; current_stream().ptr is a stream's
    /// number.
    CuPyVectors(nanobind::object dtype, int device, nanobind::object empty,
                nanobind::object current_stream);
    nanobind::object make(nanobind::handle like, std::int64_t size, void** data) const override;
    std::uintptr_t stream() const override;

  private:
    bool read_right(nanobind::handle x, std::int64_t size, bool writable,
                    void** data) const override;

    const int device_;
    const std::int64_t element_bytes_;
    const nanobind::object empty_, current_stream_;
    Name strides_{"strides"}, data_{"data"}, ptr_{"ptr"}, device_id_{"device_id"};
};

}  // namespace spmvgen_python
