#include "clang_generator.hpp"

extern "C" __attribute__((visibility("default"))) spmvgen::Generator* spmvgen_generator(int abi) {
    if (abi != spmvgen::generator_abi) return nullptr;
    static spmvgen::ClangGenerator generator;
    return &generator;
}
