#include "compilers/gpu/wheels.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>

#include "compilers/gpu/nvrtc.hpp"

namespace spmvgen {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

/// A folder of its own with copies of a small library, some of which are loaded.
class Wheels : public testing::Test {
  protected:
    Wheels() {
        std::string pattern = fs::temp_directory_path() / "spmvgen-wheels-XXXXXX";
        root_ = ::mkdtemp(pattern.data());
    }
    ~Wheels() override {
        ::unsetenv("SPMVGEN_NVRTC");
        for (void* library : loaded_) ::dlclose(library);
        fs::remove_all(root_);
    }
    void load(const std::string& path) {
        fs::create_directories((root_ / path).parent_path());
        fs::copy_file(SPMVGEN_NO_ENTRY, root_ / path);
        loaded_.push_back(::dlopen((root_ / path).c_str(), RTLD_NOW | RTLD_LOCAL));
        ASSERT_NE(loaded_.back(), nullptr) << ::dlerror();
    }
    std::string folder(const std::string& path) {
        fs::create_directories(root_ / path);
        return (root_ / path).string();
    }
    /// Those of this test.
    std::vector<std::string> found() {
        std::vector<std::string> own;
        for (auto& each : folders_beside_loaded_libraries())
            if (each.starts_with(root_.string())) own.push_back(each);
        return own;
    }

    fs::path root_;
    std::vector<void*> loaded_;
};

TEST_F(Wheels, OfNvidiaBesideAPackageThatIsLoaded) {
    const std::string cu13 = folder("env/lib/python3/site-packages/nvidia/cu13/lib");
    const std::string cu12 = folder("env/lib/python3/site-packages/nvidia/cuda_nvrtc/lib");
    folder("env/lib/python3/site-packages/nvidia/without");
    EXPECT_THAT(found(), ElementsAre());
    load("env/lib/python3/site-packages/package/module/_native.so");
    EXPECT_THAT(found(), ElementsAre(cu13, cu12));
    load("env/lib/python3/site-packages/other/_native.so");
    EXPECT_THAT(found(), ElementsAre(cu13, cu12)) << "each once";
    const auto names = nvrtc_library_names();
    EXPECT_EQ(names.front().substr(names.front().rfind('/')), "/libnvrtc.so.13");
    EXPECT_THAT(names, Contains(cu13 + "/libnvrtc.so.13"));
    EXPECT_THAT(names, Contains(cu12 + "/libnvrtc.so.12"));
    EXPECT_THAT(names, Contains("libnvrtc.so.13"));
}

TEST_F(Wheels, FolderOfAnyLibraryOfCuda) {
    load("conda/lib/libcudart.so.12");
    load("elsewhere/libother.so");
    EXPECT_THAT(found(), ElementsAre((root_ / "conda/lib").string()));
}

TEST_F(Wheels, AFileThatIsNamedIsTheOnlyOne) {
    ASSERT_EQ(::setenv("SPMVGEN_NVRTC", "/none/libnvrtc.so.13", 1), 0);
    EXPECT_THAT(nvrtc_library_names(), ElementsAre("/none/libnvrtc.so.13"));
    ASSERT_EQ(::setenv("SPMVGEN_NVRTC", "", 1), 0);
    EXPECT_THAT(nvrtc_library_names(), Not(Contains("/none/libnvrtc.so.13")));
}

}  // namespace
}  // namespace spmvgen
