// What making a handle on a GPU costs once all kernels are made, from arrays in host memory and in
// the device's: a line of JSON for each matrix, with the steps of info() in milliseconds (medians),
// the whole constructor, bytes that are copied from the device and to it, waits and allocations,
// what copying CSR to the device takes (with allocating), and the time of a product, of the chosen
// kernel and of csr_classical, and of new values in device memory, in microseconds. "products" is
// the constructor in products of csr_classical, "device_ms" what calls of the device took of it on
// the host. Products of both are checked. "again" beside them has the same of handles whose choice
// is recalled, for one of the same structure was made before. With --calls=1 "calls" has each of
// them: name, bytes, begin, end in µs, of the last round.
//     bench_plan_device DEVICE [--rounds=N] [--reorder=METHOD] [--expect=N] [--threads=N]
//         [--updates=often] [--calls=1] [--as=PROFILED-DEVICE] gallery:…|FILE…
// With --as=NVIDIA H200 the SIMT executor (simt:sm_90) passes for that device: then all but the
// device's part is what it takes for it.
#include <fmt/format.h>

#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "counted_device.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "matrix/read/reader.hpp"
#include "matrix/suites/gallery.hpp"
#include "measure/random_vector.hpp"
#include "rounds.hpp"
#include "spmvgen/spmvgen.hpp"
#include "verify/reference.hpp"

namespace {

using namespace spmvgen;
using namespace spmvgen::bench;
using Json = nlohmann::ordered_json;

struct OnDevice {
    std::vector<std::unique_ptr<DeviceMemory>> memory;
    CsrView view;
};

std::unique_ptr<DeviceMemory> copied(Device& device, const void* from, std::size_t bytes) {
    auto memory = device.allocate(bytes);
    if (bytes > 0) device.copy_to_device(memory->data(), from, bytes);
    return memory;
}

OnDevice copied(Device& device, const CsrView& a) {
    OnDevice made{{}, a};
    const auto copy = [&](const void* from, std::int64_t count, std::size_t element) {
        made.memory.push_back(copied(device, from, static_cast<std::size_t>(count) * element));
        return made.memory.back()->data();
    };
    made.view.row_ptr = copy(a.row_ptr, a.rows + 1, size_of(a.offset_type));
    made.view.col_idx = copy(a.col_idx, a.nnz, size_of(a.index_type));
    made.view.values = copy(a.values, a.nnz, size_of(a.value_type));
    return made;
}

/// Microseconds of one of many calls in a row, after a first one.
double microseconds_of_one(Device& device, const std::function<void()>& call) {
    call();
    device.synchronize({});
    double least = 0;
    for (int round = 0; round < 5; ++round) {
        const double us = 1e6 *
                          seconds_of(1,
                                     [&] {
                                         for (int i = 0; i < 100; ++i) call();
                                         device.synchronize({});
                                     }) /
                          100;
        least = round == 0 ? us : std::min(least, us);
    }
    return least;
}

double product_us(Device& device, const Handle& handle, const void* x, void* y) {
    return microseconds_of_one(device, [&] {
        handle.apply(1.0, static_cast<const double*>(x), 0.0, static_cast<double*>(y));
    });
}

/// Throws where the handle's product is wrong.
void check(Device& device, const Handle& handle, const CsrView& a, const std::vector<double>& x,
           const DeviceMemory& x_there, const DeviceMemory& y_there) {
    std::vector<double> y(static_cast<std::size_t>(a.rows));
    handle.apply(1.0, static_cast<const double*>(x_there.data()), 0.0,
                 static_cast<double*>(y_there.data()));
    device.synchronize({});
    device.copy_to_host(y.data(), y_there.data(), y.size() * sizeof(double));
    const double one = 1, zero = 0;
    const CheckResult found = check_product(a, {&one, x.data(), &zero, nullptr, y.data()});
    if (!found.passed) throw Error(ErrorCode::internal, found.message);
}

/// New values that are on the device already, the first time and later.
void add_updates(Json& json, Device& device, Handle& handle, const void* values) {
    const auto update = [&] { handle.update_values(static_cast<const double*>(values)); };
    json["first_update_us"] = 1e6 * seconds_of(1, [&] {
                                  update();
                                  device.synchronize({});
                              });
    json["update_us"] = microseconds_of_one(device, update);
}

double milliseconds_of(const std::vector<CountedDevice::Call>& calls) {
    double ms = 0;
    for (auto& call : calls) ms += 1e3 * (call.end - call.begin);
    return ms;
}

Json list_of(const std::vector<CountedDevice::Call>& calls) {
    Json list = Json::array();
    for (auto& call : calls)
        list.push_back(
            {call.name, call.bytes, std::llround(1e6 * call.begin), std::llround(1e6 * call.end)});
    return list;
}

struct Rounds {
    int count;
    bool lists_calls;
};

Json steps_of(const std::shared_ptr<CountedDevice>& device, const CsrView& a,
              const Options& options, const Rounds& rounds, double csr_us) {
    std::map<std::string, std::vector<double>> steps;
    std::string kernel, reason;
    CountedDevice::Counts counts;
    for (int round = 0; round < rounds.count; ++round) {
        device->take();
        const double start = seconds_now();
        const Handle handle = make_handle(a, options, KernelProvider::process(), device);
        const Info& info = handle.info();
        for (auto& [name, ms] : {std::pair{"constructor", 1e3 * (seconds_now() - start)},
                                 {"prepare", info.prepare_ms},
                                 {"analysis", info.analysis_ms},
                                 {"choice", info.choice_ms},
                                 {"kernel", info.kernel_ms},
                                 {"reorder", info.reorder_ms},
                                 {"convert", info.convert_ms}})
            steps[name].push_back(ms);
        counts = device->take();
        steps["device"].push_back(milliseconds_of(counts.calls));
        kernel = info.kernel;
        reason = info.reason;
    }
    Json json{{"kernel", kernel}, {"reason", reason}};
    for (auto& [name, ms] : steps) json[name + "_ms"] = quantile(ms, 0.5);
    json["products"] = 1e3 * quantile(steps["constructor"], 0.5) / csr_us;
    json["down_bytes"] = counts.down_bytes;
    json["up_bytes"] = counts.up_bytes;
    json["waits"] = counts.waits;
    json["allocations"] = counts.allocations;
    if (rounds.lists_calls) json["calls"] = list_of(counts.calls);
    return json;
}

Json line_of(const std::shared_ptr<CountedDevice>& counted, const std::string& name,
             Options options, const Rounds& rounds) {
    Device& device = *counted;
    constexpr std::string_view prefix = "gallery:";
    const CsrMatrix matrix = name.starts_with(prefix)
                                 ? make_gallery_matrix(name.substr(prefix.size()))
                                 : read_matrix(name);
    const CsrView a = matrix.view();
    if (a.value_type != ValueType::f64) throw Error(ErrorCode::unsupported, "only f64 matrices");
    std::vector<double> x(static_cast<std::size_t>(a.cols));
    fill_random(ValueType::f64, x.data(), a.cols, 1);
    const auto x_there = copied(device, x.data(), x.size() * sizeof(double));
    const auto y_there = device.allocate(static_cast<std::size_t>(a.rows) * sizeof(double));
    const OnDevice there = copied(device, a);
    Options plain = options;
    plain.kernel = "csr_classical";
    plain.reorder = "none";
    Json json{{"matrix", name}, {"rows", a.rows}, {"nnz", a.nnz}};
    double csr_us = 0;
    {  // makes all kernels
        KernelProvider& provider = KernelProvider::process();
        const Handle handle = make_handle(a, options, provider, counted);
        const Handle csr = make_handle(a, plain, provider, counted);
        check(device, handle, a, x, *x_there, *y_there);
        json["product_us"] = product_us(device, handle, x_there->data(), y_there->data());
        csr_us = product_us(device, csr, x_there->data(), y_there->data());
        json["csr_classical_us"] = csr_us;
    }
    Options again = options;
    options.choose_anew = true;
    json["from_host"] = steps_of(counted, a, options, rounds, csr_us);
    json["again_from_host"] = steps_of(counted, a, again, rounds, csr_us);
    std::vector<double> copies;  // of the three arrays, from pageable memory
    for (int round = 0; round < rounds.count; ++round)
        copies.push_back(1e3 * seconds_of(1, [&] { (void)copied(device, a); }));
    json["copy_csr_ms"] = quantile(copies, 0.5);
    options.device_arrays = again.device_arrays = true;
    for (const Options& made : {options, again, again}) {
        Handle handle = make_handle(there.view, made, KernelProvider::process(), counted);
        check(device, handle, a, x, *x_there, *y_there);
        add_updates(json, device, handle, there.view.values);
        check(device, handle, a, x, *x_there, *y_there);
    }
    json["from_device"] = steps_of(counted, there.view, options, rounds, csr_us);
    json["again_from_device"] = steps_of(counted, there.view, again, rounds, csr_us);
    return json;
}

}  // namespace

