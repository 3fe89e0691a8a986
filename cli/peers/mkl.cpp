#include "peers/mkl.hpp"

#include <fmt/format.h>

#include <array>
#include <complex>
#include <cstdlib>

#include "devices/gpu/vendor.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::peers {
namespace {

// Enumerators of mkl_spblas.h and mkl_service.h.
constexpr int no_transpose = 10, type_general = 20, fill_lower = 40, diag_non_unit = 50,
              memory_aggressive = 81, base_zero = 0, row_major = 101;
constexpr int interface_lp64 = 0, threading_gnu = 3;
constexpr int expected_calls = 1000;

/// matrix_descr: type, fill mode, kind of diagonal.
struct Description {
    int type = type_general, mode = fill_lower, diag = diag_non_unit;
};

std::string status_text(int status) {
    constexpr std::array texts{"success",       "not initialized",  "out of memory",
                               "invalid value", "execution failed", "internal error",
                               "not supported"};
    const bool known = status >= 0 && static_cast<std::size_t>(status) < texts.size();
    return fmt::format("{} ({})", known ? texts[static_cast<std::size_t>(status)] : "unknown error",
                       status);
}

std::vector<std::string> places() {
    std::vector<std::string> places;
    for (const char* name : {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so"})
        places.emplace_back(name);
    for (const char* variable : {"MKLROOT", "VIRTUAL_ENV"})
        if (const char* folder = secure_getenv(variable); folder != nullptr && *folder != '\0')
            for (const char* name : {"/lib/libmkl_rt.so.3", "/lib/libmkl_rt.so.2"})
                places.push_back(std::string(folder) + name);
    return places;
}

VendorLibrary open_library() {
    try {
        return {"MKL", "SPMVGEN_MKL", places()};
    } catch (const Error& error) {
        throw Error(error.code(),
                    std::string(error.what()) +
                        "; pip install mkl into a virtual environment and set SPMVGEN_MKL to its "
                        "lib/libmkl_rt.so.3");
    }
}

struct Library {
    VendorLibrary file = open_library();
    VendorCall<int> set_interface{file, "MKL_Set_Interface_Layer"};
    VendorCall<int> set_threading{file, "MKL_Set_Threading_Layer"};
    VendorCall<int> set_threads{file, "MKL_Set_Num_Threads"};
    VendorCall<char*, int> version{file, "MKL_Get_Version_String"};
    VendorCall<void*, int, Description, int> set_mv_hint{file, "mkl_sparse_set_mv_hint"};
    VendorCall<void*, int, Description, int, int, int> set_mm_hint{file, "mkl_sparse_set_mm_hint"};
    VendorCall<void*, int> set_memory_hint{file, "mkl_sparse_set_memory_hint"};
    VendorCall<void*> optimize{file, "mkl_sparse_optimize"};
    VendorCall<void*> destroy{file, "mkl_sparse_destroy"};

    template <typename... P>
    void check(int status, const VendorCall<P...>& call) const {
        if (status != 0)
            throw Error(status == 6 ? ErrorCode::unsupported : ErrorCode::io,
                        fmt::format("{}: {}", call.name, status_text(status)));
    }
};

/// The letter of a value type in the names of functions.
template <typename Value>
constexpr char letter = std::is_same_v<Value, float>                 ? 's'
                        : std::is_same_v<Value, double>              ? 'd'
                        : std::is_same_v<Value, std::complex<float>> ? 'c'
                                                                     : 'z';

/// MKL's matrix of Values; scalars are passed by value, complex ones as the C struct of two.
template <typename Value>
class Matrix {
  public:
    Matrix(std::shared_ptr<const Library> library, const CsrView& a, int num_rhs)
        : library_(std::move(library)),
          num_rhs_(num_rhs),
          create_name_(fmt::format("mkl_sparse_{}_create_csr", letter<Value>)),
          multiply_name_(fmt::format("mkl_sparse_{}_mv", letter<Value>)),
          multiply_many_name_(fmt::format("mkl_sparse_{}_mm", letter<Value>)),
          multiply_(library_->file, multiply_name_.c_str()),
          multiply_many_(library_->file, multiply_many_name_.c_str()) {
        const VendorCall<void**, int, int, int, const int*, const int*, const int*, const void*>
            create(library_->file, create_name_.c_str());
        const int* begin = a.row_ptr_as<int>();
        library_->check(
            create(&matrix_, base_zero, static_cast<int>(a.rows), static_cast<int>(a.cols), begin,
                   begin + 1, a.col_idx_as<int>(), a.values),
            create);
    }
    ~Matrix() { library_->destroy(matrix_); }
    Matrix(const Matrix&) = delete;
    Matrix& operator=(const Matrix&) = delete;

    void optimize() const {
        const Library& l = *library_;
        if (num_rhs_ == 1)
            l.check(l.set_mv_hint(matrix_, no_transpose, {}, expected_calls), l.set_mv_hint);
        else
            l.check(l.set_mm_hint(matrix_, no_transpose, {}, row_major, num_rhs_, expected_calls),
                    l.set_mm_hint);
        l.check(l.set_memory_hint(matrix_, memory_aggressive), l.set_memory_hint);
        l.check(l.optimize(matrix_), l.optimize);
    }
    void multiply(const void* x, void* y) const {
        if (num_rhs_ > 1)
            return library_->check(multiply_many_(no_transpose, Value(1), matrix_, {}, row_major,
                                                  static_cast<const Value*>(x), num_rhs_, num_rhs_,
                                                  Value(0), static_cast<Value*>(y), num_rhs_),
                                   multiply_many_);
        library_->check(multiply_(no_transpose, Value(1), matrix_, {}, static_cast<const Value*>(x),
                                  Value(0), static_cast<Value*>(y)),
                        multiply_);
    }

  private:
    std::shared_ptr<const Library> library_;
    int num_rhs_;
    std::string create_name_, multiply_name_, multiply_many_name_;
    VendorCall<int, Value, void*, Description, const Value*, Value, Value*> multiply_;
    VendorCall<int, Value, void*, Description, int, const Value*, int, int, Value, Value*, int>
        multiply_many_;
    void* matrix_ = nullptr;
};

class Mkl final : public Peer {
  public:
    explicit Mkl(int threads) : library_(std::make_shared<Library>()) {
        // Before any other call. What they return is the layer, or -1 when it is too late.
        if (library_->set_interface(interface_lp64) != interface_lp64 ||
            library_->set_threading(threading_gnu) != threading_gnu)
            throw Error(ErrorCode::unsupported,
                        library_->file.path() +
                            " does not take int32 indices and GNU's OpenMP: unset "
                            "MKL_INTERFACE_LAYER and MKL_THREADING_LAYER");
        library_->set_threads(threads);
    }
    std::string version() const override {
        std::array<char, 200> text{};
        library_->version(text.data(), static_cast<int>(text.size()) - 1);
        std::string all = text.data();
        all.erase(all.find_last_not_of(' ') + 1);
        return all;
    }
    std::string path() const override { return library_->file.path(); }
    std::vector<std::string> ways(int) const override { return {"csr", "csr_optimized"}; }
    Product make(const std::string& way, const Problem& p) override {
        require_int32(p.matrix);
        return dispatch(p.matrix.value_type, [&](auto tag) {
            Lap lap;
            const auto matrix =
                std::make_shared<const Matrix<decltype(tag)>>(library_, p.matrix.view(), p.num_rhs);
            Product product;
            product.convert_ms = lap.ms();
            if (way == "csr_optimized") matrix->optimize();
            product.plan_ms = lap.ms();
            product.bytes = csr_bytes(p.matrix, p.num_rhs);
            product.apply = [matrix, x = p.x, y = p.y] { matrix->multiply(x, y); };
            return product;
        });
    }

  private:
    std::shared_ptr<const Library> library_;
};

}  // namespace

std::unique_ptr<Peer> open_mkl(const Place& place) {
    return std::make_unique<Mkl>(place.threads);
}

}  // namespace spmvgen::peers
