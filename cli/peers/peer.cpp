#include "peers/peer.hpp"

#include <array>
#include <chrono>

#include "peers/cusparse.hpp"
#include "peers/librsb.hpp"
#include "peers/mkl.hpp"
#include "peers/module_peers.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::peers {
namespace {

double now_ms() {
    return std::chrono::duration<double, std::milli>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace

std::span<const PeerEntry> known_peers() {
    static constexpr std::array entries{
        PeerEntry{"cusparse", "cuda", "NVIDIA's library: CSR, COO, sliced ELL, BSR", true,
                  open_cusparse},
        PeerEntry{"mkl", "host", "Intel's library, inspector-executor", false, open_mkl},
        PeerEntry{"eigen", "host", "Eigen's row-major SparseMatrix", false, open_eigen},
        PeerEntry{"librsb", "host", "recursive sparse blocks", false, open_librsb},
        PeerEntry{"plain", "host", "an OpenMP loop over CSR, as its user would compile it", false,
                  open_plain},
    };
    return entries;
}

Lap::Lap() : last_(now_ms()) {}

double Lap::ms() {
    const double before = last_;
    last_ = now_ms();
    return last_ - before;
}

std::vector<std::string> ways_of_one_vector(int num_rhs, std::vector<std::string> ways) {
    if (num_rhs != 1) ways.clear();
    return ways;
}

void require_int32(const CsrMatrix& matrix) {
    if (matrix.offset_type != IndexType::i32 || matrix.index_type != IndexType::i32)
        throw Error(ErrorCode::unsupported, "takes int32 indices only");
}

std::int64_t csr_bytes(const CsrMatrix& matrix, int num_rhs) {
    return static_cast<std::int64_t>(matrix.bytes()) +
           (matrix.rows + matrix.cols) * num_rhs *
               static_cast<std::int64_t>(size_of(matrix.value_type));
}

}  // namespace spmvgen::peers