int main(int argc, char** argv) try {
    Options options;
    Rounds rounds{take_number(argc, argv, "--rounds=", 5), false};
    options.reorder = take_option(argc, argv, "--reorder=", options.reorder);
    options.updates = take_option(argc, argv, "--updates=", options.updates);
    options.expected_applies = take_number(argc, argv, "--expect=", 0);
    options.threads = take_number(argc, argv, "--threads=", 0);
    rounds.lists_calls = take_number(argc, argv, "--calls=", 0) != 0;
    const std::string as = take_option(argc, argv, "--as=", "");
    const std::vector<std::string> words = take_words(argc, argv);
    if (words.size() < 2 || argc > 1) {
        std::cerr << "usage: bench_plan_device DEVICE [--rounds=N] [--reorder=METHOD] "
                     "[--expect=N] [--threads=N] [--updates=often] [--calls=1] "
                     "[--as=PROFILED-DEVICE] gallery:…|FILE…\n";
        return 2;
    }
    options.device = words.front();
    const auto device = std::make_shared<CountedDevice>(open_device(options.device));
    if (const DeviceProfile* const profile = as.empty() ? nullptr : find_device_profile(as))
        device->pass_for(*profile);
    for (std::size_t i = 1; i < words.size(); ++i) try {
            std::cout << line_of(device, words[i], options, rounds).dump() << std::endl;
        } catch (const Error& error) {
            fmt::print(stderr, "{}: {}\n", words[i], error.what());
        }
    return 0;
} catch (const std::exception& error) {
    fmt::print(stderr, "bench_plan_device: {}\n", error.what());
    return 1;
}
