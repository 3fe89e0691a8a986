// bench_convert: converting CSR that is on a device to each format there, a line of JSON a matrix
// and kernel; the fastest of the rounds, without making kernels.
//     bench_convert --device=cuda:0 [--kernels=tiles,sell_slices] [--params=sigma=1024,slice=32]
//                   [--rounds=7] [--host=1] MATRIX…
// MATRIX: a file or a gallery specification. Parameters that are not given are what the rules give
// the kernel for the matrix. begin_ms: until the sizes are known; store_ms: the arrays. With
// --host=1 also host_ms: the host's conversion, without the upload.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "arguments.hpp"
#include "formats/stored_matrix.hpp"
#include "handle/conversion/conversion_on_device.hpp"
#include "handle/conversion/csr_on_device.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "matrix/read/reader.hpp"
#include "matrix/suites/gallery.hpp"
#include "rounds.hpp"
#include "tuner/chooser/chooser.hpp"

namespace {

using namespace spmvgen;
using namespace spmvgen::bench;
using Json = nlohmann::ordered_json;

struct Settings {
    std::shared_ptr<Device> device;
    Params params;
    int rounds = 7;
    bool host = false;
};

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
    return parts;
}

double ms_since(double start) {
    return 1e3 * (seconds_now() - start);
}

/// Keeps the least of the milliseconds under that name.
void keep_least(Json& row, const char* name, double ms) {
    row[name] = row.contains(name) ? std::min(row[name].get<double>(), ms) : ms;
}

/// The bytes of CSR, and those that are made of it.
void tell_bytes(Json& row, const CsrOnDevice& csr, const GpuMatrix& made) {
    double bytes = csr.bytes();
    row["csr_bytes"] = bytes;
    for (auto& memory : made.memory) bytes += static_cast<double>(memory->bytes());
    row["stored_bytes"] = bytes - csr.bytes();
    const double ms = row["begin_ms"].get<double>() + row["store_ms"].get<double>();
    row["ms"] = ms;
    row["gb_s"] = bytes / ms * 1e-6;  // as if each byte were read or written once
}

/// Converts once, timed unless it is the first time.
GpuMatrix convert_once(const Settings& settings, const ConversionKernels& converter,
                       const MatrixOnDevice& matrix, const Signature& signature, bool timed,
                       Json& row) {
    settings.device->synchronize({});
    double start = seconds_now();
    const auto conversion = begin_conversion(*settings.device, converter, matrix, signature);
    const double begin_ms = ms_since(start);
    if (const std::string fault = conversion->fault(); !fault.empty())
        throw Error(ErrorCode::unsupported, "there are " + fault);
    start = seconds_now();
    GpuMatrix made = conversion->store(signature, 0);
    if (!timed) return made;
    keep_least(row, "begin_ms", begin_ms);
    keep_least(row, "store_ms", ms_since(start));
    return made;
}

void measure(const Settings& settings, const CsrMatrix& a, const RowFeatures& features,
             CsrOnDevice& csr, const std::string& kernel, Json& row) {
    const DeviceFacts& facts = settings.device->facts();
    Request request{.kernel = kernel, .target = facts.target, .units = facts.units};
    for (auto& [name, value] : settings.params)
        if (std::ranges::find(kernel_entry(kernel).params, name, &Parameter::name) !=
            kernel_entry(kernel).params.end())
            request.params[name] = value;
    const Signature signature = choose_for(a.view(), features, request).signature;
    row["kernel"] = kernel_name(signature);
    const MatrixOnDevice matrix{csr.view(), a.view(), features.max_row, true};
    if (auto why = why_not_on_device(matrix, signature); !why.empty())
        throw Error(ErrorCode::unsupported, "the device makes no " + why);
    KernelPolicy policy;
    policy.mode = CacheMode::memory;
    const ConversionKernels converter =
        load_converters(KernelProvider::process(), policy, settings.device, signature, a.view());
    GpuMatrix made;
    for (int round = 0; round <= settings.rounds; ++round) {
        made = {};
        made = convert_once(settings, converter, matrix, signature, round > 0, row);
    }
    tell_bytes(row, csr, made);
    made = {};
    for (int round = 0; settings.host && round < settings.rounds; ++round) {
        const double start = seconds_now();
        const StoredMatrix stored = convert(a.view(), signature, true);
        keep_least(row, "host_ms", ms_since(start));
    }
}

void run(const Settings& settings, const std::string& name,
         const std::vector<std::string>& kernels) {
    const CsrMatrix a =
        std::filesystem::exists(name) ? read_matrix(name) : make_gallery_matrix(name);
    const RowFeatures features = analyse_row_lengths(a.view());
    CsrOnDevice csr(*settings.device, a.view(), nullptr);
    for (auto& kernel : kernels) {
        Json row{{"matrix", name},
                 {"rows", a.rows},
                 {"nnz", a.nnz},
                 {"case", kernel},
                 {"device", settings.device->facts().name}};
        try {
            measure(settings, a, features, csr, kernel, row);
        } catch (const Error& error) {
            row["error"] = error.what();
        }
        std::puts(row.dump().c_str());
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) try {
    Settings settings;
    settings.device = open_device(take_option(argc, argv, "--device=", "simt:sm_90"));
    settings.rounds = std::max(1, take_number(argc, argv, "--rounds=", 7));
    settings.host = take_number(argc, argv, "--host=", 0) != 0;
    const auto kernels =
        split(take_option(argc, argv, "--kernels=",
                          "csr_classical,csr_by_length,coo,ell_groups,sell_slices,bcsr_fused,"
                          "tiles,tiles_hubs,strips"));
    for (auto& text : split(take_option(argc, argv, "--params=", ""))) {
        const auto equals = text.find('=');
        if (equals == text.npos)
            throw Error(ErrorCode::invalid_argument, "--params: '" + text + "' has no '='");
        settings.params[text.substr(0, equals)] = std::stoll(text.substr(equals + 1));
    }
    for (auto& name : take_words(argc, argv)) run(settings, name, kernels);
} catch (const std::exception& error) {
    std::fprintf(stderr, "bench_convert: %s\n", error.what());
    return 1;
}
