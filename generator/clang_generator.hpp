#pragma once
#include "specializer/kept_templates.hpp"
#include "spmvgen/generator.hpp"

namespace spmvgen {

/// The generator that libspmvgen_jit holds: the specialiser and Clang.
class ClangGenerator final : public Generator {
  public:
    KernelSource emit(const Signature& signature, const std::string& command) override;
    KernelBinary compile(const KernelSource& source, BinaryKind kind, Compiler compiler) override;
    std::map<std::string, std::string> versions() override;

  private:
    specializer::KeptTemplates kept_;
};

}  // namespace spmvgen
