#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/device.hpp"
#include "matrix/csr_matrix.hpp"

/// Other libraries' products, for comparison. None is needed to build or to run: each is looked for
/// at run time, and its interface is declared here.
namespace spmvgen::peers {

/// A matrix and where its vectors are; x has cols·num_rhs and y has rows·num_rhs elements of its
/// value type, row-major or, with `by_columns`, column by column, in the memory of the device that
/// the peer was opened for. All outlives what is made of it.
struct Problem {
    const CsrMatrix& matrix;
    void* x = nullptr;
    void* y = nullptr;
    int num_rhs = 1;
    bool by_columns = false;
};

/// y = Ax, ready to be run again and again.
struct Product {
    std::function<void()> apply;  ///< on a GPU it enqueues on Place::stream; throws Error(io)
    std::int64_t bytes = 0;       ///< moved by one apply, each array counted once; 0 = not known
    double convert_ms = 0;        ///< making the format, copies to the device included
    double plan_ms = 0;           ///< analysis, preprocessing, tuning
    std::string note = {};        ///< what the library chose, for people
};

/// A library that was found. For one thread at a time.
class Peer {
  public:
    virtual ~Peer() = default;
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    /// "12.9.4", "2024.2": as the library tells it.
    virtual std::string version() const = 0;
    /// The file that it was loaded from.
    virtual std::string path() const = 0;
    /// Names of the ways in which it multiplies so many vectors at once: "csr_alg1". May be none.
    virtual std::vector<std::string> ways(int num_rhs) const = 0;
    /// Whether several vectors may lie column by column.
    virtual bool takes_columns() const { return false; }
    /// Throws Error(unsupported) when the way does not suit the matrix (types, much padding),
    /// Error(io) when the library or memory fail.
    virtual Product make(const std::string& way, const Problem& problem) = 0;

  protected:
    Peer() = default;
};

/// Where a peer is to multiply.
struct Place {
    std::shared_ptr<Device> device;  ///< null = this CPU
    int threads = 1;                 ///< of this CPU
    StreamRef stream = {};           ///< of a GPU
    std::string cusparse = {};       ///< the file of cuSPARSE; "" = what is found
};

/// A library that is known, whether or not it is there.
struct PeerEntry {
    std::string_view name;    ///< "cusparse"
    std::string_view device;  ///< "host", or the beginning of a device's name: "cuda"
    std::string_view summary;
    bool by_version;  ///< whether results of several versions are compared, so that cases are named
                      ///< by it
    /// Throws Error(unsupported) that tells what was looked for and how to get it.
    std::unique_ptr<Peer> (*open)(const Place& place);
};

/// All, in the order in which they are listed.
std::span<const PeerEntry> known_peers();

/// Milliseconds since it was made or asked last.
class Lap {
  public:
    Lap();
    double ms();

  private:
    double last_;
};

/// Peer::ways of a library that multiplies one vector.
std::vector<std::string> ways_of_one_vector(int num_rhs, std::vector<std::string> ways);

/// Throws Error(unsupported) unless columns and row offsets are int32.
void require_int32(const CsrMatrix& matrix);

/// Bytes of A, x and y: what a product of CSR arrays moves.
std::int64_t csr_bytes(const CsrMatrix& matrix, int num_rhs = 1);

}  // namespace spmvgen::peers
