#include "peers/cusparse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "devices/gpu/vendor.hpp"
#include "peers/cusparse_formats.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::peers {
namespace {

// Enumerators of cusparse.h and library_types.h.
constexpr int no_transpose = 0, base_zero = 0, order_row = 2;
constexpr int algorithm_coo1 = 1, algorithm_csr1 = 2, algorithm_csr2 = 3, algorithm_coo2 = 4,
              algorithm_sell1 = 5, algorithm_bsr1 = 6;
constexpr std::int64_t slice_rows = 32;
/// A format that stores more than this many entries for each nonzero is not tried.
constexpr double most_padding = 4, most_block_fill = 1.05;

int data_type(ValueType type) {
    switch (type) {
        case ValueType::f32:
            return 0;
        case ValueType::f64:
            return 1;
        case ValueType::c32:
            return 4;
        default:
            return 5;
    }
}

int index_type(IndexType type) {
    return type == IndexType::i32 ? 2 : 3;
}

struct Way {
    std::string name;
    std::string format;
    int algorithm;
    bool preprocess = false;
    std::int64_t block = 0;  ///< of bsr
};

const std::vector<Way> all_ways{
    {"csr_alg1", "csr", algorithm_csr1},           {"csr_alg1_pre", "csr", algorithm_csr1, true},
    {"csr_alg2", "csr", algorithm_csr2},           {"csr_alg2_pre", "csr", algorithm_csr2, true},
    {"coo_alg1", "coo", algorithm_coo1},           {"coo_alg2", "coo", algorithm_coo2},
    {"coo_alg2_pre", "coo", algorithm_coo2, true}, {"sell32", "sell", algorithm_sell1},
    {"bsr2", "bsr", algorithm_bsr1, false, 2},     {"bsr3", "bsr", algorithm_bsr1, false, 3},
    {"bsr4", "bsr", algorithm_bsr1, false, 4}};

/// 1 and 0 of every value type: the first part of a complex number is the real one.
struct Scalars {
    std::array<double, 2> one{1, 0}, zero{0, 0};
    std::array<float, 2> one_f{1, 0}, zero_f{0, 0};
};
const Scalars scalars;

const void* one_of(ValueType t) {
    return t == ValueType::f32 || t == ValueType::c32 ? static_cast<const void*>(&scalars.one_f)
                                                      : &scalars.one;
}
const void* zero_of(ValueType t) {
    return t == ValueType::f32 || t == ValueType::c32 ? static_cast<const void*>(&scalars.zero_f)
                                                      : &scalars.zero;
}

struct Library {
    using Int = std::int64_t;
    VendorLibrary file{
        "cuSPARSE",
        "SPMVGEN_CUSPARSE_LIBRARY",
        {"libcusparse.so.13", "libcusparse.so.12", "/usr/local/cuda/lib64/libcusparse.so.12"}};
    VendorCall<void**> create{file, "cusparseCreate"};
    VendorCall<void*> destroy{file, "cusparseDestroy"};
    VendorCall<void*, int*> version{file, "cusparseGetVersion"};
    VendorCall<void**, Int, Int, Int, void*, void*, void*, int, int, int, int> create_csr{
        file, "cusparseCreateCsr"};
    VendorCall<void**, Int, Int, Int, void*, void*, void*, int, int, int> create_coo{
        file, "cusparseCreateCoo"};
    VendorCall<void**, Int, Int, Int, Int, Int, void*, void*, void*, int, int, int, int>
        create_sell{file, "cusparseCreateSlicedEll"};
    VendorCall<void**, Int, Int, Int, Int, Int, void*, void*, void*, int, int, int, int, int>
        create_bsr{file, "cusparseCreateBsr"};
    VendorCall<void*> destroy_matrix{file, "cusparseDestroySpMat"};
    VendorCall<void**, Int, void*, int> create_vector{file, "cusparseCreateDnVec"};
    VendorCall<void*> destroy_vector{file, "cusparseDestroyDnVec"};
    template <typename Buffer>
    using Multiply =
        VendorCall<void*, int, const void*, void*, void*, const void*, void*, int, int, Buffer>;
    Multiply<std::size_t*> buffer_bytes{file, "cusparseSpMV_bufferSize"};
    Multiply<void*> preprocess{file, "cusparseSpMV_preprocess"};
    Multiply<void*> multiply{file, "cusparseSpMV"};
    const char* (*error_text)(int) =
        reinterpret_cast<const char* (*)(int)>(file.get("cusparseGetErrorString"));

    template <typename... P>
    void check(int status, const VendorCall<P...>& call) const {
        if (status != 0)
            throw Error(ErrorCode::io,
                        fmt::format("{}: {} ({})", call.name, error_text(status), status));
    }
};

/// Descriptors and memory of one product.
struct State {
    std::shared_ptr<const Library> library;
    Way way;
    void* handle = nullptr;
    ValueType value = ValueType::f64;
    void *matrix = nullptr, *x = nullptr, *y = nullptr;
    std::vector<std::unique_ptr<DeviceMemory>> memory;
    void* buffer = nullptr;

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        if (matrix != nullptr) library->destroy_matrix(matrix);
        if (x != nullptr) library->destroy_vector(x);
        if (y != nullptr) library->destroy_vector(y);
    }

