// Of a file of tuning_db's records what is embedded in the library: trim_records IN OUT. Each
// record keeps the fastest parameters of each kernel, for requests that do not leave all kernels
// free, the rule's choice and plain CSR; the text is one line. A tool of the build.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace {

using Json = nlohmann::ordered_json;

double time_of(const Json& kernel) {
    return kernel.at("us").get<double>();
}

/// "csr_vector" of "csr_vector_f64_i32_…".
std::string id_of(const std::string& name, const Json& record) {
    return name.substr(0, name.find("_" + record.at("question").at("value").get<std::string>()));
}

void trim(Json& record) {
    auto& all = record.at("kernels").get_ref<Json::array_t&>();
    std::ranges::stable_sort(all, {}, time_of);
    std::set<std::string> seen;
    Json few = Json::array();
    for (auto& kernel : all) {
        const auto name = kernel.at("kernel").get<std::string>();
        const bool fastest = seen.insert(id_of(name, record)).second;
        if (fastest || name == record.at("rule") || name == record.at("plain"))
            few.push_back(kernel);
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
