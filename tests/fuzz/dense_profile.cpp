// Any bytes as tuning_db/dense-*.json.
#include <array>
#include <cmath>

#include "spmvgen/error.hpp"
#include "support.hpp"
#include "tuner/profiles/dense_profile.hpp"

namespace spmvgen::fuzz {
namespace {

void check_promises(const DenseProfile& profile) {
    for (const ValueType type : {ValueType::f32, ValueType::f64, ValueType::c32, ValueType::c64}) {
        if (!profile.has(type)) continue;
        for (const double stored : {0.0, 1e3, 1e6, 1e18})
            for (const double rows : {0.0, 10.0, 1e9}) {
                const double promised = DenseSpeeds(profile, type).gflops(stored, rows, 8, 3);
                check(promised > 0 && std::isfinite(promised), "a profile promises a speed");
            }
    }
}

void check_round_trip(const DenseProfile& profile) {
    // What is written has fewer digits; from then on it stays as it is.
    const DenseProfile rounded = parse_dense_profile(to_json(profile));
    check(parse_dense_profile(to_json(rounded)) == rounded, "a profile reads back");
    DenseProfile head = profile;
    head.classes = rounded.classes;
    check(head == rounded, "only speeds are rounded");
    check(rounded.classes.size() == profile.classes.size(), "no class is lost");
    check(profile_file_name(profile).starts_with("dense-"), "every device gives a name");
}

}  // namespace
}  // namespace spmvgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spmvgen;
    using namespace spmvgen::fuzz;
    DenseProfile profile;
    try {
        profile = parse_dense_profile({reinterpret_cast<const char*>(data), size});
    } catch (const Error& error) {
        check(error.code() == ErrorCode::invalid_input, error.what());
        return 0;
    }
    check_promises(profile);
    check_round_trip(profile);
    return 0;
}
