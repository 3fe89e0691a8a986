#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/features/block_fill.hpp"
#include "spmvgen/types.hpp"
#include "tuner/files/tuning_files.hpp"

namespace spmvgen {

/// What one dense matrix, stored as a sparse one, reached with each block size.
struct DenseClass {
    ValueType value = ValueType::f64;
    std::int64_t rows = 0, cols = 0;
    BlockTable gflops{};  ///< 2·rows·cols operations (8 for complex numbers) over the time
    std::int64_t nnz() const { return rows * cols; }
    bool operator==(const DenseClass&) const = default;
};

/// P_dense of GOSpMV (section 3.2.1): a benchmark of one device, by block size and size class. A
/// file of tuning_db, see docs/explanation/gospmv.md.
struct DenseProfile {
    std::string device;     ///< a GPU's name ("NVIDIA H200"), or of a CPU its target with the model
    int threads = 0;        ///< of a CPU; 0 = a GPU
    std::string generator;  ///< digest of the generator that made the kernels
    std::string version;    ///< of spmvgen
    std::string command;    ///< that made it
    std::string note;       ///< for people: what else ran on the machine
    std::vector<DenseClass> classes;
    bool operator==(const DenseProfile&) const = default;

    bool has(ValueType value) const;
};

/// What a profile promises matrices with values of a type of which it must have classes. The
/// profile must outlive it.
class DenseSpeeds {
  public:
    DenseSpeeds(const DenseProfile& profile, ValueType value);
    /// GFLOP/s that blocks r×c promise a matrix of so many stored elements and rows: times an
    /// element are interpolated between the classes over the logarithms of the elements and of the
    /// elements a row; beyond the outermost class its own.
    double gflops(double stored, double rows, int r, int c) const;

  private:
    struct Class {
        double at = 0;  ///< the logarithm of its elements
        const BlockTable* gflops = nullptr;
    };
    struct Width {
        double at = 0;  ///< the logarithm of the columns
        std::vector<Class> classes{};
    };
    std::vector<Width> widths_;
};

/// JSON, and back. parse_dense_profile throws Error(invalid_input) that says what is wrong with the
/// text: no JSON, another kind or schema, a missing field, a number that is none or not positive.
std::string to_json(const DenseProfile& profile);
DenseProfile parse_dense_profile(std::string_view text);

/// The name that a profile has in tuning_db: "dense-nvidia-h200.json".
std::string profile_file_name(const DenseProfile& profile);

/// A profile that was looked for.
struct FoundProfile {
    std::optional<DenseProfile> profile;
    std::string file;      ///< its name
    std::string warning;   ///< of files that were passed over because they are broken; "" = none
    bool shipped = false;  ///< whether it is part of spmvgen
};

/// A file that was read.
struct ReadDenseProfile {
    std::string file;                     ///< its name, TuningFile::label()
    bool shipped = false;                 ///< TuningFile::shipped()
    std::optional<DenseProfile> profile;  ///< none: it is broken
    std::string warning;                  ///< then: why
};

/// The files, in order. Never throws for what they hold.
std::vector<ReadDenseProfile> read_dense_profiles(std::span<const TuningFile> files);

/// The profile of a device: of those that do not ship if there is one, else of those that do; for a
/// CPU with that number of threads if there is one, else with any. Files of other devices are
/// passed over; broken ones, too, with a warning.
FoundProfile find_dense_profile(std::span<const ReadDenseProfile> profiles, std::string_view device,
                                int threads);

/// The same among tuning_files("dense-"), which are read once in a process for each directory that
/// $SPMVGEN_TUNING_DB names. Safe to call from any thread.
FoundProfile find_dense_profile(std::string_view device, int threads);

}  // namespace spmvgen
