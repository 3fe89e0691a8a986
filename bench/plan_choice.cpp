// What choosing for a device takes that need not be here, by its profile: a line of JSON for each
// matrix, with milliseconds (medians, of the choice also the least) of what level rule does before
// anything is made or converted, and what is predicted of the choice. "first" is the process' first
// choice of all, which also reads tuning files. Of a GPU, "elsewhere" is the choice where columns
// and values are on the device: what the host does of it. A CPU's products are of --threads
// threads, or of one where that is predicted to be faster.
//     bench_plan_choice ["--device=NVIDIA H200"] [--rounds=N] [--threads=N] gallery:…|FILE…
#include <fmt/format.h>

#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "formats/value_encoding.hpp"
#include "matrix/chunks.hpp"
#include "matrix/features/features.hpp"
#include "matrix/read/reader.hpp"
#include "matrix/suites/gallery.hpp"
#include "rounds.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/chooser/order_choice.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace {

using namespace spmvgen;
using namespace spmvgen::bench;
using Json = nlohmann::ordered_json;

bool is_host(const DeviceProfile& profile) {
    return architecture(parse_target(profile.arch)).kind == TargetKind::host;
}

Request request_for(const DeviceProfile& profile, int threads) {
    Request request{.target = parse_target(profile.arch), .units = profile.units, .encode = true};
    if (is_host(profile)) {
        request.threads = thread_count(threads);
        if (request.threads > 1) request.smaller_teams = {1};
    } else
        request.device = profile.device;
    request.profile = &profile;
    return request;
}

/// Gives samples of a matrix, and knows what its values have in common.
class Elsewhere final : public EntrySource {
  public:
    explicit Elsewhere(const CsrView& a)
        : matrix_(a),
          encoding_(
              encode_values(a, {.small_integers = true, .one_value = true, .dictionary = true})) {}
    Buffer columns(std::span<const EntryRange> ranges) override {
        return copied(matrix_.col_idx, size_of(matrix_.index_type), ranges);
    }
    Buffer values(std::span<const EntryRange> ranges) override {
        return copied(matrix_.values, size_of(matrix_.value_type), ranges);
    }
    std::optional<ValueTraits> value_traits() override {
        ValueTraits traits;
        const auto add = [&](bool holds, unsigned property) {
            if (holds) traits.properties |= property;
        };
        add(encoding_.code == ValueCode::one_value, ValueProperty::equal);
        add(encoding_.code == ValueCode::small_integers, ValueProperty::int8);
        add(encoding_.storage == ValueType::bf16, ValueProperty::bf16);
        add(encoding_.storage == ValueType::f16, ValueProperty::f16);
        add(encoding_.storage == ValueType::f32, ValueProperty::f32);
        if (encoding_.code == ValueCode::dictionary) traits.distinct = encoding_.dictionary;
        return traits;
    }
    const CsrView& pattern() override { return matrix_; }
    const CsrView& all() override { return matrix_; }

  private:
    static Buffer copied(const void* from, std::size_t element,
                         std::span<const EntryRange> ranges) {
        std::size_t bytes = 0;
        for (const auto [begin, end] : ranges) bytes += static_cast<std::size_t>(end - begin);
        Buffer here(bytes * element);
        auto* to = static_cast<std::byte*>(here.data());
        for (const auto [begin, end] : ranges) {
            const std::size_t size = static_cast<std::size_t>(end - begin) * element;
            std::memcpy(
                to, static_cast<const std::byte*>(from) + static_cast<std::size_t>(begin) * element,
                size);
            to += size;
        }
        return here;
    }
    CsrView matrix_;
    ValueEncoding encoding_;
};

Json line_of(const std::string& name, const DeviceProfile& profile, int rounds, int threads) {
    constexpr std::string_view prefix = "gallery:";
    const CsrMatrix matrix = name.starts_with(prefix)
                                 ? make_gallery_matrix(name.substr(prefix.size()))
                                 : read_matrix(name);
    const CsrView a = matrix.view();
    std::map<std::string, std::vector<double>> steps;
    const auto timed = [&](const char* step, auto work) {
        steps[step].push_back(1e3 * seconds_of(1, work));
    };
    Choice choice;
    Request plain = request_for(profile, threads);
    plain.profile = nullptr;
    std::optional<OrderChoice> order;
    Elsewhere source(a);
    CsrView offsets = a;
    offsets.col_idx = offsets.values = nullptr;
    for (int round = 0; round < rounds; ++round) {
        std::optional<RowFeatures> features;
        timed("analysis", [&] { features = analyse_row_lengths(a, threads); });
        if (!is_host(profile))
            timed("order", [&] {
                const Request request = request_for(profile, threads);
                Chooser chooser(a, *features, threads);
                Request asked = request;
                std::optional<Choice> rule;
                order = choose_order({.matrix = a,
                                      .features = *features,
                                      .request = request,
                                      .threads = threads,
                                      .chooser = chooser,
                                      .rule = [&]() -> const Choice& {
                                          if (!rule) rule = chooser.sampled(asked);
                                          return *rule;
                                      }});
            });
        timed("rules", [&] {
            Request request = plain;
            (void)Chooser(a, *features, threads).sampled(request);
        });
        timed("choice", [&] {
            Request request = request_for(profile, threads);
            choice = Chooser(a, *features, threads).sampled(request);
        });
        if (!is_host(profile))
            timed("elsewhere", [&] {
                Request request = request_for(profile, threads);
                (void)Chooser(offsets, *features, threads, &source).sampled(request);
            });
    }
    Json json{{"matrix", name}, {"rows", a.rows}, {"nnz", a.nnz}};
    for (auto& [step, ms] : steps) json[step + "_ms"] = quantile(ms, 0.5);
    json["least_ms"] = quantile(steps["choice"], 0);
    json["first_ms"] = steps["choice"].front();
    json["ordered"] = order.has_value();
    json["kernel"] = kernel_name(choice.signature);
    const Request request = request_for(profile, threads);
    const RowFeatures features = analyse_row_lengths(a, threads);
    Chooser chooser(a, features, threads);
    if (const auto time = chooser.predict(choice.signature, request)) json["us"] = time->us;
    json["reason"] = choice.reason;
    return json;
}

}  // namespace

int main(int argc, char** argv) try {
    const std::string device = take_option(argc, argv, "--device=", "NVIDIA H200");
    const int rounds = take_number(argc, argv, "--rounds=", 5);
    const int threads = take_number(argc, argv, "--threads=", 0);
    const std::vector<std::string> words = take_words(argc, argv);
    const DeviceProfile* const profile = find_device_profile(device);
    if (words.empty() || argc > 1 || profile == nullptr) {
        std::cerr << "usage: bench_plan_choice [--device=DEVICE-WITH-A-PROFILE] [--rounds=N] "
                     "[--threads=N] gallery:…|FILE…\n";
        return 2;
    }
    for (auto& word : words) try {
            std::cout << line_of(word, *profile, rounds, threads).dump() << std::endl;
        } catch (const Error& error) {
            fmt::print(stderr, "{}: {}\n", word, error.what());
        }
    return 0;
} catch (const std::exception& error) {
    fmt::print(stderr, "bench_plan_choice: {}\n", error.what());
    return 1;
}
