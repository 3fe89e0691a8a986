// Runs a fuzz target over files and folders of inputs, without a fuzzer: `replay PATH…`.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
    // The last line tells which input it was when a property does not hold.
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
    int inputs = 0;
    for (int i = 1; i < argc; ++i) {
        std::vector<std::filesystem::path> files{argv[i]};
        if (std::filesystem::is_directory(argv[i]))
            files.assign(std::filesystem::directory_iterator(argv[i]), {});
        std::sort(files.begin(), files.end());
        for (const auto& file : files) run(file), ++inputs;
    }
    if (inputs == 0) std::fprintf(stderr, "no inputs: name the files or folders to run\n");
    return inputs > 0 ? 0 : 2;
}
