// bench_scaled_profile: how near a device profile that is scaled from another GPU's comes to the
// calibrated one of the same GPU (docs/reference/files.md), and what the choice loses by it. A line
// of JSON for the rates, then one for each matrix.
//     bench_scaled_profile FROM.json TO.json [gallery:… | FILE.mtx]…
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "matrix/read/reader.hpp"
#include "matrix/suites/gallery.hpp"
#include "spmvgen/error.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/chooser/counted_choice.hpp"
#include "tuner/profiles/device_profile_scaled.hpp"
#include "tuner/records/signature_name.hpp"

namespace {

using namespace spmvgen;
using Json = nlohmann::ordered_json;

DeviceProfile profile_of(const char* path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    DeviceProfile profile = parse_device_profile(text.str());
    if (profile.read.empty())
        throw Error(ErrorCode::invalid_input, fmt::format("{} has no rates", path));
    return profile;
}

/// ln of a profile's rates over the calibrated ones, at the bytes that were calibrated.
Json distances(const DeviceProfile& profile, const DeviceProfile& calibrated) {
    struct Rates {
        const char* name;
        std::vector<DeviceRate> DeviceProfile::* list;
        double (DeviceProfile::*rate)(double, int) const;
    };
    constexpr Rates all[] = {{"read", &DeviceProfile::read, &DeviceProfile::read_rate},
                             {"copy", &DeviceProfile::copy, &DeviceProfile::copy_rate},
                             {"gather", &DeviceProfile::gather, &DeviceProfile::gather_rate},
                             {"atomics", &DeviceProfile::atomics, &DeviceProfile::atomic_rate}};
    Json json;
    for (auto& rates : all) {
        double sum = 0, most = 0, at = 0;
        for (auto& point : calibrated.*rates.list) {
            const double ln = std::log((profile.*rates.rate)(point.bytes, 0) / point.per_s);
            sum += std::abs(ln);
            if (std::abs(ln) > std::abs(most)) most = ln, at = point.bytes;
        }
        json[rates.name] = {
            {"mean_abs_ln", sum / static_cast<double>((calibrated.*rates.list).size())},
            {"most_ln", most},
            {"most_at_bytes", at}};
    }
    return json;
}

/// Choices at level rule by the rules alone and with three profiles, and what each is predicted to
/// take by the calibrated one; null where its work is not counted.
Json choices_line(const std::string& name, const DeviceProfile& from, const DeviceProfile& made,
                  const DeviceProfile& to) {
    constexpr std::string_view prefix = "gallery:";
    const CsrMatrix matrix = name.starts_with(prefix)
                                 ? make_gallery_matrix(name.substr(prefix.size()))
                                 : read_matrix(name);
    const RowFeatures features = analyse_row_lengths(matrix.view());
    Request request{.target = parse_target(to.arch), .units = to.units, .encode = true};
    request.device = to.device;
    Chooser judge(matrix.view(), features);
    Request by_calibrated = request;
    by_calibrated.profile = &to;
    const auto chosen = [&](const DeviceProfile* profile) -> Json {
        request.profile = profile;
        const Choice choice = choose_for(matrix.view(), features, request);
        const auto prediction = judge.predict(choice.signature, by_calibrated);
        return {{"kernel", kernel_name(choice.signature)},
                {"us", prediction ? Json(prediction->us) : Json()}};
    };
    return {{"matrix", name},           {"nnz", matrix.view().nnz},
            {"rules", chosen(nullptr)}, {"calibrated", chosen(&to)},
            {"scaled", chosen(&made)},  {"unscaled", chosen(&from)}};
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 3) {
        std::cerr << "usage: bench_scaled_profile FROM.json TO.json [gallery:… | FILE.mtx]…\n";
        return 2;
    }
    const DeviceProfile from = profile_of(argv[1]), to = profile_of(argv[2]);
    const DeviceProfile made = scaled(from, to);
    std::cout << Json{{"device", to.device},
                      {"method", made.method},
                      {"scaled", distances(made, to)},
                      {"unscaled", distances(from, to)}}
                     .dump()
              << "\n";
    for (int i = 3; i < argc; ++i)
        std::cout << choices_line(argv[i], from, made, to).dump() << std::endl;
    return 0;
} catch (const std::exception& error) {
    fmt::print(stderr, "bench_scaled_profile: {}\n", error.what());
    return 1;
}
