#pragma once
// What iterations of solvers are put together from, on a GPU: vectors, cuBLAS, cuSPARSE, and
// products with epilogues.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/cuda_clocks.hpp"
#include "devices/gpu/vendor.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "handle/making/handle_makers.hpp"
#include "matrix/transpose.hpp"
#include "measure/random_vector.hpp"
#include "peers/cusparse.hpp"
#include "spmvgen/error.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen::bench {

using cli::CudaClocks;
using Work = std::function<void()>;

struct Arguments {
    std::shared_ptr<Device> device;
    const CudaClocks* clocks = nullptr;  ///< null: residuals are compared, nothing is timed
    std::string cusparse, cublas;        ///< files of the libraries; "" = what is found, none
    TimingPlan plan;

    void* stream() const { return clocks != nullptr ? clocks->stream() : nullptr; }
    /// Microseconds of `work` in a graph, the median.
    double us(const Work& work) const { return 1e6 * clocks->in_graph(work, plan).median_s; }
};

/// Numbers on the device.
class Numbers {
  public:
    Numbers(Device& device, std::int64_t count, double first = 0)
        : device_(device), memory_(device.allocate(static_cast<std::size_t>(count) * 8)) {
        const std::vector<double> all(static_cast<std::size_t>(count), first);
        *this = all;
    }
    Numbers& operator=(const std::vector<double>& numbers) {
        device_.copy_to_device(memory_->data(), numbers.data(), numbers.size() * 8);
        return *this;
    }
    operator double*() const { return static_cast<double*>(memory_->data()); }
    std::vector<double> all() const {
        std::vector<double> numbers(memory_->bytes() / 8);
        device_.copy_to_host(numbers.data(), memory_->data(), memory_->bytes());
        return numbers;
    }
    double first() const {
        double number = 0;
        device_.copy_to_host(&number, memory_->data(), 8);
        return number;
    }

  private:
    Device& device_;
    std::unique_ptr<DeviceMemory> memory_;
};

inline std::vector<double> random_numbers(std::int64_t count, std::uint64_t seed) {
    std::vector<double> all(static_cast<std::size_t>(count));
    fill_random(ValueType::f64, all.data(), count, seed);
    return all;
}

inline CsrMatrix without_entries(std::int64_t rows) {
    CsrMatrix none;
    none.rows = none.cols = rows;
    none.row_ptr = Buffer((static_cast<std::size_t>(rows) + 1) * sizeof(std::int32_t));
    std::memset(none.row_ptr.data(), 0, none.row_ptr.bytes());
    return none;
}

/// Off-diagonal -(|a_ij| + |t_ij|), each diagonal element 1 more than the sum of its row. Both are
/// square.
inline CsrMatrix m_matrix(const CsrMatrix& a, const CsrMatrix& t) {
    std::vector<std::int32_t> row_ptr{0}, col_idx;
    std::vector<double> values;
    const auto ptr = [](const CsrMatrix& m) { return m.row_ptr.as<std::int32_t>().data(); };
    const auto col = [](const CsrMatrix& m) { return m.col_idx.as<std::int32_t>().data(); };
    const auto val = [](const CsrMatrix& m) { return m.values.as<double>().data(); };
    for (std::int64_t i = 0; i < a.rows; ++i) {
        std::int32_t k = ptr(a)[i], l = ptr(t)[i];
        double sum = 0;
        std::size_t diagonal = 0;
        bool placed = false;
        const auto place = [&] {
            diagonal = values.size();
            placed = true;
            col_idx.push_back(static_cast<std::int32_t>(i));
            values.push_back(0);
        };
        while (k < ptr(a)[i + 1] || l < ptr(t)[i + 1]) {
            const std::int32_t of_a = k < ptr(a)[i + 1] ? col(a)[k] : INT32_MAX;
            const std::int32_t of_t = l < ptr(t)[i + 1] ? col(t)[l] : INT32_MAX;
            const std::int32_t j = std::min(of_a, of_t);
            double size = 0;
            if (of_a == j) size += std::fabs(val(a)[k++]);
            if (of_t == j) size += std::fabs(val(t)[l++]);
            if (j == i) continue;
            if (j > i && !placed) place();
            col_idx.push_back(j);
            values.push_back(-size);
            sum += size;
        }
        if (!placed) place();
        values[diagonal] = sum + 1;
        row_ptr.push_back(static_cast<std::int32_t>(col_idx.size()));
    }
    CsrMatrix m;
    m.rows = m.cols = a.rows;
    m.nnz = static_cast<std::int64_t>(values.size());
    const auto keep = [](Buffer& to, const auto& from) {
        to = Buffer(from.size() * sizeof(from[0]));
        if (!from.empty()) std::memcpy(to.data(), from.data(), to.bytes());
    };
    keep(m.row_ptr, row_ptr);
    keep(m.col_idx, col_idx);
    keep(m.values, values);
    return m;
}

