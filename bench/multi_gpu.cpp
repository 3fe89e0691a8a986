// Products over several GPUs of one process beside the same on one of them: a line of JSON for each
// matrix. The halo comes by packing and copies, or is fetched from the other's x by a kernel;
// before the local product, or while that runs; enqueued one by one, or as a graph over all
// devices. With flags the others write the halo, and no device waits for events of another one.
// Every product is checked. Microseconds are medians, and the least of each in "least".
//     bench_multi_gpu [--devices=cuda:0,cuda:1] [--budget=MS] [--in-graph=N] gallery:…|FILE…
//     bench_multi_gpu --pretend="NVIDIA H200" [--parts=2] gallery:…|FILE…
// Devices may be "simt:sm_90,simt:sm_90", to try the program. Kernels are compiled before anything
// is timed, where libspmvgen_jit is found (docs/reference/environment.md). With --pretend only
// kernels are made, for a machine that has such GPUs and no compiler: they are in
// $SPMVGEN_CACHE_DIR.
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "handle/kernels/kernel_provider.hpp"
#include "handle/parts/part_handle.hpp"
#include "matrix/read/reader.hpp"
#include "matrix/suites/gallery.hpp"
#include "measure/random_vector.hpp"
#include "parted_product.hpp"
#include "pretended_device.hpp"
#include "verify/reference.hpp"

namespace {

using namespace spmvgen;
using namespace spmvgen::bench;
using Json = nlohmann::ordered_json;

struct Arguments {
    std::vector<std::string> devices, matrices;
    std::vector<std::string> pretend;
    int parts = 2;
    double budget_s = 0.2;
    int in_graph = 20;
};

std::vector<std::string> words_of(const std::string& list) {
    std::vector<std::string> words;
    std::istringstream text(list);
    for (std::string word; std::getline(text, word, ',');) words.push_back(word);
    return words;
}

Arguments parsed(int argc, char** argv) {
    Arguments a;
    std::string devices = "cuda:0,cuda:1";
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto value = [&] { return word.substr(word.find('=') + 1); };
        if (word.starts_with("--devices="))
            devices = value();
        else if (word.starts_with("--pretend="))
            a.pretend = words_of(value());
        else if (word.starts_with("--parts="))
            a.parts = std::stoi(value());
        else if (word.starts_with("--budget="))
            a.budget_s = 1e-3 * std::stod(value());
        else if (word.starts_with("--in-graph="))
            a.in_graph = std::stoi(value());
        else if (word.starts_with("-"))
            throw Error(ErrorCode::invalid_argument, "unknown option " + word);
        else
            a.matrices.push_back(word);
    }
    a.devices = words_of(devices);
    if (a.devices.empty() || a.matrices.empty())
        throw Error(ErrorCode::invalid_argument, "give devices and matrices");
    return a;
}

/// The handle's kernel and what it took to have it.
Json told(const Handle& handle) {
    const Info& info = handle.info();
    return {{"kernel", info.kernel}, {"origin", info.origin},     {"nnz", info.nnz},
            {"bytes", info.bytes},   {"launches", info.launches}, {"prepare_ms", info.prepare_ms}};
}

class Bench {
  public:
    Bench(const CsrMatrix& matrix, const Arguments& arguments, const Lanes& lanes)
        : a_(matrix.view()), arguments_(arguments), lanes_(lanes) {
        x_.resize(static_cast<std::size_t>(a_.cols));
        fill_random(ValueType::f64, x_.data(), a_.cols, 7);
        reference_.emplace(a_, x_.data());
    }

    Json run() {
        Json json{{"rows", a_.rows}, {"nnz", a_.nnz}};
        json["one"] = on_one();
        json["parts"] = on_all();
        return json;
    }