    void* upload(Device& device, const void* data, std::size_t bytes) {
        memory.push_back(device.allocate(std::max<std::size_t>(bytes, 1)));
        device.copy_to_device(memory.back()->data(), data, bytes);
        return memory.back()->data();
    }
    void* upload(Device& device, const Buffer& array) {
        return upload(device, array.data(), array.bytes());
    }
    void multiply() const {
        library->check(
            library->multiply(handle, no_transpose, one_of(value), matrix, x, zero_of(value), y,
                              data_type(value), way.algorithm, buffer),
            library->multiply);
    }
};

/// Makes state.matrix; returns the bytes of the format's arrays.
std::int64_t make_matrix(State& s, Device& device, const CsrMatrix& a) {
    const Library& l = *s.library;
    const int type = data_type(a.value_type), column = index_type(a.index_type);
    const auto total = [](auto&... arrays) {
        return static_cast<std::int64_t>((arrays.bytes() + ...));
    };
    if (s.way.format == "csr") {
        l.check(l.create_csr(&s.matrix, a.rows, a.cols, a.nnz, s.upload(device, a.row_ptr),
                             s.upload(device, a.col_idx), s.upload(device, a.values),
                             index_type(a.offset_type), column, base_zero, type),
                l.create_csr);
        return total(a.row_ptr, a.col_idx, a.values);
    }
    if (s.way.format == "coo") {
        const Buffer rows = row_indices(a);
        l.check(l.create_coo(&s.matrix, a.rows, a.cols, a.nnz, s.upload(device, rows),
                             s.upload(device, a.col_idx), s.upload(device, a.values), column,
                             base_zero, type),
                l.create_coo);
        return total(rows, a.col_idx, a.values);
    }
    if (s.way.format == "sell") {
        const PeerArrays sell = sliced_ell(a, slice_rows, most_padding);
        l.check(l.create_sell(&s.matrix, a.rows, a.cols, a.nnz, sell.stored, slice_rows,
                              s.upload(device, sell.offsets), s.upload(device, sell.col_idx),
                              s.upload(device, sell.values), index_type(IndexType::i32), column,
                              base_zero, type),
                l.create_sell);
        return total(sell.offsets, sell.col_idx, sell.values);
    }
    const std::int64_t b = s.way.block;
    const PeerArrays bsr = blocked(a, b, most_block_fill);
    l.check(l.create_bsr(&s.matrix, a.rows / b, a.cols / b, bsr.stored / (b * b), b, b,
                         s.upload(device, bsr.offsets), s.upload(device, bsr.col_idx),
                         s.upload(device, bsr.values), index_type(IndexType::i32), column,
                         base_zero, type, order_row),
            l.create_bsr);
    return total(bsr.offsets, bsr.col_idx, bsr.values);
}

class CuSparse final : public Peer {
  public:
    explicit CuSparse(std::shared_ptr<Device> device)
        : device_(std::move(device)), library_(std::make_shared<Library>()) {
        library_->check(library_->create(&handle_), library_->create);
    }
    ~CuSparse() override { library_->destroy(handle_); }

    std::string version() const override {
        int number = 0;
        library_->check(library_->version(handle_, &number), library_->version);
        return std::to_string(number);
    }
    std::string path() const override { return library_->file.path(); }
    std::vector<std::string> ways() const override {
        std::vector<std::string> names;
        for (auto& way : all_ways) names.push_back(way.name);
        return names;
    }
    Product make(const std::string& way, const Problem& problem) override;

  private:
    std::shared_ptr<Device> device_;
    std::shared_ptr<const Library> library_;
    void* handle_ = nullptr;
};

Product CuSparse::make(const std::string& way, const Problem& problem) {
    const auto found = std::ranges::find(all_ways, way, &Way::name);
    if (found == all_ways.end())
        throw Error(ErrorCode::invalid_argument, "cuSPARSE way '" + way + "' is not known");
    Lap lap;
    const CsrMatrix& a = problem.matrix;
    const Library& l = *library_;
    auto state = std::make_shared<State>();
    state->library = library_;
    state->way = *found;
    state->handle = handle_;
    state->value = a.value_type;
    const int type = data_type(a.value_type);
    Product product;
    product.bytes = make_matrix(*state, *device_, a) +
                    (a.rows + a.cols) * static_cast<std::int64_t>(size_of(a.value_type));
    product.convert_ms = lap.ms();
    l.check(l.create_vector(&state->x, a.cols, problem.x, type), l.create_vector);
    l.check(l.create_vector(&state->y, a.rows, problem.y, type), l.create_vector);
    std::size_t bytes = 0;
    l.check(l.buffer_bytes(handle_, no_transpose, one_of(a.value_type), state->matrix, state->x,
                           zero_of(a.value_type), state->y, type, found->algorithm, &bytes),
            l.buffer_bytes);
    state->memory.push_back(device_->allocate(std::max<std::size_t>(bytes, 16)));
    state->buffer = state->memory.back()->data();
    if (found->preprocess)
        l.check(
            l.preprocess(handle_, no_transpose, one_of(a.value_type), state->matrix, state->x,
                         zero_of(a.value_type), state->y, type, found->algorithm, state->buffer),
            l.preprocess);
    device_->synchronize({});
    product.plan_ms = lap.ms();
    product.apply = [state] { state->multiply(); };
    return product;
}

}  // namespace

std::unique_ptr<Peer> open_cusparse(const Place& place) {
    return std::make_unique<CuSparse>(place.device);
}

}  // namespace spmvgen::peers
