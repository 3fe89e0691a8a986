// New values beside products: a line of JSON for each matrix and each kernel of the device, with
// microseconds of a product and of update_values (the first one, which finds the places, and later
// ones), each with values as they are and as the handle encodes them. Least of several rounds.
//     bench_updates host|DEVICE gallery:…|FILE…
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "devices/device.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "matrix/read/reader.hpp"
#include "matrix/suites/gallery.hpp"
#include "measure/random_vector.hpp"
#include "registry.hpp"
#include "rounds.hpp"
#include "spmvgen/spmvgen.hpp"

namespace {

using namespace spmvgen;
using namespace spmvgen::bench;
using Json = nlohmann::ordered_json;

/// Where the vectors and the values are; a null device is the host.
struct Place {
    std::shared_ptr<Device> device;
    std::vector<std::unique_ptr<DeviceMemory>> memory = {};

    void* put(std::vector<double>& numbers) {
        const std::size_t bytes = numbers.size() * sizeof(double);
        if (device == nullptr) return numbers.data();
        memory.push_back(device->allocate(bytes));
        device->copy_to_device(memory.back()->data(), numbers.data(), bytes);
        return memory.back()->data();
    }
    void wait() const {
        if (device != nullptr) device->synchronize({});
    }
    /// Microseconds of one of several calls in a row.
    double least_us(const std::function<void()>& call) const {
        double least = 0;
        for (int round = 0; round < 7; ++round) {
            const double us = 1e6 / 5 * seconds_of(1, [&] {
                                  for (int i = 0; i < 5; ++i) call();
                                  wait();
                              });
            least = round == 0 ? us : std::min(least, us);
        }
        return least;
    }
};

void measure(Json& json, const CsrView& a, const Options& options, const Place& place,
             const double* x, double* y, const double* values) {
    Handle handle(a, options);
    const auto product = [&] { handle.apply(1.0, x, 0.0, y); };
    product();
    place.wait();
    json["kernel"] = handle.info().kernel;
    json["product_us"] = place.least_us(product);
    const auto update = [&] { handle.update_values(values); };
    json["first_update_us"] = 1e6 * seconds_of(1, [&] {
                                  update();
                                  place.wait();
                              });
    json["update_us"] = place.least_us(update);
    json["update_products"] =
        json["update_us"].get<double>() / std::max(json["product_us"].get<double>(), 1e-3);
}

void bench_matrix(const std::string& name, const std::string& device) {
    constexpr std::string_view prefix = "gallery:";
    const CsrMatrix matrix = name.starts_with(prefix)
                                 ? make_gallery_matrix(name.substr(prefix.size()))
                                 : read_matrix(name);
    if (matrix.value_type != ValueType::f64)
        throw Error(ErrorCode::unsupported, "only f64 matrices");
    Place place{device == "host" ? nullptr : open_device(device)};
    std::vector<double> x(static_cast<std::size_t>(matrix.cols)),
        y(static_cast<std::size_t>(matrix.rows)), values(static_cast<std::size_t>(matrix.nnz));
    fill_random(ValueType::f64, x.data(), matrix.cols, 1);
    std::ranges::copy(matrix.values.as<double>(), values.begin());
    CsrView a = matrix.view();
    auto* const x_there = static_cast<double*>(place.put(x));
    auto* const y_there = static_cast<double*>(place.put(y));
    // New values come from where products are.
    auto* const new_values = static_cast<double*>(place.put(values));
    Place arrays{place.device};
    if (place.device != nullptr) {
        const auto put = [&](const void* from, std::size_t bytes) {
            arrays.memory.push_back(place.device->allocate(bytes));
            place.device->copy_to_device(arrays.memory.back()->data(), from, bytes);
            return arrays.memory.back()->data();
        };
        a.row_ptr = put(matrix.row_ptr.data(), matrix.row_ptr.bytes());
        a.col_idx = put(matrix.col_idx.data(), matrix.col_idx.bytes());
        a.values = new_values;
    }
    for (auto& entry : kernel_registry()) {
        if (entry.gpu == (device == "host") || entry.transposes || entry.batch) continue;
        for (const char* encodings : {"none", "auto"}) {
            Options options;
            options.device = device;
            options.kernel = entry.id;
            options.encodings = encodings;
            options.device_arrays = place.device != nullptr;
            Json json{{"matrix", name}, {"nnz", matrix.nnz}, {"encodings", encodings}};
            try {
                measure(json, a, options, place, x_there, y_there, new_values);
            } catch (const Error& error) {
                json["kernel"] = entry.id;
                json["error"] = error.what();
            }
            std::cout << json.dump() << std::endl;
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words = take_words(argc, argv);
    if (words.size() < 2 || argc > 1) {
        std::cerr << "usage: bench_updates host|DEVICE gallery:…|FILE…\n";
        return 2;
    }
    int status = 0;
    for (std::size_t i = 1; i < words.size(); ++i) try {
            bench_matrix(words[i], words.front());
        } catch (const std::exception& error) {
            std::cerr << words[i] << ": " << error.what() << "\n";
            status = 1;
        }
    return status;
}
