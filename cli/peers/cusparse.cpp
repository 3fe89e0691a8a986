#include "peers/cusparse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "peers/cusparse_formats.hpp"
#include "peers/cusparse_library.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::peers {
namespace {

// Enumerators of cusparse.h and library_types.h.
constexpr int no_transpose = 0, base_zero = 0, order_column = 1, order_row = 2;
constexpr int algorithm_mm1 = 4, algorithm_mm2 = 6, algorithm_mm3 = 12;  // of SpMM with CSR
constexpr int algorithm_coo1 = 1, algorithm_csr1 = 2, algorithm_csr2 = 3, algorithm_coo2 = 4,
              algorithm_sell1 = 5, algorithm_bsr1 = 6;
constexpr int algorithm_op1 = 1, algorithm_op2 = 2;  // of SpMVOp
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
    bool op = false;         ///< SpMVOp instead of SpMV
    bool many = false;       ///< SpMM, of several vectors
};

const std::vector<Way> all_ways{{"csr_alg1", "csr", algorithm_csr1},
                                {"csr_alg1_pre", "csr", algorithm_csr1, true},
                                {"csr_alg2", "csr", algorithm_csr2},
                                {"csr_alg2_pre", "csr", algorithm_csr2, true},
                                {"coo_alg1", "coo", algorithm_coo1},
                                {"coo_alg2", "coo", algorithm_coo2},
                                {"coo_alg2_pre", "coo", algorithm_coo2, true},
                                {"sell32", "sell", algorithm_sell1},
                                {"bsr2", "bsr", algorithm_bsr1, false, 2},
                                {"bsr3", "bsr", algorithm_bsr1, false, 3},
                                {"bsr4", "bsr", algorithm_bsr1, false, 4},
                                {"spmvop_alg1", "csr", algorithm_op1, false, 0, true},
                                {"spmvop_alg2", "csr", algorithm_op2, false, 0, true},
                                {"spmm_alg1", "csr", algorithm_mm1, true, 0, false, true},
                                {"spmm_alg2", "csr", algorithm_mm2, true, 0, false, true},
                                {"spmm_alg3", "csr", algorithm_mm3, true, 0, false, true}};

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

/// Descriptors and memory of one product.
struct State {
    std::shared_ptr<const CusparseLibrary> library;
    Way way;
    void* handle = nullptr;
    ValueType value = ValueType::f64;
    void *matrix = nullptr, *x = nullptr, *y = nullptr;
    std::vector<std::unique_ptr<DeviceMemory>> memory;
    void* buffer = nullptr;
    std::optional<CusparseOp> op;  ///< of way.op, as the next
    void *descriptor = nullptr, *plan = nullptr;

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        if (plan != nullptr) op->destroy_plan(plan);
        if (descriptor != nullptr) op->destroy_descriptor(descriptor);
        if (matrix != nullptr) library->destroy_matrix(matrix);
        auto& destroy = way.many ? library->destroy_dense : library->destroy_vector;
        if (x != nullptr) destroy(x);
        if (y != nullptr) destroy(y);
    }

    void* upload(Device& device, const void* data, std::size_t bytes) {
        memory.push_back(device.allocate(std::max<std::size_t>(bytes, 1)));
        device.copy_to_device(memory.back()->data(), data, bytes);
        return memory.back()->data();
    }
    void* upload(Device& device, const Buffer& array) {
        return upload(device, array.data(), array.bytes());
    }
    void make_buffer(Device& device, std::size_t bytes) {
        memory.push_back(device.allocate(std::max<std::size_t>(bytes, 16)));
        buffer = memory.back()->data();
    }
    void multiply() const {
        if (op)
            library->check(op->multiply(handle, plan, one_of(value), zero_of(value), x, y, y),
                           op->multiply);
        else if (way.many)
            library->check(
                library->multiply_many(handle, no_transpose, no_transpose, one_of(value), matrix, x,
                                       zero_of(value), y, data_type(value), way.algorithm, buffer),
                library->multiply_many);
        else
            library->check(
                library->multiply(handle, no_transpose, one_of(value), matrix, x, zero_of(value), y,
                                  data_type(value), way.algorithm, buffer),
                library->multiply);
    }
};

/// SpMV: memory to work in and, of some ways, preprocessing.
void prepare(State& s, Device& device) {
    const CusparseLibrary& l = *s.library;
    const void *one = one_of(s.value), *zero = zero_of(s.value);
    const int type = data_type(s.value);
    std::size_t bytes = 0;
    l.check(l.buffer_bytes(s.handle, no_transpose, one, s.matrix, s.x, zero, s.y, type,
                           s.way.algorithm, &bytes),
            l.buffer_bytes);
    s.make_buffer(device, bytes);
    if (s.way.preprocess)
        l.check(l.preprocess(s.handle, no_transpose, one, s.matrix, s.x, zero, s.y, type,
                             s.way.algorithm, s.buffer),
                l.preprocess);
}

