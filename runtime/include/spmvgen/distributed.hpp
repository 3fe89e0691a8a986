#pragma once
/// spmvgen: one matrix over several devices, each with a block of rows. The caller moves what
/// travels between them: by copies, NCCL, MPI or NVSHMEM (docs/how-to/several-gpus.md).
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "spmvgen/matrix.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

/// Which part has what: part p has rows rows[p] … rows[p+1]-1 of A and of y, and elements cols[p] …
/// cols[p+1]-1 of x. Both lists begin with 0, ascend, and end with the size; parts may be empty.
/// For a square matrix both are mostly the same.
struct RowPartition {
    std::vector<std::int64_t> rows{0};
    std::vector<std::int64_t> cols{0};

    int parts() const { return static_cast<int>(rows.size()) - 1; }
    bool operator==(const RowPartition&) const = default;
};

/// Blocks with about the same number of rows plus entries. x of a square matrix is cut as y
/// is, else into equal blocks. Throws Error(invalid_argument) for a broken matrix and for fewer
/// than 1 part.
RowPartition partition_by_entries(const CsrView& matrix, int parts);

/// Elements that go to another part, or come from it: a piece of a buffer.
struct Exchange {
    int part = 0;            ///< the other part
    std::int64_t first = 0;  ///< where the piece begins in the buffer, in elements
    std::int64_t count = 0;  ///< elements of the piece
    bool operator==(const Exchange&) const = default;
};

/// A matrix in CSR that owns its arrays. Columns are int32_t; row offsets and values are the bytes
/// of numbers of their types.
struct CsrArrays {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    IndexType offset_type = IndexType::i32;
    ValueType value_type = ValueType::f64;
    std::vector<std::byte> row_ptr;
    std::vector<std::int32_t> col_idx;
    std::vector<std::byte> values;

    CsrView view() const {
        return {rows,           cols,           static_cast<std::int64_t>(col_idx.size()),
                offset_type,    IndexType::i32, value_type,
                row_ptr.data(), col_idx.data(), values.data()};
    }
    bool operator==(const CsrArrays&) const = default;
};

/// One part of a matrix, in host memory: y = A_local·x + A_halo·h. Here x are the part's elements
/// of the whole x, and h (the halo) those of other parts that its rows need, each once. A plain
/// value.
struct Part {
    int number = 0;
    std::int64_t first_row = 0;  ///< row of A that is row 0 of the part
    std::int64_t first_col = 0;  ///< column of A that is element 0 of its x
    CsrArrays local;             ///< the part's rows, with the columns of its x
    CsrArrays halo;  ///< entries in other columns, of the rows that have any: column j is element j
                     ///< of the halo
    std::vector<std::int32_t> halo_rows;      ///< rows of `halo`, numbered in the part, ascending
    std::vector<std::int64_t> halo_columns;   ///< columns of A that are the halo, ascending: those
                                              ///< of one other part stand together
    std::vector<std::int32_t> halo_elements;  ///< the same, numbered within the x of their part
    std::vector<Exchange> receives;           ///< the halo, by the part that has it, ascending
    std::vector<Exchange> sends;              ///< send_elements, by the part that wants them
    std::vector<std::int32_t> send_elements;  ///< what others want, numbered within the part's x

    std::int64_t rows() const { return local.rows; }
    std::int64_t cols() const { return local.cols; }
    /// The halo's rows as a handle takes them: y[halo_rows[i]] is what is multiplied.
    RowListView halo_view() const { return {halo.view(), local.rows, halo_rows.data()}; }
    bool operator==(const Part&) const = default;
};

/// All parts of a matrix in host memory. Parallel; takes about as long as two copies of it. Throws
/// Error(invalid_argument) for a broken matrix or partition, and for a part with 2³¹ rows, columns
/// or halo elements or more.
std::vector<Part> make_parts(const CsrView& matrix, const RowPartition& partition);

/// Part `number` alone, from its rows with the columns of all of A: where each process has one
/// part. `sends` is left empty, for only the others know it: see set_sends. Throws as make_parts().
Part make_part(const CsrView& own_rows, const RowPartition& partition, int number);

/// The columns of A that a part needs of another one, which must be sent there for set_sends().
inline std::span<const std::int64_t> columns_of(const Part& part, const Exchange& receive) {
    return std::span(part.halo_columns)
        .subspan(static_cast<std::size_t>(receive.first), static_cast<std::size_t>(receive.count));
}

/// Fills in `sends` and `send_elements`. wanted[p] are the columns of A that part p wants of this
/// one, in the order in which it wants them; there is an element for each part. Throws
/// Error(invalid_argument) for a column that the part has not got.
void set_sends(Part& part, std::span<const std::vector<std::int64_t>> wanted);

