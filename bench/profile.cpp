// bench_profile: measures this CPU for tuning_db/device-*.json and prints that file.
//     bench_profile DATE [NOTE] > tuning_db/device-x86-64-v4.json
#include <fmt/format.h>
#include <omp.h>

#include <cmath>
#include <iostream>

#include "measure/bandwidth.hpp"
#include "rounds.hpp"
#include "spmvgen/target.hpp"
#include "tuner/device_profile.hpp"

namespace {

using namespace spmvgen;
using namespace spmvgen::bench;

double region_us(int threads) {
    std::vector<double> samples;
    for (int i = 0; i < 51; ++i)
        samples.push_back(1e6 * seconds_of(1000, [&] {
#pragma omp parallel num_threads(threads)
                              asm volatile("");  // an empty region is left out
                          }));
    return quantile(samples, 0.5);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: bench_profile DATE [NOTE]\n";
        return 2;
    }
    DeviceProfile profile;
    profile.device = parse_target("native").arch;
    profile.date = argv[1];
    profile.method = fmt::format(
        "bench_profile {}: measure_bandwidth() sums an array again and again for 0.08 s, the "
        "fastest pass of three times counts; launch_us is an empty parallel region of all "
        "threads, median of 51 times 1000{}{}",
        argv[1], argc > 2 ? ". " : "", argc > 2 ? argv[2] : "");
    const int most = omp_get_max_threads();
    profile.launch_us = std::round(1e3 * region_us(most)) / 1e3;
    for (int threads = 1; threads <= most;
         threads = threads < most ? std::min(2 * threads, most) : most + 1)
        for (const std::int64_t bytes :
             {1'000'000, 4'000'000, 16'000'000, 64'000'000, 256'000'000, 1'000'000'000}) {
            Bandwidth best;
            for (int i = 0; i < 3; ++i)
                if (const Bandwidth b = measure_bandwidth(threads, bytes); b.read > best.read)
                    best = b;
            profile.read.push_back(
                {threads, static_cast<double>(best.bytes), std::round(best.read)});
        }
    std::cout << to_json(profile);
}
