#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/device.hpp"
#include "devices/operands.hpp"
#include "formats/stored_matrix.hpp"
#include "handle/base/variant_table.hpp"
#include "handle/base/x_gathers.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "handle/kernels/stopwatch.hpp"
#include "handle/plan/levels.hpp"
#include "handle/plan/request_of_options.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/reorder/reordering.hpp"
#include "matrix/value_order.hpp"
#include "spmvgen/epilogue.hpp"
#include "spmvgen/spmvgen.hpp"
#include "tuner/rules/choose.hpp"

namespace spmvgen {

/// New numbers, one for each entry of the matrix that a handle was made of, in its order.
struct NewValues {
    const void* data = nullptr;
    bool on_device = false;  ///< where they are: with options.device_arrays on the device
};

class DeviceCsr;
class PlannedMatrix;
class VectorPacker;

/// What one apply_many brings, as Handle::apply_many has it.
struct ManyOperands {
    std::int64_t k = 0;
    const void* alpha = nullptr;
    ConstVectors x;
    const void* beta = nullptr;
    Vectors y;
};

/// Whose arrays a matrix has that a handle is made of: the caller's; vectors that the handle took
/// over; or, of a matrix that was transposed or sorted for the handle, its own, which count for
/// options.memory_limit as far as kernels read them.
enum class Arrays { callers, taken_over, own };

/// When apply_many packs vectors that a kernel could take as they are.
enum class PackVectors { automatic, always, never };

/// Options::pack_vectors. Throws Error(invalid_argument) that lists what there is.
PackVectors parse_pack_vectors(std::string_view text);

/// What is behind a handle: one class for CPUs, one for GPUs.
class HandleImpl {
  public:
    HandleImpl(const HandleImpl&) = delete;
    HandleImpl& operator=(const HandleImpl&) = delete;
    virtual ~HandleImpl() = default;
    virtual void apply(ValueType type, const Operands& operands, Stream stream) = 0;
    /// As Handle::apply_with; `operands` has no epilogue's yet.
    void apply_with(ValueType type, const Operands& operands,
                    std::span<const EpilogueOperand> named, Stream stream);
    /// As Handle::apply_many: in pieces, each of as many vectors as there is a kernel for.
    virtual void apply_many(ValueType type, const ManyOperands& operands, Stream stream);
    /// As Handle::apply_out_of_place; operands.y is what is read.
    virtual void apply_out_of_place(ValueType type, const Operands& operands, void* z,
                                    Stream stream);
    /// Whether apply() can be had with so many right-hand sides in these forms: makes or finds the
    /// kernel. x and y may be null.
    bool offers(ValueType type, const Operands& operands);
    /// Brings vectors into the layout that apply() takes.
    virtual VectorPacker& packer();
    /// Whether kernels read and write several vectors in any form.
    virtual bool takes_forms() const { return false; }
    /// What x costs by columns, of a handle that takes forms; on a GPU waits for copies.
    virtual XGathers count_gathers(ValueType) { return {}; }
    virtual void prepare(Scale alpha, Scale beta, Stream stream) = 0;
    /// Source of the kernel for α = 1, β = 0; "" = there is none.
    virtual std::string source() const = 0;
    /// new → old, of a reordered matrix; empty when there is no new order.
    virtual std::span<const std::int32_t> row_order() const { return {}; }
    virtual const Info& info() const { return info_; }
    /// As Handle::workspace_bytes, for an aligned workspace.
    virtual std::size_t workspace_bytes(Scale, Scale) { return 0; }

    /// Zeros in memory where x and y are.
    virtual void set_zero(void* data, std::size_t bytes) { std::memset(data, 0, bytes); }

    /// As Handle::update_values.
    void update_values(ValueType type, const void* values, Stream stream);
    /// The same of values wherever they are.
    void update_values(ValueType type, NewValues given, Stream stream);

    /// Takes over what the caller gave: `entries` values of a type, where `device` is not null in
    /// its memory. Until then, update_values knows of no entries.
    void tell_given(ValueType type, std::int64_t entries, std::shared_ptr<Device> device = nullptr);
    /// Takes over that the handle was made of a matrix of its own, whose values come in this order
    /// from those that were given until now.
    void tell_order(ValueOrder order);
    /// Takes over what owns the arrays of `matrix`, of which the handle was made with options.copy
    /// = false, and keeps it when they are still read. `own`: they are the handle's to write to.
    void keep(std::shared_ptr<const void> arrays, const CsrView& matrix, bool own);
    /// Takes over what its maker has to say: changes what info() tells, also of a handle that takes
    /// this one's place later. For the maker, before others have the handle.
    virtual void tell(const std::function<void(Info&)>& change) { change(info_); }
    /// Takes over that the handle took so long to make beside its constructor, for that part.
    void tell_more_time(double ms, double Info::* part) {
        tell([=](Info& info) {
            info.prepare_ms += ms;
            info.*part += ms;
        });
    }
    /// Takes over why this handle was made.
    void tell_reason(const std::string& reason) {
        tell([&](Info& info) { info.reason = reason; });
    }
    /// Takes over why this handle was made instead of another one.
    void tell_reason_before(const std::string& reason) {
        tell([=](Info& info) { info.reason = reason + "; " + info.reason; });
    }
    /// Takes over which op this is of the matrix that the caller gave.
    void tell_op(const std::string& op) {
        tell([=](Info& info) { info.op = op; });
    }

