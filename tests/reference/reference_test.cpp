// The pages of docs/reference say what the descriptors say. scripts/update-reference writes them.
#include "reference_pages.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "registry.hpp"

namespace spmvgen {
namespace {

void expect_page(const char* name, const std::string& text) {
    const auto path = std::filesystem::path(SPMVGEN_REFERENCE) / name;
    if (std::getenv("SPMVGEN_UPDATE_REFERENCE") != nullptr) std::ofstream(path) << text;
    std::ifstream file(path);
    const std::string page(std::istreambuf_iterator<char>(file), {});
    EXPECT_EQ(page, text) << path << " is stale: run scripts/update-reference";
}

TEST(ReferencePages, Kernels) {
    const std::string text = kernels_page();
    for (auto& kernel : kernel_registry())
        EXPECT_NE(text.find("\n### " + std::string(kernel.id) + "\n"), std::string::npos)
            << kernel.id << " is on no page";
    expect_page("kernels.md", text);
}

TEST(ReferencePages, Parameters) {
    expect_page("parameters.md", parameters_page());
}

TEST(ReferencePages, Formats) {
    expect_page("formats.md", formats_page());
}

}  // namespace
}  // namespace spmvgen
