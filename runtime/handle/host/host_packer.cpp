#include <algorithm>

#include "devices/host/host_kernel.hpp"
#include "handle/base/vector_packer.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t rows_of_block = 64;  ///< whose columns are moved one after another

/// f(i, r) for every row and column, rows in blocks that threads share out.
template <typename F>
void for_each_element(std::int64_t rows, int columns, int threads, F f) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::int64_t begin = 0; begin < rows; begin += rows_of_block) {
        const std::int64_t end = std::min(rows, begin + rows_of_block);
        for (int r = 0; r < columns; ++r)
            for (std::int64_t i = begin; i < end; ++i) f(i, r);
    }
}

class HostPacker : public VectorPacker {
  public:
    explicit HostPacker(int threads) : threads_(threads) {}

    void run(const PackedProduct& p, const Multiply& multiply, Stream) override {
        const bool moves_x = p.reads_x && !p.x.stays(p.width, p.columns);
        const bool moves_y = !p.y.stays(p.width, p.columns);
        ScratchPool::Loan x(memory_, moves_x ? bytes(p, p.x.rows) : 0);
        ScratchPool::Loan y(memory_, moves_y ? bytes(p, p.y.rows) : 0);
        void* const caller_y = const_cast<void*>(p.y.data);
        dispatch(p.type, [&]<typename Value>(Value) {
            if (moves_x) pack<Value>(p, p.x, x.data());
            if (moves_y && p.reads_y) pack<Value>(p, p.y, y.data());
            multiply(moves_x ? x.data() : p.x.data, moves_y ? y.data() : caller_y);
            if (moves_y) unpack<Value>(p, y.data());
        });
    }

    void copy(ValueType type, std::int64_t count, const void* from, void* to, Stream) override {
        dispatch(type, [&]<typename Value>(Value) {
            const auto* in = static_cast<const Value*>(from);
            auto* out = static_cast<Value*>(to);
#pragma omp parallel for num_threads(threads_) schedule(static)
            for (std::int64_t i = 0; i < count; ++i) out[i] = in[i];
        });
    }

  private:
    static std::size_t bytes(const PackedProduct& p, std::int64_t rows) {
        return static_cast<std::size_t>(rows * p.width) * size_of(p.type);
    }

    template <typename Value>
    void pack(const PackedProduct& p, const PackedVectors& v, void* dense) const {
        const auto* in = static_cast<const Value*>(v.data);
        auto* out = static_cast<Value*>(dense);
        for_each_element(v.rows, p.width, threads_, [&](std::int64_t i, int r) {
            out[i * p.width + r] =
                r < p.columns ? in[i * v.steps.row_step + r * v.steps.rhs_step] : Value(0);
        });
    }

    template <typename Value>
    void unpack(const PackedProduct& p, const void* dense) const {
        const auto* in = static_cast<const Value*>(dense);
        auto* out = static_cast<Value*>(const_cast<void*>(p.y.data));
        const VectorSteps& to = p.y.steps;
        for_each_element(p.y.rows, p.columns, threads_, [&](std::int64_t i, int r) {
            out[i * to.row_step + r * to.rhs_step] = in[i * p.width + r];
        });
    }

    const int threads_;
    ScratchPool memory_;
};

}  // namespace

std::unique_ptr<VectorPacker> make_host_packer(int threads) {
    return std::make_unique<HostPacker>(threads);
}

}  // namespace spmvgen
