// Prints what emit_kernel gives for a kernel of the registry, for tests that need another process.
// usage: emit_text KERNEL COMMAND
#include <cstdio>

#include "emission/emit.hpp"
#include "signatures.hpp"

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const auto source = spmvgen::emit_kernel(spmvgen::signature_of(argv[1]), argv[2]);
    std::fwrite(source.text.data(), 1, source.text.size(), stdout);
    return 0;
}
