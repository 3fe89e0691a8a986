#pragma once
#include <cstddef>
#include <string>

#include "devices/simt/abi.h"

namespace spmvgen {

/// The shared memory of the blocks that one operating system thread runs, one after another. It
/// lies in the kernel's thread-local storage.
class SharedMemory {
  public:
    /// What uninitialised bytes hold: a NaN in every floating-point type, -1 in integers.
    static constexpr unsigned char poison_byte = 0xff;

    /// Finds the memory of `kernel` in the calling thread, which must have been attached.
    void attach(const spmvgen_simt_kernel& kernel, std::size_t dynamic_bytes);

    /// Before a block: no byte keeps what the block before left there. Static shared memory only
    /// where the kernel owns its module.
    void poison() const;

    /// After a block: "" or what is wrong with how the memory was used.
    std::string check() const;

    /// After a block: takes back what poison() told AddressSanitizer.
    void release() const;

  private:
    std::byte* module_ = nullptr;  ///< thread-local storage of the module
    std::size_t module_bytes_ = 0;
    std::byte* dynamic_ = nullptr;
    std::size_t dynamic_bytes_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace spmvgen
