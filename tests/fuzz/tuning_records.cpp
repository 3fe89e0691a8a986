// Any bytes as tuning_db/records-*.json.gz, inflated.
#include <algorithm>
#include <cmath>

#include "support.hpp"
#include "tuner/records/record_json.hpp"
#include "tuner/records/signature_name.hpp"

namespace spmvgen::fuzz {
namespace {

void check_record(const TuningRecord& record) {
    const Target target = parse_target(record.device.arch);
    bool known = false;
    for (auto& kernel : record.kernels) {
        check(kernel.us > 0 && std::isfinite(1 / kernel.us), "a time is a positive number");
        const auto signature = parse_kernel_name(kernel.kernel, target);
        // The name may lack parameters; that of the signature has all of them.
        check(!signature || parse_kernel_name(kernel_name(*signature), target) == signature,
              "a signature is read by its name");
        known = known || signature.has_value();
    }
    check(known, "a kernel of each record is known");
    check(std::ranges::is_sorted(record.kernels, {}, &TimedKernel::us), "the fastest is first");
}

}  // namespace
}  // namespace spmvgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spmvgen;
    using namespace spmvgen::fuzz;
    const ReadRecords read = parse_tuning_records({reinterpret_cast<const char*>(data), size});
    for (auto& record : read.records) check_record(record);
    for (auto& rejected : read.rejected) check(!rejected.reason.empty(), "a reason is told");
    const std::string text = to_json(read.records);
    const ReadRecords again = parse_tuning_records(text);
    check(again.rejected.empty() && to_json(again.records) == text, "records read back");
    return 0;
}
