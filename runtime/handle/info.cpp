#include <fmt/format.h>

#include "spmvgen/spmvgen.hpp"

namespace spmvgen {
namespace {

std::string readable_bytes(std::int64_t bytes) {
    const auto b = static_cast<double>(bytes);
    return b < 1e3   ? fmt::format("{} B", bytes)
           : b < 1e6 ? fmt::format("{:.1f} kB", b / 1e3)
           : b < 1e9 ? fmt::format("{:.1f} MB", b / 1e6)
                     : fmt::format("{:.2f} GB", b / 1e9);
}

}  // namespace

std::string to_string(const Info& i) {
    std::string text;
    const auto line = [&](const char* name, const std::string& value) {
        if (!value.empty()) text += fmt::format("{:<10}{}\n", fmt::format("{}:", name), value);
    };
    const bool on_gpu = !i.device.empty() && i.device != "host";
    if (on_gpu) line("device", i.device);
    line("matrix", fmt::format("{} x {}, {} entries", i.rows, i.cols, i.nnz));
    if (i.op != "N")
        line("op", i.op == "T"   ? "T, the transpose"
                   : i.op == "H" ? "H, the conjugate transpose"
                                 : "C, the conjugate");
    line("kernel", i.kernel);
    std::string format = i.format;
    if (i.stored != i.nnz) format += fmt::format(", {} entries with padding", i.stored);
    if (on_gpu) format += ", values as " + i.storage;
    line("format", format);
    if (i.reorder != "none")
        line("order", fmt::format("{} in {:.1f} ms, bandwidth {} instead of {}; x and y {}",
                                  i.reorder, i.reorder_ms, i.bandwidth, i.bandwidth_before,
                                  i.permuted_vectors ? "in this order"
                                  : i.permute_bytes == 0
                                      ? "in the caller's"
                                      : "in the caller's, which costs " +
                                            readable_bytes(i.permute_bytes) + " a product"));
    line("target", i.target);
    if (i.threads > 0) line("threads", std::to_string(i.threads));
    if (on_gpu)
        line("launches", fmt::format("{} an apply, sums in {} order", i.launches,
                                     i.deterministic ? "a fixed" : "any"));
    line("reason", i.reason);
    line("origin", i.origin);
    line("source", i.source_path);
    line("bytes", fmt::format("{} a product, {} of them the matrix", readable_bytes(i.bytes),
                              readable_bytes(i.matrix_bytes)));
    if (i.update_bytes > 0)
        line("updates", readable_bytes(i.update_bytes) + " kept for new values");
    if (i.widened > 0)
        line("widened", fmt::format("{} x, for new values that needed it", i.widened));
    line("prepared",
         fmt::format("{:.1f} ms, {:.1f} of them for the kernel", i.prepare_ms, i.kernel_ms));
    std::string time;
    if (i.measured_us > 0) time = fmt::format("measured {:.2f} µs a product", i.measured_us);
    if (i.predicted_us > 0)
        time += fmt::format("{}predicted {:.2f} µs by {}", time.empty() ? "" : ", ", i.predicted_us,
                            i.profile);
    line("time", time);
    std::string measured;
    for (auto& kernel : i.measured)
        measured +=
            fmt::format("{}{:.2f} µs {}", measured.empty() ? "" : ", ", kernel.us, kernel.kernel);
    line("measured", measured);
    line("warning", i.warning);
    return text;
}

}  // namespace spmvgen
