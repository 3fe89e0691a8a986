#pragma once
#include <string>
#include <vector>

#include "tuner/records/record.hpp"

namespace spmvgen {

/// A record and the file that it is from.
struct SourcedRecord {
    TuningRecord record;
    std::string file;
};

/// A record, or a whole file, that was not taken.
struct LeftOut {
    std::string file;
    std::string record;  ///< "record 3 (gallery:thermal2)"; "" = the whole file
    std::string reason;
    bool operator==(const LeftOut&) const = default;
};

struct MergedRecords {
    std::vector<SourcedRecord> records;  ///< one for each record_key, in the order of these
    std::vector<LeftOut> left_out;
};

/// Of records that answer the same (record_key) the better one, see is_better(). The result does
/// not depend on the order of the records, but for which of two equal ones is left out.
MergedRecords merge_records(std::vector<SourcedRecord> records);

/// Which of two records of the same key counts: one of this version's generator, then an exhaustive
/// one, then the newer one, then the one with more kernels; else the digests decide, so that
/// every machine decides alike.
bool is_better(const TuningRecord& a, const TuningRecord& b);

}  // namespace spmvgen
