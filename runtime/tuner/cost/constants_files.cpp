#include "process/log.hpp"
#include "spmvgen/error.hpp"
#include "tuner/cost/constants.hpp"
#include "tuner/files/tuning_files.hpp"

namespace spmvgen {

std::optional<CostConstants> read_cost_constants(const CostScheme& scheme) {
    Log log;
    for (auto& file : tuning_files(scheme.kind)) {
        try {
            return parse_cost_constants(file.readable_text(), scheme);
        } catch (const Error& error) {
            log.warn(file.name + ": " + error.what());
        }
    }
    return std::nullopt;
}

}  // namespace spmvgen