  private:
    void time(Json& to, const std::string& name, const std::function<void(int)>& run) const {
        const bool graphs = lanes_[0]->has_streams() && arguments_.in_graph > 0;
        for (const int in_graph : graphs ? std::vector{0, arguments_.in_graph} : std::vector{0})
            try {
                const Measured m = measured(lanes_, run, in_graph, arguments_.budget_s);
                const std::string key = name + (in_graph > 0 ? "_graph_us" : "_us");
                to[key] = m.median_us;
                to["least"][key] = m.least_us;
            } catch (const Error& error) {
                to["errors"][name + (in_graph > 0 ? "_graph" : "")] = error.what();
            }
    }
    double checked(const std::vector<double>& y) const {
        const CheckResult result = reference_->check(y.data());
        if (!result.passed) throw Error(ErrorCode::internal, "wrong product: " + result.message);
        return result.worst_ratio;
    }

    Json on_one() {
        const Lane& lane = *lanes_[0];
        Options options;
        options.device = lane.device->facts().text;
        options.updatable = false;
        const Handle handle(a_, options);
        Json json = told(handle);
        const Elements x(lane, static_cast<std::size_t>(a_.cols)),
            y(lane, static_cast<std::size_t>(a_.rows));
        lane.device->copy_to_device(x.memory->data(), x_.data(), x.memory->bytes());
        const auto apply = [&](int count) {
            for (int i = 0; i < count; ++i)
                handle.apply(1.0, static_cast<const double*>(x), 0.0, static_cast<double*>(y),
                             {lane.compute.get()});
        };
        apply(1);
        time(json, "product", apply);
        std::vector<double> found(static_cast<std::size_t>(a_.rows));
        lane.device->copy_to_host(found.data(), y.memory->data(), y.memory->bytes());
        json["error_of_bound"] = checked(found);
        return json;
    }

    Json on_all() {
        const double begin = now_s();
        const auto parts =
            make_parts(a_, partition_by_entries(a_, static_cast<int>(lanes_.size())));
        Json json{{"partition_ms", 1e3 * (now_s() - begin)}};
        for (auto& part : parts) json["halo_elements"].push_back(part.halo_columns.size());
        Options options;
        options.updatable = false;
        const KernelCounters before = kernel_counters();
        PartedProduct product(parts, lanes_, options);
        if (lanes_[0]->has_streams()) product.connect_halos(parts, options);
        json["compiled"] = kernel_counters().compiles_started - before.compiles_started;
        for (std::size_t p = 0; p < parts.size(); ++p) {
            json["local"].push_back(told(product.handle(p).local()));
            json["halo"].push_back(
                product.handle(p).halo() != nullptr ? told(*product.handle(p).halo()) : Json());
        }
        product.set_x(x_);
        for (const auto way : {Exchanging::copies, Exchanging::fetches, Exchanging::flags})
            for (const bool overlap : {false, true}) {
                // The SIMT executor runs one device after another.
                if (way == Exchanging::flags && !lanes_[0]->has_streams()) continue;
                const std::string name = std::string(name_of(way)) + (overlap ? "_overlap" : "");
                product.spoil();
                time(json, name, [&](int count) { product.run(count, way, overlap); });
                json["error_of_bound"][name] = checked(after_another_x(product, way, overlap));
            }
        for (std::size_t p = 0; p < parts.size(); ++p) time_pieces(json, product, p);
        return json;
    }

    static const char* name_of(Exchanging way) {
        return way == Exchanging::copies    ? "copies"
               : way == Exchanging::fetches ? "fetches"
                                            : "flags";
    }

    /// y of one product, when the halos have been those of another x.
    std::vector<double> after_another_x(const PartedProduct& product, Exchanging way,
                                        bool overlap) const {
        for (const bool other : {true, false}) {
            product.set_x(other ? std::vector<double>(x_.size(), NAN) : x_);
            product.run(1, way, overlap);
            for (auto& lane : lanes_) lane->synchronize();
        }
        return product.y(a_.rows);
    }