class Device;
class ListedElementsImpl;

/// Listed elements of vectors on a device: what is packed before it travels, and unpacked
/// afterwards. Elements are rows of options.num_rhs numbers. Options are used that say the
/// device, `threads`, and where kernels come from. Each call enqueues one launch and nothing else:
/// no allocation, no wait. It can be captured in a graph. Any number of threads may call it.
class ListedElements {
  public:
    /// Copies the list to the device, and makes or finds the kernels. Throws
    /// Error(invalid_argument) for a number below 0, and otherwise as Handle does.
    ListedElements(ValueType type, std::span<const std::int32_t> list, const Options& options);
    ListedElements(ListedElements&&) noexcept;
    ListedElements& operator=(ListedElements&&) noexcept;
    ~ListedElements();

    /// packed[i] = x[list[i]]. On a GPU x may also be memory of another GPU that this one can read
    /// (enable_peer_access()): then the kernel itself fetches the elements.
    template <typename Value>
    void gather(const Value* x, Value* packed, Stream stream = {}) const {
        gather(type_tag<Value>::value, x, packed, stream);
    }
    void gather(ValueType type, const void* x, void* packed, Stream stream = {}) const;

    /// y[list[i]] = packed[i]; no other element of y is touched. Throws Error(invalid_argument)
    /// when an element is listed twice.
    template <typename Value>
    void scatter(const Value* packed, Value* y, Stream stream = {}) const {
        scatter(type_tag<Value>::value, packed, y, stream);
    }
    void scatter(ValueType type, const void* packed, void* y, Stream stream = {}) const;

    /// y[list[i]] += packed[i]: what a transposed product does with what comes back. Errors as
    /// scatter().
    template <typename Value>
    void add(const Value* packed, Value* y, Stream stream = {}) const {
        add(type_tag<Value>::value, packed, y, stream);
    }
    void add(ValueType type, const void* packed, void* y, Stream stream = {}) const;

    std::int64_t size() const;  ///< elements of the list

  private:
    friend class PartHandle;
    /// `device` stands for options.device where it is not null.
    ListedElements(ValueType type, std::span<const std::int32_t> list, const Options& options,
                   std::shared_ptr<Device> device);
    const ListedElementsImpl& impl() const;
    std::unique_ptr<const ListedElementsImpl> impl_;
};

/// A part on its device: two handles, and the kernels that pack. A product y = αAx + βy is
///
///     part.pack(x, send, stream);                    // send: what others want
///     … the caller moves bytes: send → the others' halo, from any stream …
///     part.multiply_local(alpha, x, beta, y, stream);  // while they travel
///     part.multiply_halo(alpha, halo, y, stream);      // when the halo is there
///
/// The caller has the buffers and streams, and sees that each waits for what it needs. Each call
/// enqueues launches and nothing else, can be captured in a graph, and otherwise runs as
/// Handle::apply().
class PartHandle {
  public:
    /// Options of the local product and of the halo's. Both have the same device, types and
    /// num_rhs; op is N or C. The local product begins in its turn, whatever overlap_launches says,
    /// so that what brings the halo has room beside it. Not for device_arrays, index_base, owner,
    /// permuted_vectors and epilogue, which are Error(invalid_argument). Throws as Handle does.
    PartHandle(const Part& part, const Options& local, const Options& halo);
    /// `options` say how the local product is chosen. The halo's is chosen from the halo's rows.
    explicit PartHandle(const Part& part, const Options& options = {});

    /// send[i] = x[send_elements[i]], for all sends; one launch, none where nothing is sent.
    template <typename Value>
    void pack(const Value* x, Value* send, Stream stream = {}) const {
        sent_.gather(x, send, stream);
    }
    /// Fetches piece i of the halo from the x of the part that has it, without packing, where this
    /// device can read that memory. `halo` is the whole halo of this part. One launch. That x must
    /// be complete, and must not change until the kernel has run.
    template <typename Value>
    void fetch(std::size_t i, const Value* x_of_other, Value* halo, Stream stream = {}) const {
        fetch(type_tag<Value>::value, i, x_of_other, halo, stream);
    }
    void fetch(ValueType type, std::size_t i, const void* x_of_other, void* halo,
               Stream stream = {}) const;

