#pragma once
#include <string>
#include <vector>

#include "emission/epilogue/expression.hpp"
#include "spmvgen/kernel.hpp"
#include "spmvgen/signature.hpp"

namespace spmvgen {

/// A sum or a maximum of an epilogue, as emitted texts speak of it.
struct Reduction {
    std::string name;
    bool maximum = false;

    std::string argument() const { return operand_argument(name); }
    std::string part() const { return "part_of_" + name; }
    /// What a thread begins with.
    const char* neutral() const { return maximum ? "-0x1.fffffffffffffp+1023" : "0.0"; }
};
std::vector<Reduction> reductions_of(const Signature& signature);

/// `double part_of_NAME = 0.0;` for each.
std::string part_declarations(const std::vector<Reduction>& reductions);

/// Plain texts in which the steps that find parts of reductions join them. Each gives the names of
/// steps that it adds: of a CPU's kernel one behind all others, of a GPU's, STEP_join behind each
/// such step, which is launched only where that has many blocks
/// (templates/dialect/operands/gpu_epilogue.hpp). A GPU's steps also ask for vectors early.
std::vector<std::string> join_on_cpu(std::string& text, const std::vector<std::string>& steps,
                                     const Signature& signature);
std::vector<std::string> join_on_gpu(std::string& text, const std::vector<std::string>& steps,
                                     const Signature& signature);

/// The arguments that this adds beside operands: numbers of threads or warps, and, of GPUs, those
/// of the blocks that join them, and how many blocks have ended.
inline const std::string parts_argument = "reduction_parts";
inline const std::string block_parts_argument = "block_parts";
inline const std::string ended_argument = "blocks_ended";
/// The most blocks that join their parts themselves, and the blocks of STEP_join and their threads.
inline constexpr int most_joining_blocks = 512, joining_blocks = 32, joining_threads = 256;
inline bool is_parts(const std::string& argument) {
    return argument.starts_with(parts_argument);
}

}  // namespace spmvgen
