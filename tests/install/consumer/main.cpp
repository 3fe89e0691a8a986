// Prints the version of spmvgen and the path of the kernel compiler that it loads.
#include <unistd.h>
#include <spmvgen/spmvgen.hpp>

#include <cstring>
#include <iostream>

namespace spmvgen {
class Generator;
Generator& load_generator();  // internal: until a Handle does it
std::string generator_path();
}  // namespace spmvgen

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--chdir") == 0 && chdir("/") != 0) return 2;
    try {
        spmvgen::load_generator();
    } catch (const spmvgen::Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    std::cout << spmvgen::version() << '\n' << spmvgen::generator_path() << '\n';
}
