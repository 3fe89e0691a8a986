#include "spmvgen/generator.hpp"

extern "C" __attribute__((visibility("default"))) spmvgen::Generator* spmvgen_generator(int abi) {
    (void)abi;
    return nullptr;
}
