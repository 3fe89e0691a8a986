#include "spmvgen/signature.hpp"

namespace spmvgen {
namespace {

const char* letter(Scale s) {
    return s == Scale::zero ? "0" : s == Scale::one ? "1" : "x";
}
const char* bits(IndexType t) {
    return t == IndexType::i32 ? "32" : "64";
}

}  // namespace

std::string kernel_name(const Signature& s) {
    std::string name = s.kernel + "_" + to_string(s.value) + "_i" + bits(s.index) + "_o" +
                       bits(s.offset) + "_a" + letter(s.alpha) + "_b" + letter(s.beta) + "_k" +
                       std::to_string(s.num_rhs);
    for (auto& [param, value] : s.params) name += "_" + param + std::to_string(value);
    return name;
}

std::string to_string(const Signature& s) {
    return kernel_name(s) + "@" + to_string(s.target);
}

}  // namespace spmvgen
