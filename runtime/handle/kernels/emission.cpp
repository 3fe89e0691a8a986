#include "handle/kernels/emission.hpp"

#include "kernel/refuse.hpp"
#include "registry.hpp"
#include "tuner/rules/choose.hpp"

namespace spmvgen {
namespace {

constexpr KernelForm forms[] = {{"source", std::nullopt, true, true, true, true},
                                {"object", BinaryKind::object, true, false, false, false},
                                {"shared", BinaryKind::shared_object, true, false, false, false},
                                {"asm", BinaryKind::assembly, true, false, true, true},
                                {"llvm-ir", BinaryKind::llvm_ir, true, false, false, true},
                                {"ptx", BinaryKind::ptx, false, true, false, true},
                                {"cubin", BinaryKind::cubin, false, true, false, false},
                                {"hsaco", BinaryKind::hsaco, false, false, true, false},
                                {"simt", BinaryKind::simt, false, true, true, false}};

bool has(const KernelForm& form, TargetKind kind) {
    return kind == TargetKind::host ? form.cpu : kind == TargetKind::cuda ? form.nvidia : form.amd;
}

}  // namespace

const KernelForm& kernel_form(std::string_view name, const Target& target) {
    const TargetKind kind = architecture(target).kind;
    std::string names;
    const KernelForm* found = nullptr;
    for (auto& form : forms) {
        if (name == form.name) found = &form;
        if (has(form, kind)) names.append(names.empty() ? "" : ", ").append(form.name);
    }
    if (found != nullptr && has(*found, kind)) return *found;
    refuse((found == nullptr ? "unknown form '" + std::string(name) + "'"
                             : "there is no " + std::string(name) + " of " + target.arch) +
           ": use one of " + names);
}

Op op_of_kernel(const std::string& id, const Params& params) {
    if (id == "auto" || !kernel_entry(id).transposes) return Op::none;
    const auto conjugate = params.find("conjugate");
    return conjugate != params.end() && conjugate->second == 1 ? Op::conj_transpose : Op::transpose;
}

Signature named_signature(const std::string& format, const std::string& kernel, Signature wanted) {
    const Request request{.format = format,
                          .kernel = kernel,
                          .params = wanted.params,
                          .target = wanted.target,
                          .op = op_of_kernel(kernel, wanted.params)};
    wanted.kernel = candidates(request).front()->id;
    return complete(std::move(wanted));
}

}  // namespace spmvgen
