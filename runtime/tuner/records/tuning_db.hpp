#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/files/tuning_files.hpp"
#include "tuner/records/record_merge.hpp"
#include "tuner/rules/choose.hpp"

/// What was recorded of kernels on matrices, and which of it answers a question:
/// docs/reference/files.md.
namespace spmvgen {

/// How near the device of a record is, the nearest first.
enum class DeviceMatch { same, architecture, vendor };

/// How near its matrix is, the nearest first: in all features, in row lengths when nothing else was
/// given to compare, or alike up to most_distance.
enum class MatrixMatch { same, same_rows, alike };

/// A record that answers a question. Points into the TuningDb that gave it.
struct FoundRecord {
    const SourcedRecord* source = nullptr;
    DeviceMatch device = DeviceMatch::same;
    MatrixMatch matrix = MatrixMatch::same;
    double distance = 0;        ///< of `alike`: distance() of tuner/records/matrix_print.hpp
    bool alike_blocks = false;  ///< block_fill was compared, too: kernels of blocks may be taken
};

/// Records with an index. Immutable; may be read by any number of threads.
class TuningDb {
  public:
    /// Of records that answer the same the better one stays: merge_records().
    explicit TuningDb(std::vector<SourcedRecord> records);

    std::span<const SourcedRecord> records() const { return records_; }

    /// The records of such a question on such a device and of such a matrix, the best first: by
    /// device (the same, of the same architecture, of the same vendor), then the same matrix before
    /// those that are alike up to most_distance, the nearest first. With RowFeatures only row
    /// lengths are compared, and kernels of blocked CSR are not taken. Takes some ten
    /// microseconds for a hundred records.
    std::vector<FoundRecord> look_up(const RowFeatures& matrix, const Question& question,
                                     const RecordDevice& device) const;
    std::vector<FoundRecord> look_up(const Features& matrix, const Question& question,
                                     const RecordDevice& device) const;

  private:
    template <typename F>
    std::vector<FoundRecord> find(const F& matrix, const Question& question,
                                  const RecordDevice& device) const;

    std::vector<SourcedRecord> records_;
    std::unordered_map<std::string, std::vector<std::size_t>> by_question_;
    std::vector<std::string> row_prints_, matrix_prints_;
};

/// The records of the files, in order. What is broken, foreign, older or newer is left out, with a
/// line in `warnings` that says why.
std::vector<SourcedRecord> read_record_files(std::span<const TuningFile> files,
                                             std::vector<std::string>& warnings);

/// All records files of this machine: of $SPMVGEN_TUNING_DB and those that ship
/// (tuning_files()), and the user's own (read_own_files()).
std::vector<TuningFile> all_record_files(std::vector<std::string>& warnings);

/// What is known here: all_record_files(), read once in a process, warnings written to the log.
/// Safe to call from any thread.
const TuningDb& tuning_db();

/// look_up() of a matrix of which only row lengths were analysed: the rest is, by `threads` threads
/// (0: what OpenMP would use), when a record is alike by these.
std::vector<FoundRecord> look_up(const TuningDb& db, const CsrView& matrix, const RowFeatures& rows,
                                 const Question& question, const RecordDevice& device, int threads);

/// What a request asks, of a matrix with values of that type.
Question question_of(const Request& request, ValueType matrix);

/// Level `recorded`: the fastest kernel of the first record that has one which this version makes
/// and the request allows; the reason tells which record that is, in words. `choose`: choose_for()
/// of the matrix. Nothing when there is none.
std::optional<Choice> choose_recorded(std::span<const FoundRecord> found, const Request& request,
                                      const std::function<Choice(const Request&)>& choose);

/// "recorded on NVIDIA H200, the same architecture (sm_90), for this matrix (thermal2; exhaustive,
/// 2026-11-21)"
std::string to_string(const FoundRecord& found);

/// Why choose_recorded() chose nothing of what was found, in words.
std::string why_not_recorded(const TuningDb& db, std::span<const FoundRecord> found,
                             const Question& question, const RecordDevice& device);

}  // namespace spmvgen
