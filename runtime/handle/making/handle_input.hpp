#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "devices/device.hpp"
#include "handle/base/handle_impl.hpp"
#include "matrix/value_order.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

/// A matrix as a handle is made of it, whatever the caller gave: CSR that counts from 0 and is
/// multiplied as it is, but for kernels that transpose. And what the handle is told of the given
/// one.
struct HandleInput {
    CsrView matrix;
    Options options;         ///< what is asked of `matrix`
    bool on_device = false;  ///< whether its arrays are in the device's memory, else on this host
    Arrays arrays = Arrays::callers;
    std::shared_ptr<const void> owner = {};  ///< of the arrays; null = the caller keeps them

    ValueType given_type = ValueType::f64;  ///< of the given values
    std::int64_t given_entries = 0;         ///< how many
    std::shared_ptr<Device> given_on = {};  ///< that has them; null = this host
    std::vector<ValueOrder> orders = {};    ///< from the given values to those of `matrix`
    bool by_columns = false;                ///< `matrix` is the transpose of the given CSC
    std::string op = "N";                   ///< of the given matrix that is asked for
    std::string reason = {};                ///< why `matrix` is another one; "" = it is not
    double convert_ms = 0;                  ///< what it took to make it
    /// On this host: whether a kernel that would have to be compiled is done without.
    bool at_hand = false;

    /// The same, of the same arrays.
    HandleInput copy() const;
};

/// The given matrix as CSR that counts from 0; of options.op nothing is known yet. The options have
/// been checked; `device` is what they name, null for the host. Throws Error(invalid_argument) for
/// a matrix that is found to be broken; what is given as it is has not been looked at.
HandleInput csr_input(const CsrView& matrix, const Options& options,
                      const std::shared_ptr<Device>& device);
HandleInput csr_input(const CooView& matrix, const Options& options,
                      const std::shared_ptr<Device>& device);
HandleInput csr_input(const CscView& matrix, const Options& options,
                      const std::shared_ptr<Device>& device);
HandleInput csr_input(const BsrView& matrix, const Options& options,
                      const std::shared_ptr<Device>& device);

/// That `op` of the given matrix is asked for.
void ask_op(HandleInput& input, const std::string& op);

/// `matrix` in the place of the input's: the handle's own, on this host, that counts from 0.
void take_own(HandleInput& input, std::shared_ptr<const CsrMatrix> matrix);

/// The input of which options.op is done: transposed or conjugated, unless a kernel does so. Throws
/// Error(invalid_argument) as validate() where that is so.
HandleInput with_op_done(HandleInput input, Device* device);

/// What is asked of columns, asked of their transpose.
Options options_of_transpose(Options options);

/// What an error says of the CSR that is made of a matrix, said of the given one: with columns for
/// rows, and `from_one` with the advice that its numbers are larger.
std::string in_callers_words(const CsrView& given, bool from_one, std::string text);
std::string in_callers_words(const CooView& given, bool from_one, std::string text);
std::string in_callers_words(const CscView& given, bool from_one, std::string text);
std::string in_callers_words(const BsrView& given, bool from_one, std::string text);

}  // namespace spmvgen
