// Any bytes as tuning_db/device-*.json.
#include <array>
#include <cmath>

#include "spmvgen/error.hpp"
#include "support.hpp"
#include "tuner/profiles/device_profile_scaled.hpp"

namespace spmvgen::fuzz {
namespace {

void check_rates(const DeviceProfile& profile) {
    constexpr std::array<double, 5> amounts{1, 4096, 1e6, 3e9, 1e18};
    for (const double bytes : amounts)
        for (const int threads : {0, 1, 7, 65536}) {
            for (const double rate :
                 {profile.read_rate(bytes, threads), profile.copy_rate(bytes, threads),
                  profile.gather_rate(bytes, threads), profile.atomic_rate(bytes, threads)})
                check(rate > 0 && std::isfinite(rate), "a rate is a positive number");
            const double us = predict_us(profile, bytes, threads, 3, {bytes, 64, bytes});
            check(us > 0 && std::isfinite(us), "a time is a positive number");
        }
}

DeviceProfile a_sheet() {
    DeviceProfile sheet;
    sheet.units = 100;
    sheet.rated = {1.5, 1e12, 4e7};
    return sheet;
}

}  // namespace
}  // namespace spmvgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spmvgen;
    using namespace spmvgen::fuzz;
    try {
        const DeviceProfile profile =
            parse_device_profile({reinterpret_cast<const char*>(data), size});
        if (!profile.read.empty()) {
            check_rates(profile);
            check_rates(scaled(profile, a_sheet()));
        }
        check(parse_device_profile(to_json(profile)) == profile, "a profile reads back");
    } catch (const Error& error) {
        check(error.code() == ErrorCode::invalid_input, error.what());
    }
    return 0;
}
