// Of a file of tuning_db's records what is embedded in the library: trim_records IN OUT. Each
// record keeps its fastest kernels, the rule's and plain CSR; the text is one line. A tool of the
// build.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kept = 4;

double time_of(const Json& kernel) {
    return kernel.at("us").get<double>();
}

void trim(Json& record) {
    auto& all = record.at("kernels").get_ref<Json::array_t&>();
    std::ranges::stable_sort(all, {}, time_of);
    Json few = Json::array();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Json& name = all[i].at("kernel");
        if (i < kept || name == record.at("rule") || name == record.at("plain"))
            few.push_back(all[i]);
    }
    record["kernels"] = std::move(few);
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 3) return std::fputs("usage: trim_records IN OUT\n", stderr), 2;
    std::ifstream in(argv[1]);
    Json json = Json::parse(in);
    for (auto& record : json.at("records")) trim(record);
    std::ofstream out(argv[2]);
    out << json.dump() << "\n" << std::flush;
    return out ? 0 : (std::fprintf(stderr, "%s cannot be written\n", argv[2]), 1);
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[1], error.what());
    return 1;
}
