#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "devices/device.hpp"
#include "matrix/csr_matrix.hpp"

/// cuSPARSE's products through its generic API, for comparison. The library is found at run time;
/// its functions are declared here.
namespace spmvgen {

/// One way to multiply a matrix, ready on the device.
struct CuSparseProduct {
    std::string name;              ///< "csr_alg1_pre"
    std::int64_t bytes = 0;        ///< moved by one product, each array counted once
    double convert_ms = 0;         ///< making the format, upload, buffer and preprocessing
    std::function<void()> apply;   ///< y = Ax on the default stream; throws Error(io)
    std::shared_ptr<void> memory;  ///< what `apply` uses
};

/// For one thread.
class CuSparse {
  public:
    /// Throws Error(unsupported) when the library or a function of it is not found.
    explicit CuSparse(std::shared_ptr<Device> device);
    ~CuSparse();
    CuSparse(const CuSparse&) = delete;
    CuSparse& operator=(const CuSparse&) = delete;

    /// "12604", as cusparseGetVersion has it.
    int version() const;

    /// Names of all ways: csr_alg1, csr_alg1_pre, …, coo_alg1, …, sell32, bsr2 to bsr4.
    static const std::vector<std::string>& ways();

    /// x and y are device pointers of the matrix's value type. Throws Error(unsupported) when the
    /// format does not suit the matrix (much padding), Error(io) when cuSPARSE or memory fail.
    CuSparseProduct make(const std::string& way, const CsrMatrix& matrix, void* x, void* y);

    struct Library;

  private:
    std::shared_ptr<Device> device_;
    std::shared_ptr<const Library> library_;
    void* handle_ = nullptr;
};

}  // namespace spmvgen
