#include "gpu_products.hpp"

#include <cstdlib>

namespace spmvgen::gpu_tests {

std::string device_text() {
    const char* chosen = std::getenv("SPMVGEN_TEST_DEVICE");
    return chosen != nullptr && *chosen != '\0' ? chosen : "cuda:0";
}

void OnDevice::SetUp() {
    try {
        device_ = open_device(device_text());
    } catch (const Error& error) {
        if (error.code() != ErrorCode::unsupported) throw;
        GTEST_SKIP() << error.what();
    }
}

std::vector<std::string> kernels() {
    std::vector<std::string> ids;
    for (auto& entry : kernel_registry())
        if (entry.gpu && is_plain_product(entry)) ids.emplace_back(entry.id);
    return ids;
}

const std::vector<std::string>& small_gallery() {
    static const std::vector<std::string> all{
        "stencil5:nx=37,ny=29",
        "stencil7:nx=11,ny=9,nz=10",
        "stencil9:nx=23,ny=21",
        "stencil27:nx=7,ny=8,nz=6",
        "fem:nx=9,ny=8",
        "fem_tri:nx=20,ny=20",
        "rmat:scale=9",
        "debruijn:k=9",
        "random:rows=500,cols=700",
        "banded:n=300",
        "arrow:n=1500",
        "diagonal:n=2000",
        "powerlaw:n=600,max_row=500",
        "circuit:n=700,dense=2,dense_length=300",
        "road:nx=30,ny=25",
    };
    return all;
}

Options options_for(const std::string& kernel) {
    Options options;
    options.device = device_text();
    options.kernel = kernel;
    options.cache = CacheMode::memory;
    return options;
}

}  // namespace spmvgen::gpu_tests
