#include "spmvgen/kernel.hpp"

namespace spmvgen {

std::string to_string(const KernelFacts& facts) {
    const auto number = [](int value) { return std::to_string(value); };
    return "registers " + number(facts.registers) + ", scalar registers " +
           number(facts.scalar_registers) + ", spilled " +
           (facts.spilled_bytes ? number(*facts.spilled_bytes) + " B" : "unknown") + ", shared " +
           number(facts.shared_bytes) + " B, stack " + number(facts.stack_bytes) +
           " B, wavefront " + number(facts.wavefront);
}

const char* to_string(BinaryKind kind) {
    switch (kind) {
        case BinaryKind::shared_object:
            return "shared_object";
        case BinaryKind::object:
            return "object";
        case BinaryKind::assembly:
            return "assembly";
        case BinaryKind::llvm_ir:
            return "llvm_ir";
        case BinaryKind::ptx:
            return "ptx";
        case BinaryKind::cubin:
            return "cubin";
        case BinaryKind::hsaco:
            return "hsaco";
        case BinaryKind::simt:
            return "simt";
    }
    return "?";
}

const char* to_string(Compiler compiler) {
    switch (compiler) {
        case Compiler::automatic:
            return "automatic";
        case Compiler::nvrtc:
            return "NVRTC";
        case Compiler::hiprtc:
            return "hiprtc";
        case Compiler::clang:
            return "Clang";
    }
    return "?";
}

const char* to_string(StepRule rule) {
    switch (rule) {
        case StepRule::per_thread:
            return "per_thread";
        case StepRule::once:
            return "once";
        case StepRule::grid:
            return "grid";
    }
    return "?";
}

}  // namespace spmvgen