/// D⁻¹M with the diagonal D of M: the same rows, with 1 on the diagonal.
inline CsrMatrix with_unit_diagonal(CsrMatrix m) {
    const auto row_ptr = m.row_ptr.as<std::int32_t>(), col_idx = m.col_idx.as<std::int32_t>();
    const auto values = m.values.as<double>();
    for (std::size_t i = 0; i + 1 < row_ptr.size(); ++i) {
        const auto begin = static_cast<std::size_t>(row_ptr[i]);
        const auto length = static_cast<std::size_t>(row_ptr[i + 1]) - begin;
        double diagonal = 1;
        for (std::size_t e = begin; e < begin + length; ++e)
            if (static_cast<std::size_t>(col_idx[e]) == i) diagonal = values[e];
        for (double& value : values.subspan(begin, length)) value /= diagonal;
    }
    return m;
}

/// cuBLAS with its scalars on the device.
class Blas {
  public:
    Blas(const std::string& file, void* stream) : library_(file) {
        check(VendorCall<void**>(library_, "cublasCreate_v2")(&handle_));
        check(VendorCall<void*, void*>(library_, "cublasSetStream_v2")(handle_, stream));
        check(VendorCall<void*, int>(library_, "cublasSetPointerMode_v2")(handle_, 1));
    }
    void dot(std::int64_t n, const double* a, const double* b, double* result) const {
        check(dot_(handle_, static_cast<int>(n), a, 1, b, 1, result));
    }
    /// z = Dz for the diagonal matrix D with the elements d.
    void multiply(std::int64_t n, const double* d, double* z) const {
        const int rows = static_cast<int>(n);
        check(dgmm_(handle_, 0, rows, 1, z, rows, d, 1, z, rows));
    }
    void copy(std::int64_t n, const double* x, double* y) const {
        check(copy_(handle_, static_cast<int>(n), x, 1, y, 1));
    }
    void axpy(std::int64_t n, const double* alpha, const double* x, double* y) const {
        check(axpy_(handle_, static_cast<int>(n), alpha, x, 1, y, 1));
    }
    void scal(std::int64_t n, const double* alpha, double* x) const {
        check(scal_(handle_, static_cast<int>(n), alpha, x, 1));
    }

  private:
    static void check(int status) {
        if (status != 0) throw Error(ErrorCode::io, fmt::format("cuBLAS: status {}", status));
    }
    VendorLibrary library_;
    void* handle_ = nullptr;
    VendorCall<void*, int, const double*, int, const double*, int, double*> dot_{library_,
                                                                                 "cublasDdot_v2"};
    VendorCall<void*, int, const double*, const double*, int, double*, int> axpy_{library_,
                                                                                  "cublasDaxpy_v2"};
    VendorCall<void*, int, const double*, double*, int> scal_{library_, "cublasDscal_v2"};
    VendorCall<void*, int, const double*, int, double*, int> copy_{library_, "cublasDcopy_v2"};
    VendorCall<void*, int, int, int, const double*, int, const double*, int, double*, int> dgmm_{
        library_, "cublasDdgmm"};
};

inline Handle handle_of(const CsrView& a, const std::string& epilogue, const Arguments& arguments) {
    Options o;
    o.device = arguments.device->facts().text;
    o.epilogue = epilogue;
    o.updatable = false;
    return make_handle(a, o, KernelProvider::process(), arguments.device);
}

/// A product with an epilogue, or, of a matrix without entries, the epilogue alone: y = y first.
class Fused {
  public:
    Fused(const CsrView& a, const std::string& epilogue, const Arguments& arguments)
        : handle_(handle_of(a, epilogue, arguments)), stream_(arguments.stream()) {}
    Fused(std::int64_t rows, const std::string& epilogue, const Arguments& arguments)
        : Fused(csr_view(rows, rows,
                         std::vector<std::int32_t>(static_cast<std::size_t>(rows) + 1).data(),
                         static_cast<const std::int32_t*>(nullptr),
                         static_cast<const double*>(nullptr)),
                epilogue, arguments) {}
    void operator()(double alpha, const double* x, double beta, double* y,
                    std::initializer_list<EpilogueOperand> operands) const {
        handle_.apply_with(alpha, x, beta, y, operands, {stream_});
    }
    const std::string& kernel() const { return handle_.info().kernel; }

  private:
    Handle handle_;
    void* stream_;
};

/// cuSPARSE, and its fastest CSR algorithm for each product.
class CuSparse {
  public:
    explicit CuSparse(const Arguments& arguments)
        : arguments_(arguments),
          library_(peers::open_cusparse(
              {arguments.device, 1, {arguments.stream()}, arguments.cusparse})) {}

    struct Product {
        std::string way;
        Work apply;
        double us = 0;
    };
    Product fastest(const peers::Problem& problem) const {
        Product best;
        for (const char* way : {"csr_alg1", "csr_alg1_pre", "csr_alg2", "csr_alg2_pre"}) {
            const Work apply = library_->make(way, problem).apply;
            const double us = arguments_.us(apply);
            if (best.way.empty() || us < best.us)
                best = {library_->version() + " " + way, apply, us};
        }
        return best;
    }

  private:
    const Arguments& arguments_;
    std::unique_ptr<peers::Peer> library_;
};

}  // namespace spmvgen::bench
