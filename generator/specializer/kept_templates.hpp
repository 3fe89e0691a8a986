#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "specializer/instantiation.hpp"

namespace spmvgen::specializer {

struct TemplateUse;

/// A template that is read, and can be instantiated again and again.
class ReadTemplate {
  public:
    explicit ReadTemplate(const TemplateUse& use);
    /// Whether it is what `use` would read, and small enough still: Clang keeps every
    /// instantiation.
    bool serves(const TemplateUse& use) const;
    /// Gives Clang the bindings to resolve; returns the namespace that has them.
    std::string bind(const Bindings& bindings);
    Parsed& parsed() { return parsed_; }

  private:
    Files files_;
    std::string file_, callees_file_;
    FrontEndOptions options_;
    Parsed parsed_;
    int uses_ = 0;
};

/// Templates that have been read, for whoever specialises next. Thread safe.
class KeptTemplates {
  public:
    /// The template, read now where none is kept. It belongs to the caller alone.
    std::unique_ptr<ReadTemplate> take(const TemplateUse& use);
    /// Keeps it for the next; only after a use without errors.
    void give_back(std::unique_ptr<ReadTemplate> used);

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<ReadTemplate>> kept_;  // the one used last at the end
};

}  // namespace spmvgen::specializer
