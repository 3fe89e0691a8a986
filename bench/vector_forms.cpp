// No benchmark: apply_many with vectors that kernels take as they are, beside the same packed. For
// each matrix, number of vectors and layout a line of JSON: microseconds of a product (medians of
// rounds in which all are timed in turn) of vectors row by row without gaps ("dense_us"), as the
// kernel takes them ("native_us"), packed ("packed_us") and as the handle decides ("auto_us").
// "native_wins" is packed_us / native_us.
//     bench_vector_forms DEVICE [--rounds=N] [--k=2,4,8] [--gap=N] [--type=f64] gallery:…|FILE…
// --gap: numbers between rows, or columns, beyond the least (default 2).
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "arguments.hpp"
#include "devices/device.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/read/reader.hpp"
#include "matrix/suites/gallery.hpp"
#include "measure/random_vector.hpp"
#include "rounds.hpp"
#include "spmvgen/spmvgen.hpp"

namespace {

using namespace spmvgen;
using namespace spmvgen::bench;
using Json = nlohmann::ordered_json;

struct Settings {
    std::shared_ptr<Device> device;  ///< null for the host
    std::string device_name, type;
    int rounds = 15;
    std::int64_t gap = 2;
    std::vector<std::int64_t> numbers;
};

/// Numbers on the device, or here.
class Numbers {
  public:
    Numbers(const Settings& s, ValueType type, std::int64_t count) {
        const auto bytes = static_cast<std::size_t>(count) * size_of(type);
        here_ = Buffer(bytes);
        fill_random(type, here_.data(), count, 1);
        if (s.device == nullptr) return;
        there_ = s.device->allocate(bytes);
        s.device->copy_to_device(there_->data(), here_.data(), bytes);
    }
    void* data() { return there_ != nullptr ? there_->data() : here_.data(); }

  private:
    Buffer here_;
    std::unique_ptr<DeviceMemory> there_;
};

/// Microseconds of each call, timed in turn.
std::vector<double> medians(const Settings& s, const std::vector<std::function<void()>>& calls) {
    const auto wait = [&] {
        if (s.device != nullptr) s.device->synchronize({});
    };
    std::vector<std::vector<double>> samples(calls.size());
    std::vector<int> repeats;
    for (auto& call : calls) {
        call();
        wait();
        repeats.push_back(calls_for(0.01, [&] {
            call();
            wait();
        }));
    }
    for (int round = 0; round < s.rounds; ++round)
        for (std::size_t i = 0; i < calls.size(); ++i)
            samples[i].push_back(1e6 / repeats[i] * seconds_of(1, [&] {
                                     for (int n = 0; n < repeats[i]; ++n) calls[i]();
                                     wait();
                                 }));
    std::vector<double> middle;
    for (auto& sample : samples) middle.push_back(quantile(sample, 0.5));
    return middle;
}

class Forms {
  public:
    Forms(const Settings& settings, const std::string& name)
        : s_(settings),
          name_(name),
          a_(name.starts_with("gallery:") ? make_gallery_matrix(name.substr(8))
                                          : read_matrix(name)) {
        type_ = parse_value_type(s_.type);
        a_ = convert_values(a_.view(), type_);
    }

    void run() {
        for (const std::int64_t k : s_.numbers) {
            const std::int64_t spare = std::max(a_.rows, a_.cols) + s_.gap;
            Numbers x(s_, type_, spare * (k + s_.gap)), y(s_, type_, spare * (k + s_.gap));
            const Handle native = handle(k, "never"), packed = handle(k, "always"),
                         automatic = handle(k, "auto");
            constexpr auto row = VectorLayout::row, column = VectorLayout::column;
            for (const auto& [from, to] :
                 {std::pair{row, row}, {column, column}, {column, row}, {row, column}}) {
                const auto many = [&, from = from, to = to](const Handle& h) {
                    return [&, from, to] {
                        apply(h, k, x.data(), ld(from, k, a_.cols), from, y.data(),
                              ld(to, k, a_.rows), to);
                    };
                };
                const auto dense = [&] { apply(native, k, x.data(), k, row, y.data(), k, row); };
                const auto us = medians(s_, {dense, many(native), many(packed), many(automatic)});
                tell(k, from, to, native.info().kernel, us);
            }
        }
    }

  private:
    Handle handle(std::int64_t k, const char* pack) const {
        Options o;
        o.device = s_.device_name;
        o.num_rhs = static_cast<int>(k);
        o.pack_vectors = pack;
        return Handle(a_.view(), o);
    }
    std::int64_t ld(VectorLayout layout, std::int64_t k, std::int64_t rows) const {
        return (layout == VectorLayout::row ? k : rows) + s_.gap;
    }
    void apply(const Handle& h, std::int64_t k, const void* x, std::int64_t ldx, VectorLayout lx,
               void* y, std::int64_t ldy, VectorLayout ly) const {
        dispatch(type_, [&](auto tag) {
            const decltype(tag) one(1), zero(0);
            h.apply_many(type_, k, &one, {x, ldx, lx}, &zero, {y, ldy, ly});
        });
    }
    void tell(std::int64_t k, VectorLayout x, VectorLayout y, const std::string& kernel,
              const std::vector<double>& us) const {
        const auto name = [](VectorLayout l) { return l == VectorLayout::row ? "row" : "column"; };
        std::cout << Json{{"matrix", name_},
                          {"rows", a_.rows},
                          {"entries", a_.nnz},
                          {"type", s_.type},
                          {"k", k},
                          {"x", name(x)},
                          {"y", name(y)},
                          {"gap", s_.gap},
                          {"kernel", kernel},
                          {"dense_us", us[0]},
                          {"native_us", us[1]},
                          {"packed_us", us[2]},
                          {"auto_us", us[3]},
                          {"native_wins", us[2] / us[1]}}
                         .dump()
                  << std::endl;
    }

    const Settings& s_;
    std::string name_;
    CsrMatrix a_;
    ValueType type_ = ValueType::f64;
};

std::vector<std::int64_t> numbers_of(const std::string& text) {
    std::vector<std::int64_t> numbers;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) numbers.push_back(std::stoll(word));
    return numbers;
}

}  // namespace

int main(int argc, char** argv) {
    Settings s;
    s.rounds = take_number(argc, argv, "--rounds=", s.rounds);
    s.gap = take_number(argc, argv, "--gap=", 2);
    s.numbers = numbers_of(take_option(argc, argv, "--k=", "2,4,8"));
    s.type = take_option(argc, argv, "--type=", "f64");
    const std::vector<std::string> words = take_words(argc, argv);
    if (words.size() < 2 || argc > 1) {
        std::cerr << "usage: bench_vector_forms DEVICE [--rounds=N] [--k=2,4,8] [--gap=N] "
                     "[--type=f64] gallery:…|FILE…\n";
        return 2;
    }
    try {
        s.device_name = words[0];
        if (words[0] != "host") s.device = open_device(words[0]);
        for (std::size_t i = 1; i < words.size(); ++i) Forms(s, words[i]).run();
    } catch (const std::exception& error) {
        std::cerr << "bench_vector_forms: " << error.what() << "\n";
        return 1;
    }
    return 0;
}
