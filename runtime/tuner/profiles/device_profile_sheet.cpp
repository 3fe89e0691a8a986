#include <fmt/format.h>

#include <cmath>

#include "tuner/profiles/device_profile.hpp"

namespace spmvgen {
namespace {

constexpr std::size_t columns = 100, indent = 12;

/// "4.33 T", "850 G": three figures and the power of 1000.
std::string short_number(double number) {
    static constexpr const char* units[] = {"", "k", "M", "G", "T", "P"};
    std::size_t unit = 0;
    for (; number >= 999.5 && unit + 1 < std::size(units); ++unit) number /= 1000;
    const int decimals = number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f} {}", number, decimals, units[unit]);
}

std::string spread_text(double spread) {
    return spread > 0 ? fmt::format(" ±{:.1f} %", 100 * spread) : "";
}

/// "name        item, item": broken at items so that it stays within the page.
std::string paragraph(const std::string& name, const std::vector<std::string>& items) {
    std::string text, line = fmt::format("{:<{}}", name, indent);
    bool first = true;
    for (auto& item : items) {
        if (!first && line.size() + 2 + item.size() > columns) {
            text += line + ",\n";
            line = std::string(indent, ' ');
            first = true;
        }
        line += (first ? "" : ", ") + item;
        first = false;
    }
    return text + line + "\n";
}

std::string rates_text(const std::string& name, const std::vector<DeviceRate>& rates,
                       const char* unit) {
    std::string text;
    for (std::size_t i = 0; i < rates.size();) {
        const int threads = rates[i].threads;
        std::vector<std::string> items;
        for (; i < rates.size() && rates[i].threads == threads; ++i)
            items.push_back(fmt::format("{}B: {}{}{}", short_number(rates[i].bytes),
                                        short_number(rates[i].per_s), unit,
                                        spread_text(rates[i].spread)));
        if (threads > 0) items.front() = fmt::format("{} threads: {}", threads, items.front());
        text += paragraph(text.empty() ? name : "", items);
    }
    return text;
}

void add(std::vector<std::string>& items, const char* what, const Figure& figure,
         const std::string& number) {
    if (figure.value > 0)
        items.push_back(fmt::format("{} {}{}", what, number, spread_text(figure.spread)));
}

}  // namespace

std::string sheet(const DeviceProfile& p) {
    std::vector<std::string> head{p.device};
    if (!p.arch.empty() && p.arch != p.device) head.push_back(p.arch);
    if (p.units > 0) head.push_back(fmt::format("{} units", p.units));
    head.push_back(p.source + (p.date.empty() ? "" : " " + p.date));
    std::string text = paragraph("device", head);
    std::vector<std::string> rated;
    if (p.rated.clock_ghz > 0) rated.push_back(fmt::format("{:.3g} GHz", p.rated.clock_ghz));
    if (p.rated.memory_bytes_per_s > 0)
        rated.push_back("memory " + short_number(p.rated.memory_bytes_per_s) + "B/s");
    if (p.rated.l2_bytes > 0) rated.push_back("L2 " + short_number(p.rated.l2_bytes) + "B");
    if (!rated.empty()) text += paragraph("rated", rated);
    if (!p.assumed.empty()) text += paragraph("assumed", p.assumed);
    text += paragraph(
        "launch", {fmt::format("{:.3g} µs{}", p.launch_us.value, spread_text(p.launch_us.spread))});
    std::vector<std::string> regions;
    for (auto& region : p.regions)
        regions.push_back(fmt::format("{} threads: {:.3g} µs{}", region.threads, region.us,
                                      spread_text(region.spread)));
    if (!regions.empty()) text += paragraph("regions", regions);
    text += rates_text("read", p.read, "B/s");
    text += rates_text("copy", p.copy, "B/s");
    text += rates_text("gather", p.gather, "/s");
    text += rates_text("atomics", p.atomics, "/s");
    std::vector<std::string> kernels;
    const auto ms = [](const Figure& f) { return fmt::format("{:.3g} ms", f.value); };
    add(kernels, "the first", p.first_kernel_ms, ms(p.first_kernel_ms));
    add(kernels, "a further one", p.kernel_ms, ms(p.kernel_ms));
    add(kernels, "loading", p.load_ms, ms(p.load_ms));
    if (!kernels.empty()) text += paragraph("kernels", kernels);
    if (p.convert_bytes_per_s.value > 0)
        text += paragraph("convert", {short_number(p.convert_bytes_per_s.value) + "B/s of CSR" +
                                      spread_text(p.convert_bytes_per_s.spread)});
    return text;
}

}  // namespace spmvgen