    /// The pieces of part p alone, and copies within its device of half as many bytes as its halo's
    /// product moves: they read and write as many.
    void time_pieces(Json& json, const PartedProduct& product, std::size_t p) const {
        const Lane& lane = *lanes_[p];
        // Enqueued, and captured, on the streams of that device.
        const auto alone = [&](const std::string& name, const std::function<void()>& piece) {
            Json found;
            const auto run = [&](int count) {
                const Lane& first = *lanes_[0];
                first.record(first.packed, first.compute);
                if (p > 0) lane.wait(lane.compute, first.packed);
                for (int i = 0; i < count; ++i) piece();
                lane.record(lane.done, lane.compute);
                if (p > 0) first.wait(first.compute, lane.done);
            };
            time(found, name, run);
            found.erase("least");
            json["pieces"][p].update(found);
        };
        json["pieces"][p]["part"] = p;
        alone("local", [&] { product.local(p); });
        if (product.handle(p).halo() == nullptr) return;
        alone("both", [&] {
            product.local(p);
            product.halo(p);
        });
        alone("fetch", [&] { product.fetch(p, lane.compute); });
        alone("halo", [&] { product.halo(p); });
        const auto bytes =
            static_cast<std::size_t>(product.handle(p).halo()->info().bytes) / 16 + 1;
        const Elements from(lane, bytes), to(lane, bytes);
        alone("halo_bytes", [&] { lane.copy(to, from, 8 * bytes, lane.compute); });
    }

    const CsrView a_;
    const Arguments& arguments_;
    const Lanes& lanes_;
    std::vector<double> x_;
    std::optional<ProductReference> reference_;
};

CsrMatrix matrix_of(const std::string& name) {
    const CsrMatrix matrix =
        name.starts_with("gallery:") ? make_gallery_matrix(name.substr(8)) : read_matrix(name);
    return convert_values(matrix.view(), ValueType::f64);
}

/// Makes the kernels that devices of these names would run; a line for each matrix and device.
int make_kernels(const Arguments& arguments) {
    std::vector<std::shared_ptr<PretendedDevice>> devices;
    for (auto& name : arguments.pretend) {
        const DeviceProfile* const profile = find_device_profile(name);
        if (profile == nullptr) throw Error(ErrorCode::invalid_argument, "no profile of " + name);
        devices.push_back(std::make_shared<PretendedDevice>(*profile));
    }
    Options options;
    options.device = "cuda:0";
    options.updatable = false;
    for (auto& name : arguments.matrices) {
        const CsrMatrix matrix = matrix_of(name);
        const CsrView a = matrix.view();
        const auto parts = make_parts(a, partition_by_entries(a, arguments.parts));
        for (auto& device : devices) {
            Json json{{"matrix", name}, {"device", device->facts().name}, {"nnz", a.nnz}};
            json["one"] = make_handle(a, options, KernelProvider::process(), device).info().kernel;
            for (const Part& part : parts) {
                const PartHandle handle = make_part_handle(part, options, options, device);
                handle.prepare(Scale::one, Scale::zero);
                json["local"].push_back(handle.local().info().kernel);
                if (handle.halo() != nullptr) json["halo"].push_back(handle.halo()->info().kernel);
            }
            std::cout << json.dump() << std::endl;
        }
    }
    return 0;
}

int run(int argc, char** argv) {
    const Arguments arguments = parsed(argc, argv);
    if (!arguments.pretend.empty()) return make_kernels(arguments);
    Lanes lanes;
    for (auto& name : arguments.devices) lanes.push_back(std::make_unique<Lane>(name));
    for (auto& one : arguments.devices)
        for (auto& other : arguments.devices)
            if (!enable_peer_access(one, other))
                throw Error(ErrorCode::unsupported, one + " cannot use the memory of " + other);
    for (auto& name : arguments.matrices) {
        Json json{{"matrix", name}};
        for (auto& lane : lanes)
            json["devices"].push_back(lane->device->facts().text + ", " +
                                      lane->device->facts().name);
        try {
            const double begin = now_s();
            const CsrMatrix matrix = matrix_of(name);
            json["make_ms"] = 1e3 * (now_s() - begin);
            json.update(Bench(matrix, arguments, lanes).run());
        } catch (const std::exception& error) {
            json["error"] = error.what();
        }
        std::cout << json.dump() << std::endl;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << "bench_multi_gpu: " << error.what() << "\n";
        return 1;
    }
}