/// SpMM: memory to work in, and preprocessing.
void prepare_many(State& s, Device& device) {
    const CusparseLibrary& l = *s.library;
    const void *one = one_of(s.value), *zero = zero_of(s.value);
    const int type = data_type(s.value), algorithm = s.way.algorithm;
    std::size_t bytes = 0;
    l.check(l.buffer_bytes_of_many(s.handle, no_transpose, no_transpose, one, s.matrix, s.x, zero,
                                   s.y, type, algorithm, &bytes),
            l.buffer_bytes_of_many);
    s.make_buffer(device, bytes);
    l.check(l.preprocess_many(s.handle, no_transpose, no_transpose, one, s.matrix, s.x, zero, s.y,
                              type, algorithm, s.buffer),
            l.preprocess_many);
}

/// State.x and state.y: vectors, or matrices.
void make_vectors(State& s, const Problem& problem) {
    const CusparseLibrary& l = *s.library;
    const CsrMatrix& a = problem.matrix;
    const int type = data_type(s.value), k = problem.num_rhs;
    if (!s.way.many) {
        l.check(l.create_vector(&s.x, a.cols, problem.x, type), l.create_vector);
        l.check(l.create_vector(&s.y, a.rows, problem.y, type), l.create_vector);
        return;
    }
    const int order = problem.by_columns ? order_column : order_row;
    const auto create = [&](void** made, std::int64_t rows, void* numbers) {
        const std::int64_t ld = problem.by_columns ? rows : k;
        l.check(l.create_dense(made, rows, k, ld, numbers, type, order), l.create_dense);
    };
    create(&s.x, a.cols, problem.x);
    create(&s.y, a.rows, problem.y);
}

/// SpMVOp: memory to work in and a plan; y stands for z, too.
void prepare_op(State& s, Device& device) {
    const CusparseLibrary& l = *s.library;
    const int type = data_type(s.value), algorithm = s.way.algorithm;
    std::size_t bytes = 0;
    l.check(s.op->buffer_bytes(s.handle, no_transpose, s.matrix, s.x, s.y, s.y, type, algorithm,
                               &bytes),
            s.op->buffer_bytes);
    s.make_buffer(device, bytes);
    l.check(s.op->create_descriptor(s.handle, &s.descriptor, no_transpose, s.matrix, s.x, s.y, s.y,
                                    type, algorithm, s.buffer),
            s.op->create_descriptor);
    l.check(s.op->create_plan(s.handle, s.descriptor, &s.plan, nullptr, 0), s.op->create_plan);
}

/// Makes state.matrix; returns the bytes of the format's arrays.
std::int64_t make_matrix(State& s, Device& device, const CsrMatrix& a) {
    const CusparseLibrary& l = *s.library;
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
    explicit CuSparse(const Place& place)
        : device_(place.device),
          stream_(place.stream),
          library_(std::make_shared<CusparseLibrary>(place.cusparse)) {
        library_->check(library_->create(&handle_), library_->create);
        library_->check(library_->set_stream(handle_, stream_.native), library_->set_stream);
    }
    ~CuSparse() override { library_->destroy(handle_); }

    std::string version() const override { return library_->version(); }
    std::string path() const override { return library_->file.path(); }
    std::vector<std::string> ways(int num_rhs) const override {
        std::vector<std::string> names;
        for (auto& way : all_ways)
            if (way.many == (num_rhs > 1)) names.push_back(way.name);
        return names;
    }
    bool takes_columns() const override { return true; }
    Product make(const std::string& way, const Problem& problem) override;

  private:
    std::shared_ptr<Device> device_;
    StreamRef stream_;
    std::shared_ptr<const CusparseLibrary> library_;
    void* handle_ = nullptr;
};

Product CuSparse::make(const std::string& way, const Problem& problem) {
    const auto found = std::ranges::find(all_ways, way, &Way::name);
    if (found == all_ways.end())
        throw Error(ErrorCode::invalid_argument, "cuSPARSE way '" + way + "' is not known");
    Lap lap;
    const CsrMatrix& a = problem.matrix;
    const CusparseLibrary& l = *library_;
    auto state = std::make_shared<State>();
    state->library = library_;
    state->way = *found;
    state->handle = handle_;
    state->value = a.value_type;
    if (found->op) state->op = l.op();
    Product product;
    product.bytes =
        make_matrix(*state, *device_, a) +
        (a.rows + a.cols) * problem.num_rhs * static_cast<std::int64_t>(size_of(a.value_type));
    product.convert_ms = lap.ms();
    make_vectors(*state, problem);
    (found->op ? prepare_op : found->many ? prepare_many : prepare)(*state, *device_);
    device_->synchronize(stream_);
    product.plan_ms = lap.ms();
    product.apply = [state] { state->multiply(); };
    return product;
}

}  // namespace

std::unique_ptr<Peer> open_cusparse(const Place& place) {
    try {
        return std::make_unique<CuSparse>(place);
    } catch (const Error& error) {
        if (place.cusparse.empty() || error.code() != ErrorCode::unsupported) throw;
        throw Error(error.code(),
                    std::string(error.what()) +
                        ": name the libcusparse.so.12 of CUDA 12 or 13, with what it needs "
                        "(libnvJitLink) in its folder or in LD_LIBRARY_PATH");
    }
}

}  // namespace spmvgen::peers
