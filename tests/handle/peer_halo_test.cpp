// Halos that devices of one process write into each other's memory: a thread for each device.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "any_matrix.hpp"
#include "arrays_on_device.hpp"
#include "handle/parts/part_handle.hpp"
#include "spmvgen/distributed.hpp"

namespace spmvgen {
namespace {

// Of one text there is one device, which runs one launch at a time: each part has its own.
const std::vector<std::string> devices{"simt:sm_90", "simt:sm_86", "simt:sm_80", "simt:sm_75"};

std::vector<PeerHalo> halos_of(const std::vector<Part>& parts, int num_rhs = 1) {
    std::vector<PeerHalo> halos;
    for (const Part& part : parts) {
        Options options = options_for(devices[static_cast<std::size_t>(part.number)]);
        options.num_rhs = num_rhs;
        halos.emplace_back(part, options);
    }
    return halos;
}

/// Three exchanges, of an x that changes as soon as one has ended; each halo is read before the
/// next exchange.
template <typename Value>
void expect_halos(const RowPartition& partition, int num_rhs) {
    const AnyMatrix<Value> a;
    const auto parts = make_parts(a.view(), partition);
    std::vector<PeerHalo> halos = halos_of(parts, num_rhs);
    connect(halos);
    const auto k = static_cast<std::int64_t>(num_rhs);
    const auto number = [&](std::int64_t column, std::int64_t rhs, int round) {
        return Value(static_cast<float>(column * 7 + rhs + round * 1000));
    };
    std::vector<std::thread> threads;
    for (std::size_t p = 0; p < parts.size(); ++p)
        threads.emplace_back([&, p] {
            const Part& part = parts[p];
            std::vector<Value> x(static_cast<std::size_t>(part.cols() * k));
            for (int round = 0; round < 3; ++round) {
                for (std::int64_t i = 0; i < part.cols() * k; ++i)
                    x[static_cast<std::size_t>(i)] = number(part.first_col + i / k, i % k, round);
                halos[p].exchange(x.data());
                std::ranges::fill(x, Value(-1));
                const Value* const halo = halos[p].data<Value>();
                for (std::size_t i = 0; i < part.halo_columns.size(); ++i)
                    for (std::int64_t r = 0; r < k; ++r)
                        EXPECT_EQ(
                            halo[i * static_cast<std::size_t>(k) + static_cast<std::size_t>(r)],
                            number(part.halo_columns[i], r, round))
                            << "part " << p << ", round " << round << ", element " << i;
            }
        });
    for (auto& thread : threads) thread.join();
}

TEST(PeerHalo, HasTheElementsOfTheOthers) {
    expect_halos<double>({{0, 30, 60}, {0, 30, 60}}, 1);
    expect_halos<double>({{0, 0, 21, 40, 60}, {0, 20, 20, 40, 60}}, 1);
    expect_halos<float>({{0, 11, 11, 60}, {0, 7, 13, 60}}, 3);
    expect_halos<std::complex<double>>({{0, 11, 11, 60}, {0, 7, 13, 60}}, 2);
}

// Part 1 sends one element, and needs none.
TEST(PeerHalo, OfAPartWithoutOne) {
    const std::vector<std::int32_t> row_ptr{0, 2, 3, 3, 5, 6}, col_idx{0, 8, 3, 5, 8, 7};
    const std::vector<double> values{1, 2, 3, 4, 5, 6}, x{1, 2, 3, 4, 5, 6, 7, 8, 9};
    const CsrView a = csr_view(5, 9, row_ptr.data(), col_idx.data(), values.data());
    const auto parts = make_parts(a, {{0, 2, 5}, {0, 4, 9}});
    auto halos = halos_of(parts);
    connect(halos);
    std::thread other([&] { halos[1].exchange(x.data() + 4); });
    halos[0].exchange(x.data());
    other.join();
    EXPECT_EQ(*halos[0].data<double>(), 9);
    const auto one = make_parts(a, {{0, 5}, {0, 9}});
    auto alone = halos_of(one);
    connect(alone);
    alone[0].exchange(static_cast<const double*>(nullptr));
}

// An iteration is the launches of the exchange and of both products, and nothing else.
TEST(PeerHalo, LaunchesAndNeitherWaitsNorAllocates) {
    const AnyMatrix<double> a;
    const auto parts = make_parts(a.view(), {{0, 30, 60}, {0, 30, 60}});
    std::vector<std::shared_ptr<CountingDevice>> counted;
    std::vector<PartHandle> handles;
    std::vector<PeerHalo> halos;
    for (const Part& part : parts) {
        const std::string& device = devices[static_cast<std::size_t>(part.number)];
        counted.push_back(std::make_shared<CountingDevice>(device));
        const Options options = options_for(device);
        handles.push_back(make_part_handle(part, options, options, counted.back()));
        handles.back().prepare(Scale::one, Scale::zero);
        halos.push_back(make_peer_halo(part, options, counted.back()));
    }
    connect(halos);
    const auto x = a.x();
    std::vector<double> y(60);
    std::vector<std::thread> threads;
    for (std::size_t p = 0; p < parts.size(); ++p)
        threads.emplace_back([&, p] {
            CountingDevice& device = *counted[p];
            for (int iteration = 0; iteration < 3; ++iteration) {
                device.waits = device.launches = device.allocations = 0;
                const std::size_t copied = device.came_here + device.went_there;
                halos[p].exchange(x.data() + 30 * p);
                EXPECT_EQ(device.launches, 1);
                handles[p].multiply_local(1.0, x.data() + 30 * p, 0.0, y.data() + 30 * p);
                handles[p].multiply_halo(1.0, halos[p].data<double>(), y.data() + 30 * p);
                EXPECT_EQ(device.launches, 1 + handles[p].local().info().launches +
                                               handles[p].halo()->info().launches);
                EXPECT_EQ(device.waits + device.allocations, 0);
                EXPECT_EQ(device.came_here + device.went_there, copied);
            }
        });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(y, a.product(a.values));
}

TEST(PeerHalo, RefusesWhatDoesNotBelongTogether) {
    const AnyMatrix<double> a;
    const auto parts = make_parts(a.view(), {{0, 20, 40, 60}, {0, 20, 40, 60}});
    const auto refusal = [](std::vector<Part> some, int num_rhs = 1) {
        auto halos = halos_of(some);
        if (num_rhs != 1) {
            Options options = options_for(devices[1]);
            options.num_rhs = num_rhs;
            halos[1] = PeerHalo(some[1], options);
        }
        return code_and_text([&] { connect(halos); });
    };
    EXPECT_EQ(refusal({parts[1], parts[0]}),
              "invalid_argument: halos[0] is of part 1: give those of all parts, part 0 first");
    EXPECT_EQ(refusal({parts[0], parts[1]}),
              "invalid_argument: part 0 exchanges elements with part 2, but there are 2 halos");
    EXPECT_EQ(refusal(parts, 2),
              "invalid_argument: part 1 has 2 vectors of f64, but part 0 has 1 of f64");
    auto changed = parts;
    changed[1].receives.erase(changed[1].receives.begin());
    EXPECT_EQ(refusal(changed),
              "invalid_argument: part 1 receives nothing from part 0: connect the halos of all "
              "parts of one matrix, part 0 first");
    changed = parts;
    changed[1].receives[0].count -= 1;
    const auto sent = parts[0].sends[0].count;
    EXPECT_EQ(refusal(changed), "invalid_argument: part 0 sends " + std::to_string(sent) +
                                    " elements to part 1, which receives " +
                                    std::to_string(sent - 1));
}

TEST(PeerHalo, RefusesWhatItCannotDo) {
    const AnyMatrix<double> a;
    const auto parts = make_parts(a.view(), {{0, 30, 60}, {0, 30, 60}});
    for (const char* device : {"host", "simt:gfx90a"})
        EXPECT_EQ(code_and_text([&] { const PeerHalo halo(parts[0], options_for(device)); }),
                  std::string("unsupported: options.device is ") + device +
                      ", but PeerHalo is for NVIDIA GPUs: use PartHandle's pack() or fetch()");
    auto halos = halos_of(parts);
    const std::vector<double> x(30);
    const std::vector<float> narrow(30);
    EXPECT_EQ(code_and_text([&] { halos[0].exchange(x.data()); }),
              "invalid_argument: the halo knows no other: call connect() with those of all parts");
    connect(halos);
    EXPECT_EQ(code_and_text([&] { halos[0].exchange(narrow.data()); }),
              "invalid_argument: the halo is of f64 elements, not f32");
    EXPECT_EQ(code_and_text([&] { halos[0].exchange(static_cast<double*>(nullptr)); }),
              "invalid_argument: a vector is null");
    const PeerHalo moved = std::move(halos[0]);
    EXPECT_EQ(code_and_text([&] { halos[0].exchange(x.data()); }),
              "invalid_argument: this halo was moved from: use the one that it was moved to");
}

}  // namespace
}  // namespace spmvgen
