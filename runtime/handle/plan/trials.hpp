#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices/device.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "handle/plan/check_times.hpp"
#include "handle/plan/kernel_makers.hpp"
#include "matrix/buffer.hpp"
#include "spmvgen/error.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/options.hpp"
#include "tuner/search/measure.hpp"
#include "verify/agreement.hpp"

namespace spmvgen {

class CsrOnDevice;

/// What trials keep to.
struct TrialTerms {
    std::int64_t memory_limit = 0;  ///< as convert() takes it
    int threads = 0;                ///< of a check of products; 0 = what OpenMP would use
};

/// Runs kernels on one matrix for the levels that measure: each is made or found, the matrix
/// converted for it unless the one before it read the same, y = Ax computed, checked and timed. For
/// one thread.
class Trials {
  public:
    virtual ~Trials() = default;
    /// As TimeSignature. What goes wrong with a kernel is told in the result. On a GPU products
    /// that a host can hardly launch as fast as they run are timed as a graph of them.
    Trial time(const Signature& signature, double seconds);
    /// What makes kernels for trials on threads of its own: on a GPU beside trials and on half
    /// of the threads, and with all that its conversion on the device needs. `now_ms` is the clock
    /// of Making::begin(), the same in each call. As long as this lives.
    Making& making(std::function<double()> now_ms);
    /// The kernels that storing the matrix on the device for this one takes; none where the host
    /// does that.
    virtual std::vector<Signature> converters_of(const Signature&) const { return {}; }
    /// What the last trial took to convert the matrix, and for which storage (storage_key); nothing
    /// when it did not.
    struct Conversion {
        std::string storage;
        double ms = 0;
    };
    const std::optional<Conversion>& last_conversion() const { return last_conversion_; }
    /// What the next trial does beside the kernel, the conversion and the timing.
    Check next_check(const Signature& signature) const;
    /// The last one, and what it took; nothing when it did not come to its end.
    struct Checked {
        Check check;
        double ms = 0;
    };
    const std::optional<Checked>& last_check() const { return last_check_; }
    /// What storing the matrix for a kernel is expected to take where the device does that, and not
    /// the host, before the first time; nothing = the host does.
    virtual std::optional<double> storing_on_device_ms(const Signature&) const {
        return std::nullopt;
    }
    /// The storage that is converted now; "" = none.
    const std::string& stored_as() const { return stored_as_; }

  protected:
    /// A kernel with the matrix converted for it.
    class Run {
      public:
        virtual ~Run() = default;
        virtual void apply() = 0;               ///< y = Ax; on a GPU it is only enqueued
        virtual void finish() = 0;              ///< waits for the applies before it
        virtual void fetch(void* y) const = 0;  ///< copies y to this machine's memory
        /// Whether record() may give something; a CPU's and the SIMT executor's cannot.
        virtual bool has_graphs() const { return false; }
        /// So many applies as a graph; null where there are none.
        virtual std::unique_ptr<DeviceGraph> record(int /*applies*/) { return nullptr; }
    };
    Trials(const CsrView& matrix, int num_rhs, const TrialTerms& terms, KernelProvider& provider,
           const KernelPolicy& policy)
        : matrix_(matrix), num_rhs_(num_rhs), terms_(terms), provider_(provider), policy_(policy) {}
    /// x, of the signature's type, is `x` here and stays there. Throws Error when the kernel or the
    /// matrix in its format cannot be had.
    virtual std::unique_ptr<Run> prepare(const Signature& signature, const Buffer& x) = 0;
    /// As KernelMakers takes them: they need nothing of this but the provider.
    virtual std::vector<KernelMakers::Piece> pieces_of(const Signature& signature) const = 0;
    virtual bool are_made_beside_trials() const { return false; }

    const CsrView& matrix_;
    const int num_rhs_;
    const TrialTerms terms_;
    KernelProvider& provider_;
    const KernelPolicy policy_;
    double kernel_ms_ = 0;                       ///< of the last prepare()
    std::optional<Conversion> last_conversion_;  ///< of the last prepare()
    std::string stored_as_;

  private:
    bool is_defect(const Error& error) const;
    Trial tried(const Signature& signature, double seconds);
    /// A graph of applies when they are short; null otherwise.
    std::unique_ptr<DeviceGraph> recorded(Run& run);
    static double once_ms(Run& run);
    Trial timed(Run& run, double first_ms, double seconds);
    /// "" when the product is that of the first kernel.
    std::string difference(const Run& run, const Signature& signature);

    std::optional<Checked> last_check_;
    Buffer x_, expected_, product_;
    std::optional<Agreement> agreement_;
    std::unique_ptr<KernelMakers> makers_;
};

/// What a handle's options say of its trials.
TrialTerms trial_terms(const Options& options);

/// On this CPU, kernels with `threads` threads. With `borrow` CSR arrays are read where they are.
std::unique_ptr<Trials> host_trials(const CsrView& matrix, int num_rhs, int threads, bool borrow,
                                    const TrialTerms& terms, KernelProvider& provider,
                                    const KernelPolicy& policy);
/// On a GPU, on its default stream. What reads CSR's arrays gets those of `csr`, which is the same
/// matrix; what the device can convert, it converts from there where that pays. `max_row`: entries
/// of the longest row.
std::unique_ptr<Trials> gpu_trials(const CsrView& matrix, CsrOnDevice& csr, std::int64_t max_row,
                                   int num_rhs, std::shared_ptr<Device> device,
                                   const TrialTerms& terms, KernelProvider& provider,
                                   const KernelPolicy& policy);

}  // namespace spmvgen