    /// y = αA_local·x + βy.
    template <typename Value>
    void multiply_local(Value alpha, const Value* x, Value beta, Value* y,
                        Stream stream = {}) const {
        local_.apply(alpha, x, beta, y, stream);
    }
    /// y = y + αA_halo·halo; nothing where the part has no halo.
    template <typename Value>
    void multiply_halo(Value alpha, const Value* halo, Value* y, Stream stream = {}) const {
        if (halo_ != nullptr) halo_->apply(alpha, halo, Value(1), y, stream);
    }
    /// As Handle::prepare, for both products.
    void prepare(Scale alpha, Scale beta, Stream stream = {}) const;

    const Handle& local() const { return local_; }
    const Handle* halo() const { return halo_.get(); }  ///< null where there is none
    const std::vector<Exchange>& receives() const { return receives_; }
    const std::vector<Exchange>& sends() const { return sends_; }

  private:
    friend PartHandle make_part_handle(const Part&, const Options&, const Options&,
                                       std::shared_ptr<Device>);
    PartHandle(const Part& part, const Options& local, const Options& halo,
               const std::shared_ptr<Device>& device);

    Handle local_;
    std::unique_ptr<const Handle> halo_;
    ListedElements sent_;
    std::vector<ListedElements> fetched_;  ///< of each receive
    std::vector<Exchange> receives_, sends_;
    std::int64_t row_bytes_ = 0;  ///< of an element of the halo
};

class PeerHaloImpl;

/// The halo of a part in the memory of its device, which kernels of the other devices of the
/// process fill: flags in memory say who may write and what has arrived, so that no device waits
/// for events of another one. For NVIDIA GPUs that reach each other (enable_peer_access()).
///
///     halos.emplace_back(part, options);           // for each part
///     connect(halos);                              // once
///     halos[p].exchange(x, travel);                // for each part, before any is waited for
///     parts[p].multiply_halo(alpha, halos[p].data<double>(), y, compute);   // behind it
///
/// An exchange of one part ends when those of the same number of all parts that it sends to or
/// receives from have begun. So each part needs a stream, in which the exchange does not stand
/// behind one of another part. Parts that share a device are enqueued by one thread, what waits for
/// an exchange behind the exchanges of all: streams of one device may share a queue of it, and are
/// not promised to run at once. exchange() enqueues one launch and nothing else, and can be
/// captured in a graph, with that of the others or without. At most one thread calls it for a part
/// at a time. All halos live until the last exchange has ended, and are moved before connect()
/// only.
class PeerHalo {
  public:
    /// Allocates the halo, and makes or finds the kernel. Options as of the part's handle. Throws
    /// Error(unsupported) for another device than NVIDIA's, and otherwise as Handle does.
    explicit PeerHalo(const Part& part, const Options& options = {});
    PeerHalo(PeerHalo&&) noexcept;
    PeerHalo& operator=(PeerHalo&&) noexcept;
    ~PeerHalo();

    /// Writes the elements of x that other parts want into their halos, and waits for the own one.
    /// When it has ended, x may change. When it begins, nothing may read the halo any more.
    template <typename Value>
    void exchange(const Value* x, Stream stream = {}) const {
        exchange(type_tag<Value>::value, x, stream);
    }
    void exchange(ValueType type, const void* x, Stream stream = {}) const;

    /// Device memory: an element for each of the part's halo_columns.
    template <typename Value>
    const Value* data() const {
        return static_cast<const Value*>(data(type_tag<Value>::value));
    }
    const void* data(ValueType type) const;

  private:
    friend void connect(std::span<PeerHalo> halos);
    friend PeerHalo make_peer_halo(const Part&, const Options&, std::shared_ptr<Device>);
    PeerHalo(const Part& part, const Options& options, std::shared_ptr<Device> device);
    const PeerHaloImpl& impl() const;
    std::unique_ptr<PeerHaloImpl> impl_;
};

/// Gives each halo the places of the others. They are those of all parts of a matrix, part 0 first.
/// Throws Error(invalid_argument) when they do not belong together.
void connect(std::span<PeerHalo> halos);

/// Lets kernels and copies of `device` read and write the memory that `other` has or will have
/// ("cuda:0", "cuda:1"), until the process ends: CUDA's contexts of both stay. False where the
/// devices cannot. Memory of cudaMallocAsync needs the access rights of its pool. Throws
/// Error(invalid_argument), Error(unsupported) and Error(io).
bool enable_peer_access(const std::string& device, const std::string& other);

/// Options with the plan of a handle: its kernel and all its parameters. A handle of another part
/// then runs the same code, and nothing is chosen. All else is as in `options`. Where the other
/// matrix cannot be stored so, its handle throws Error(invalid_argument). The generic kernel, and
/// one with an epilogue, have no such plan: `options` come back as they are. Throws
/// Error(invalid_argument) for an Info that no handle returned.
Options with_plan_of(const Info& info, Options options);

}  // namespace spmvgen