    static Handle wrap(std::unique_ptr<HandleImpl> impl) { return Handle(std::move(impl)); }
    /// From now on row i of a product is element rows[i] of y, whatever the modes, and no other one
    /// is touched. False where the kernel cannot do so; then all is as before. Not for epilogues.
    virtual bool store_in_rows(std::span<const std::int32_t>) { return false; }

  protected:
    /// Throws Error(invalid_argument) for options that no device takes.
    HandleImpl(const Options& options, KernelProvider& provider);

    /// What the options ask of the tuner, for the target in signature_.
    Request request_for(const Options& options) const { return request_of(options, signature_); }
    /// Takes over what the tuner chose.
    void take(const Choice& choice);
    /// The same with what the level made of it.
    void take(LevelChoice level);
    /// The kernel that is made ahead for such matrices: what row lengths alone suggest, of the same
    /// kernel where the matrix fits it to itself; signature_ itself where it was asked for.
    Signature general_signature(const RowFeatures& features, const Request& request) const;
    /// The kernel of signature_; where it cannot be had, and the same kernel for any matrix can,
    /// that one, with which signature_ then goes on. `get` gives the kernel of a signature, or
    /// throws Error(compile), or gives none.
    template <typename Get>
    auto kernel_or_general(const RowFeatures& features, const Request& request, Get get) {
        auto first = get(signature_, false);
        if (first.kernel != nullptr) return first;
        const Signature general = general_signature(features, request);
        if (general == signature_) return get(signature_, true);
        auto second = get(general, false);
        if (second.kernel == nullptr) return get(signature_, true);
        info_.reason += "; with the kernel for any columns and values, for its own cannot be had";
        signature_ = general;
        return second;
    }
    /// Fills in what an apply is predicted to take, with `threads` of a CPU. info_ tells its bytes
    /// and launches. `device` is null for the host.
    void predict(const Device* device, int threads);
    /// Fills in what the choice took: what `watch` has since the constructor began and no other
    /// part has until now.
    void tell_choice_ms(const Stopwatch& watch);
    /// Takes over how the kernel was had.
    template <typename Kernel>
    void tell_origin(const Provided<Kernel>& provided) {
        info_.origin = provided.origin;
        info_.source_path = provided.source_path;
        info_.warning = provided.warning;
        if (!level_warning_.empty())
            info_.warning += (info_.warning.empty() ? "" : "; ") + level_warning_;
    }
    /// Fills in what info_ says of the matrix, which is stored as `stored` for signature_.
    void describe(const CsrView& matrix, const StoredMatrix& stored);

    struct Modes {
        Scale alpha, beta;  ///< α is zero, too, when A has no entries
    };
    /// The modes of α and β of an apply, whatever x and y are.
    Modes modes_of(ValueType type, const Operands& operands) const;
    /// The same. Throws Error(invalid_argument) for operands that do not fit.
    Modes checked_modes(ValueType type, const Operands& operands);

    KernelProvider& provider_;
    KernelPolicy policy_;
    const EpilogueProgram epilogue_;
    /// Takes over the number types that the options ask for.
    void set_types(const Options& options, ValueType matrix);
    /// The same of a handle around others, which store new values themselves: it rounds none.
    void set_types_around(const Options& options, ValueType matrix);

    Signature signature_;  ///< of the kernel for α = 1, β = 0
    /// The type that A's values are stored in unless they are encoded.
    ValueType plain_storage_ = ValueType::f64;
    int num_rhs_ = 1;
    Info info_;

    /// The right-hand sides of an apply.
    int width_of(const Operands& operands) const {
        return operands.num_rhs > 0 ? operands.num_rhs : num_rhs_;
    }
    ProductVectors vectors_of(const Operands& o) const { return {width_of(o), o.x_form, o.y_form}; }
    static bool is_dense(const ProductVectors& v) {
        return v.x == VectorForm::dense && v.y == VectorForm::dense;
    }
    /// That of a kernel beside the one of `base`.
    Signature signature_for(const Signature& base, const ProductVectors& vectors, Scale alpha,
                            Scale beta) const;
    /// Whether there is, or can be made, a kernel for other than the planned number of right-hand
    /// sides. May throw Error(compile) or Error(invalid_argument) where there is none.
    virtual bool has_kernel(ValueType, const Operands&) { return false; }

