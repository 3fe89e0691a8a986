#include "handle/capture_handle.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "handle/base/handle_impl.hpp"
#include "handle/making/handle_makers.hpp"
#include "handle/plan/device_csr.hpp"
#include "handle/plan/request_of_options.hpp"
#include "matrix/coo_matrix.hpp"
#include "matrix/features/features.hpp"
#include "matrix/layouts/block_matrix.hpp"
#include "matrix/layouts/index_base.hpp"
#include "spmvgen/error.hpp"
#include "tuner/records/capture.hpp"

namespace spmvgen {
namespace {

std::string variable(const char* name) {
    const char* text = secure_getenv(name);
    return text != nullptr ? text : "";
}

Question question_of(const CsrView& matrix, const Options& o, const Info& info) {
    Signature types;
    set_number_types(types, o, matrix.value_type);
    return {.value = types.value,
            .storage = storage_type(types),
            .accumulator = types.accumulator,
            .num_rhs = o.num_rhs,
            .op = parse_op(o.op),
            .deterministic = o.deterministic,
            .threads = info.threads};
}

/// "NVIDIA H200" of "cuda:0, NVIDIA H200".
std::string name_of(const std::string& device) {
    const std::size_t comma = device.find(", ");
    return comma == std::string::npos ? "" : device.substr(comma + 2);
}

void capture(const CsrView& matrix, const Options& options, const Info& info,
             const CaptureSettings& settings) {
    Capture c;
    c.pattern = pattern_digest(matrix);
    c.question = question_of(matrix, options, info);
    const std::filesystem::path directory = settings.directory;
    const bool known =
        exists(directory / capture_file_name(c.pattern, matrix.value_type, c.question));
    const bool complete = !settings.pattern || exists(directory / pattern_file_name(c.pattern));
    if (known && complete) return;
    c.device = record_device(parse_target(info.target), name_of(info.device));
    c.kernel = info.kernel;
    c.features = analyse(matrix, options.threads);
    keep_capture(settings.directory, c, matrix, settings.pattern);
}

/// Calls work(settings) when the environment asks for captures.
template <typename Work>
void when_asked(Work&& work) noexcept {
    std::string directory;
    try {
        const auto settings = capture_settings();
        if (!settings) return;
        directory = settings->directory;
        if (!settings->warning.empty()) KernelProvider::process().warn(settings->warning);
        work(*settings);
    } catch (const std::exception& error) {
        try {
            KernelProvider::process().warn(
                fmt::format("SPMVGEN_CAPTURE={}: a matrix is not captured: {}", directory,
                            error.what()),
                "SPMVGEN_CAPTURE=" + directory);
        } catch (const std::exception&) {  // no memory, or SPMVGEN_LOG is wrong: nothing to say
        }
    }
}

}  // namespace

std::optional<CaptureSettings> capture_settings() {
    CaptureSettings settings;
    settings.directory = variable("SPMVGEN_CAPTURE");
    if (settings.directory.empty()) return {};
    const std::string pattern = variable("SPMVGEN_CAPTURE_PATTERN");
    settings.pattern = pattern == "1";
    if (!pattern.empty() && pattern != "0" && pattern != "1")
        settings.warning = fmt::format(
            "SPMVGEN_CAPTURE_PATTERN={}: use 0 or 1; patterns are not captured", pattern);
    return settings;
}

void capture_handle(const CsrView& matrix, const Options& options, const Info& info) noexcept {
    when_asked([&](const CaptureSettings& settings) {
        if (options.index_base == 1)
            return capture(from_zero(matrix, options.threads).view, options, info, settings);
        if (!options.device_arrays) return capture(matrix, options, info, settings);
        const auto device = device_for(options, nullptr);
        DeviceCsr input(*device, matrix);
        input.complete();
        capture(input.on_host(), options, info, settings);
    });
}

void capture_handle(const CooView& matrix, const Options& options, const Info& info) noexcept {
    when_asked([&](const CaptureSettings& settings) {
        if (options.index_base == 1)
            return capture(sort_entries(from_zero(matrix, options.threads).view, options.threads)
                               .matrix.view(),
                           options, info, settings);
        if (!options.device_arrays)
            return capture(sort_entries(matrix, options.threads).matrix.view(), options, info,
                           settings);
        const DownloadedEntries here = download(*device_for(options, nullptr), matrix);
        capture(sort_entries(here.view, options.threads).matrix.view(), options, info, settings);
    });
}

void capture_handle(const BsrView& matrix, const Options& options, const Info& info) noexcept {
    when_asked([&](const CaptureSettings& settings) {
        FromZero<BsrView> blocks{matrix, {}, {}};
        if (options.index_base == 1) blocks = from_zero(matrix, options.threads);
        capture(expand_blocks(blocks.view, options.threads).matrix.view(), options, info, settings);
    });
}

}  // namespace spmvgen
