#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "formats/storage_key.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "handle/kernels/stopwatch.hpp"
#include "handle/plan/trials.hpp"
#include "matrix/buffer.hpp"
#include "spmvgen/error.hpp"

/// What trials on a CPU and on a GPU have in common.
namespace spmvgen {

/// Memory for so many numbers.
inline Buffer elements(std::int64_t count, ValueType type) {
    return make_buffer<char>(count * static_cast<std::int64_t>(size_of(type)));
}

/// α = 1 and β = 0 of a type, where an apply can point to them.
class Ones {
  public:
    explicit Ones(ValueType type) {
        dispatch(type, [&](auto tag) {
            new (one_) decltype(tag)(1);
            new (zero_) decltype(tag)(0);
        });
    }
    const void* one() const { return one_; }
    const void* zero() const { return zero_; }

  private:
    alignas(16) std::byte one_[16]{}, zero_[16]{};
};

template <typename Kernel>
const Provided<Kernel>& needed(const Provided<Kernel>& provided) {
    if (provided.kernel == nullptr) throw Error(ErrorCode::compile, provided.warning);
    return provided;
}

/// The matrix as it was stored last, for as long as kernels read the same.
template <typename Matrix>
class Kept {
  public:
    /// Tells what it stored anew in `conversion`, and in `key` as what.
    template <typename Make>
    const Matrix& get(const Signature& signature, std::string& key,
                      std::optional<Trials::Conversion>& conversion, Make make) {
        std::string wanted = storage_key(signature);
        if (!matrix_ || key != wanted) {
            matrix_.reset();  // before another one is made, which may need its memory
            key.clear();
            const Stopwatch watch;
            matrix_.emplace(make());
            conversion = {wanted, watch.ms()};
            key = std::move(wanted);
        }
        return *matrix_;
    }

  private:
    std::optional<Matrix> matrix_;
};

}  // namespace spmvgen
