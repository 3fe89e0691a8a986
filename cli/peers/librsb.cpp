#include "peers/librsb.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "devices/gpu/vendor.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::peers {
namespace {

// Values of macros and enumerators of rsb.h, and its types: indices and errors are int.
constexpr int no_transpose = 'N', flags_rsb = 0x002000 | 0x000002 | 0x000100 | 0x004000,
              option_threads = 9, order_columns = 0x4000000;
constexpr int tuning_rounds = 1;
constexpr double tuning_seconds = 0.5;

VendorLibrary open_library() {
    try {
        return {"librsb", "SPMVGEN_LIBRSB", {"librsb.so.0", "librsb.so"}};
    } catch (const Error& error) {
        throw Error(error.code(), std::string(error.what()) +
                                      "; apt-get install librsb0, or set SPMVGEN_LIBRSB to its "
                                      "path");
    }
}

struct Library {
    VendorLibrary file = open_library();
    VendorCall<void*> initialize{file, "rsb_lib_init"};
    VendorCall<int, const void*> set_option{file, "rsb_lib_set_opt"};
    VendorCall<int, const void*, const void*, const void*, int, const void*, void*, int> multiply{
        file, "rsb_spmv"};
    VendorCall<void**, double*, int*, int, double, int, const void*, const void*, int, int,
               const void*, int, const void*, void*, int>
        tune{file, "rsb_tune_spmm"};
    VendorCall<const void*, const char*, void*, std::size_t> info{file, "rsb_mtx_get_info_str"};
    VendorCall<int, char*, std::size_t> error_text{file, "rsb_strerror_r"};
    void* (*make)(const void*, const int*, const int*, int, char, int, int, int, int, int, int*) =
        reinterpret_cast<decltype(make)>(file.get("rsb_mtx_alloc_from_csr_const"));
    void* (*free)(void*) = reinterpret_cast<decltype(free)>(file.get("rsb_mtx_free"));

    void check(int status, const char* call) const {
        if (status == 0) return;
        std::array<char, 200> text{};
        error_text(status, text.data(), text.size() - 1);
        throw Error(ErrorCode::io, fmt::format("{}: {} ({})", call, text.data(), status));
    }
};

char letter_of(ValueType type) {
    switch (type) {
        case ValueType::f32:
            return 'S';
        case ValueType::f64:
            return 'D';
        case ValueType::c32:
            return 'C';
        default:
            return 'Z';
    }
}

/// 1 and 0 of every value type: the first part of a complex number is the real one.
struct Scalars {
    explicit Scalars(ValueType type) {
        if (type == ValueType::f32 || type == ValueType::c32) one = &one_f;
    }
    const std::array<double, 2> one_d{1, 0}, zero{0, 0};
    const std::array<float, 2> one_f{1, 0};
    const void* one = &one_d;
};

class Matrix {
  public:
    Matrix(std::shared_ptr<const Library> library, const CsrView& a)
        : library_(std::move(library)), scalars_(a.value_type), rows_(a.rows), cols_(a.cols) {
        int status = 0;
        matrix_ = library_->make(a.values, a.row_ptr_as<int>(), a.col_idx_as<int>(),
                                 static_cast<int>(a.nnz), letter_of(a.value_type),
                                 static_cast<int>(a.rows), static_cast<int>(a.cols), 1, 1,
                                 flags_rsb, &status);
        library_->check(status, "rsb_mtx_alloc_from_csr_const");
        if (matrix_ == nullptr)
            throw Error(ErrorCode::io, "rsb_mtx_alloc_from_csr_const: made no matrix");
    }
    ~Matrix() { library_->free(matrix_); }
    Matrix(const Matrix&) = delete;
    Matrix& operator=(const Matrix&) = delete;

    void tune(const void* x, void* y) {
        library_->check(
            library_->tune(&matrix_, nullptr, nullptr, tuning_rounds, tuning_seconds, no_transpose,
                           scalars_.one, nullptr, 1, order_columns, x, static_cast<int>(cols_),
                           &scalars_.zero, y, static_cast<int>(rows_)),
            "rsb_tune_spmm");
    }
    void multiply(const void* x, void* y) const {
        library_->check(
            library_->multiply(no_transpose, scalars_.one, matrix_, x, 1, &scalars_.zero, y, 1),
            "rsb_spmv");
    }
    std::string note() const {
        std::array<char, 300> text{};
        library_->info(matrix_, "RSB_MIF_MATRIX_INFO__TO__CHAR_P", text.data(), text.size() - 1);
        return text.data();
    }

  private:
    std::shared_ptr<const Library> library_;
    Scalars scalars_;
    std::int64_t rows_, cols_;
    void* matrix_ = nullptr;
};

class Librsb final : public Peer {
  public:
    explicit Librsb(int threads) : library_(std::make_shared<Library>()) {
        library_->check(library_->initialize(nullptr), "rsb_lib_init");
        library_->check(library_->set_option(option_threads, &threads), "rsb_lib_set_opt");
    }
    std::string version() const override {
        // It tells no number; the file's name has that of its interface.
        return std::filesystem::path(library_->file.path()).filename().string();
    }
    std::string path() const override { return library_->file.path(); }
    std::vector<std::string> ways(int num_rhs) const override {
        return ways_of_one_vector(num_rhs, {"rsb", "rsb_tuned"});
    }
    Product make(const std::string& way, const Problem& p) override {
        require_int32(p.matrix);
        Lap lap;
        const auto matrix = std::make_shared<Matrix>(library_, p.matrix.view());
        Product product;
        product.convert_ms = lap.ms();
        if (way == "rsb_tuned") matrix->tune(p.x, p.y);
        product.plan_ms = lap.ms();
        product.note = matrix->note();
        product.apply = [matrix, x = p.x, y = p.y] { matrix->multiply(x, y); };
        return product;
    }

  private:
    std::shared_ptr<const Library> library_;
};

}  // namespace

std::unique_ptr<Peer> open_librsb(const Place& place) {
    return std::make_unique<Librsb>(place.threads);
}

}  // namespace spmvgen::peers