    /// Throws Error(invalid_argument) for vectors that do not fit.
    void check_many(ValueType type, const ManyOperands& operands) const;
    /// Whether products leave some elements of y as they are, which then are part of what is packed
    /// and unpacked.
    virtual bool leaves_some_of_y() const { return false; }
    /// Whether the kernel transposes, so that x belongs to the rows of the stored matrix.
    bool transposes() const;
    /// Whether an apply reads arrays of the matrix that the handle was made of.
    virtual bool borrows(const CsrView&) const { return false; }
    /// Puts new numbers into the stored matrix, which has entries: one for each that the
    /// constructor got. Throws before anything is changed.
    virtual void set_values(const NewValues& values, Stream stream);
    /// New numbers in the device's memory, in an order that tell_order() told of; null where the
    /// host has to put them into it. Complete when it returns.
    virtual std::unique_ptr<DeviceMemory> ordered_there(const ValueOrder&, const void*, Stream) {
        return nullptr;
    }
    /// The same of a matrix that is encoded, where its encoding holds them: false, and nothing
    /// changed, where it does not, or where nothing but the host can tell.
    virtual bool put_encoded(const NewValues&, Stream) { return false; }
    /// The same of numbers on this host that need a wider encoding than signature_ has: with the
    /// kernels of `wider`. Throws before anything is changed.
    virtual void store_wider_values(const Signature& wider, const void* values, Stream stream);
    /// Takes over that this was done.
    void tell_wider_values(const Signature& wider);
    /// Throws Error(compile): the kernel for wider values cannot be had.
    [[noreturn]] void refuse_wider_values(const Signature& wider, const std::string& why) const;
    /// Whether arrays that are read but not stored are the handle's to write to.
    bool owns_arrays() const { return owns_arrays_; }
    bool updatable() const { return updatable_; }
    ValueType given_type() const { return given_type_; }

  private:
    void check_type(ValueType type, const char* call) const;
    bool columns_pay(ValueType type, int num_rhs);
    bool takes_one_by_one(ValueType type, const ManyOperands& m) const;
    ProductVectors vectors_as_they_are(ValueType type, const ManyOperands& m, int width);
    ProductVectors piece_of(ValueType type, const ManyOperands& m, std::int64_t left,
                            bool may_stay);
    void check_operands(const Operands& operands, bool needs_x) const;
    void check_workspace(const Operands& operands, std::size_t needed) const;
    void check_named(const EpilogueOperand& given, const EpilogueName& name,
                     const Operands& operands) const;
    void check_overlaps(std::span<void* const> operands) const;
    void check_storable(const void* values) const;
    /// Puts numbers into the stored matrix, which is encoded.
    void set_encoded(NewValues given, Stream stream);
    /// The numbers in the order of the handle's own matrix, to which `given` points then: nothing
    /// where they are as they were given.
    Buffer ordered_here(NewValues& given, Stream stream) const;
    /// What the device has of new numbers once the stream is done.
    Buffer numbers_on_host(const NewValues& given, Stream stream) const;
    void check_sums(const ValueOrder& order, const void* sums) const;

    bool updatable_ = true;
    const bool chosen_for_updates_;            ///< by options.updates
    int threads_ = 0;                          ///< options.threads
    ValueType given_type_ = ValueType::f64;    ///< of the values that the caller gave
    std::int64_t given_entries_ = 0;           ///< how many
    std::shared_ptr<Device> given_on_;         ///< where, unless on this host
    std::vector<ValueOrder> orders_;           ///< from those to the constructor's, one by one
    std::shared_ptr<const void> kept_arrays_;  ///< owns arrays that are read
    bool owns_arrays_ = false;
    std::string level_warning_;  ///< part of info_.warning
    /// Of each pair of forms, bit k-1: k right-hand sides cannot be had.
    std::array<std::atomic<std::uint64_t>, 9> refused_widths_{};
    PackVectors pack_ = PackVectors::automatic;
    std::mutex counting_;  ///< guards x_gathers_
    std::optional<XGathers> x_gathers_;
};

/// Whether an apply of a matrix that is stored so reads arrays of `matrix`.
bool reads_arrays(const StoredMatrix& stored, const CsrView& matrix);
/// Bytes of the arrays of `matrix` that it then reads.
double bytes_read_of(const CsrView& matrix, const StoredMatrix& stored);

/// What α or β is, of which `number` is the value, which is not read when it is on a device.
Scale scale_of(ValueType type, const void* number, bool on_device = false);

}  // namespace spmvgen
