#include "emission/kernel_file.hpp"

namespace spmvgen {

std::string kernel_file(const KernelFile& f) {
    return kernel_file_head(f) + (f.entry.gpu ? gpu_text(f) : cpu_text(f));
}

std::string product_text(const Signature& s) {
    const KernelEntry& entry = kernel_entry(s.kernel);
    if (!entry.scales) return std::string(entry.product);
    const auto conjugate = s.params.find("conjugate");
    const bool hermitian = conjugate != s.params.end() && conjugate->second == 1;
    const std::string factor(!entry.transposes ? entry.product : hermitian ? "A^H x" : "A^T x");
    const std::string product = s.alpha == Scale::zero  ? ""
                                : s.alpha == Scale::one ? factor
                                                        : "alpha " + factor;
    const std::string old = s.beta == Scale::zero ? "" : s.beta == Scale::one ? "y" : "beta y";
    const std::string both = product.empty() && old.empty()
                                 ? "0"
                                 : product + (product.empty() || old.empty() ? "" : " + ") + old;
    return s.epilogue.empty() ? both : "epilogue(" + both + ")";
}

std::string canonical_command(const Signature& s) {
    std::string text = "spmvgen emit --kernel " + s.kernel + " --arch " + to_string(s.target) +
                       " --value " + to_string(s.value) + " --index " + to_string(s.index) +
                       " --offset " + to_string(s.offset) + " --alpha " + to_string(s.alpha) +
                       " --beta " + to_string(s.beta) + " --rhs " + std::to_string(s.num_rhs);
    if (s.x_form != VectorForm::dense) text += std::string(" --x-form ") + to_string(s.x_form);
    if (s.y_form != VectorForm::dense) text += std::string(" --y-form ") + to_string(s.y_form);
    constexpr std::size_t readable = 60;  // so that a line can be broken between two
    std::string params;
    for (auto& [name, value] : s.params) {
        const std::string param = name.str() + "=" + std::to_string(value);
        if (params.empty() || params.size() + param.size() > readable) {
            text += params;
            params = " --param " + param;
        } else {
            params += "," + param;
        }
    }
    text += params;
    if (s.storage) text += std::string(" --storage ") + to_string(*s.storage);
    if (s.accumulator) text += std::string(" --accumulator ") + to_string(*s.accumulator);
    if (!s.epilogue.empty()) text += " --epilogue '" + s.epilogue + "'";
    return text;
}

}  // namespace spmvgen
