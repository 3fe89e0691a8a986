#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "spmvgen/signature.hpp"

/// What is asked of the tuner, and what it answers.
namespace spmvgen {

struct DeviceProfile;

/// A block size for blocked CSR, see tuner/chooser/block_choice.hpp.
struct BlockChoice {
    int rows = 0, cols = 0;
    double fill = 1;           ///< stored entries over nonzeros, as estimated
    std::string reason = {};   ///< one line for people
    std::string warning = {};  ///< of the tuning parameters that were to be read; "" = none
    /// `fill` of blocks of 1, 2, 3 and 4 rows and one column, for several vectors; 0 = not known.
    std::array<double, 4> fill_of_rows = {};
};

/// What the values of a matrix can be stored as so that every bit can be had back
/// (formats/value_encoding.hpp).
struct ExactValues {
    ValueType storage = ValueType::f64;  ///< for kernels that know no code which fits
    std::int64_t value_code = 0;         ///< for those that have this parameter
    bool operator==(const ExactValues&) const = default;
};

/// What storing a matrix as strips would take, see tuner/chooser/strips_choice.hpp.
struct StripsOutlook {
    double bytes = 0;        ///< of all arrays of A that an apply reads
    double index_bytes = 0;  ///< a nonzero, of these but the values
    double padding = 1;      ///< stored values over nonzeros
    /// Columns are stored as they are, and nothing else of an entry: all values are one.
    bool whole_columns = false;
};

/// How the entries of a matrix concentrate in few columns, for tiles with hubs.
struct HubsOutlook {
    std::int64_t hubs = 0;  ///< so many columns of those used most
    double share = 0;       ///< have this share of all entries,
    double in_sectors = 0;  ///< and so many have as many columns of the sectors used most
};

/// What the caller fixed; "auto" and absent parameters are free. choice_key() has all that is set
/// before a choice.
struct Request {
    std::string format = "auto";
    std::string kernel = "auto";
    /// With both auto: a format that this matrix would make too large.
    std::optional<Format> without = {};
    std::string rule = {};  ///< of a paper, by name (tuner/rules/paper_rules.hpp), where the kernel
                            ///< is free; "" = the choice
    Params params = {};
    Target target = {};
    int num_rhs = 1;
    int threads = 1;  ///< threads that will take part in an apply, of a CPU
    /// Smaller teams that may do so instead, ascending, where predicted times say so.
    std::vector<int> smaller_teams = {};
    int units = 0;               ///< of a GPU: multiprocessors, compute units; 0 = not known
    bool deterministic = false;  ///< only kernels that give the same bits each time
    bool batch = false;          ///< kernels of batches instead of single matrices
    std::optional<ValueType> vectors = {};  ///< of x and y; absent = A's
    std::optional<ValueType> storage = {};  ///< narrower than `vectors`, for A's values
    bool look = true;  ///< many applies are expected: all columns and values may be looked at
    std::int64_t applies = 0;  ///< that are expected, which counting work must repay; 0 = many
    bool encode = false;       ///< values may be stored in fewer bytes where that loses nothing
    /// With `encode`: what the values allow; what params says wins. Absent = as they are.
    std::optional<ExactValues> exact = {};
    bool often_updated = false;  ///< only formats whose new values take few products
    /// With `often_updated`: that have values in the order of the entries, for no map may be kept.
    bool in_order_only = false;
    std::optional<ValueType> accumulator = {};  ///< wider than `vectors`, for the sums
    std::string epilogue = {};                  ///< as in Signature
    Op op = Op::none;         ///< of a kernel that transposes the stored matrix by itself
    std::string device = {};  ///< the device's name in tuning_db; "" = the target
    /// For predicted times; null = none are predicted, or kernels cannot be made.
    const DeviceProfile* profile = nullptr;
    /// Blocked CSR: the size that the matrix suggests; what params says wins. Absent = presets.
    std::optional<BlockChoice> blocks = {};
    /// Strips, where they are among the kernels; absent = the rules do not think of them.
    std::optional<StripsOutlook> strips = {};
    /// Hubs, where tiles_hubs is among the kernels; absent = the rules do not think of it.
    std::optional<HubsOutlook> hubs = {};
    /// What larger blocks of threads would save (tuner/chooser/gathers.hpp); absent = not looked
    /// at.
    std::optional<double> saved_gathers = {};
    /// Types of the caller's own arrays, which a CSR kernel must take as they are (they are
    /// borrowed); absent = the narrowest that the matrix allows.
    std::optional<IndexType> csr_index = std::nullopt, csr_offset = std::nullopt;
};

/// The types of a product that is asked for, of a matrix of values of type `matrix`.
inline ValueType vectors_type(const Request& r, ValueType matrix) {
    return r.vectors.value_or(matrix);
}
inline ValueType stored_type(const Request& r, ValueType matrix) {
    return r.storage.value_or(matrix);
}
inline ValueType sums_type(const Request& r, ValueType matrix) {
    return r.accumulator.value_or(vectors_type(r, matrix));
}

struct Choice {
    Signature signature;       ///< complete, for α = 1, β = 0
    std::string reason;        ///< one line for people, with the figures that decided
    std::string warning = {};  ///< of tuning parameters that could not be read; "" = none
    int threads = 0;           ///< of a smaller team; 0 = Request::threads
};

}  // namespace spmvgen
