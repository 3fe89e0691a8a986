#include "specializer/kept_templates.hpp"

#include <algorithm>

#include "specializer/dialect_check.hpp"
#include "specializer/specialize.hpp"

namespace spmvgen::specializer {
namespace {

/// Templates that are kept at most, a few megabytes each, and uses of one.
constexpr std::size_t most_kept = 4;
constexpr int most_uses = 32;
const std::string main_file = "template.cpp";

Files with_main_file(const TemplateUse& use) {
    Files files = use.files;
    std::string& text = files[main_file];
    if (!use.callees_file.empty()) text += "#include \"" + use.callees_file + "\"\n";
    text += "#include \"" + use.file + "\"\n";
    return files;
}

FrontEndOptions more_follows(FrontEndOptions options) {
    options.more_follows = true;
    return options;
}

}  // namespace

ReadTemplate::ReadTemplate(const TemplateUse& use)
    : files_(use.files),
      file_(use.file),
      callees_file_(use.callees_file),
      options_(use.options),
      parsed_(with_main_file(use), main_file, more_follows(use.options)) {}

bool ReadTemplate::serves(const TemplateUse& use) const {
    return uses_ < most_uses && file_ == use.file && callees_file_ == use.callees_file &&
           options_ == use.options && files_ == use.files;
}

std::string ReadTemplate::bind(const Bindings& bindings) {
    const std::string scope = bindings_scope + "_" + std::to_string(++uses_);
    parsed_.read_more(bindings_file, bindings_text(scope, bindings));
    return scope;
}

std::unique_ptr<ReadTemplate> KeptTemplates::take(const TemplateUse& use) {
    {
        const std::lock_guard lock(mutex_);
        const auto found =
            std::ranges::find_if(kept_, [&](const auto& kept) { return kept->serves(use); });
        if (found != kept_.end()) {
            auto taken = std::move(*found);
            kept_.erase(found);
            return taken;
        }
    }
    check_directives(use.files, use.file);
    if (!use.callees_file.empty()) check_directives(use.files, use.callees_file);
    return std::make_unique<ReadTemplate>(use);
}

void KeptTemplates::give_back(std::unique_ptr<ReadTemplate> used) {
    std::unique_ptr<ReadTemplate> dropped;  // without the lock
    const std::lock_guard lock(mutex_);
    if (kept_.size() == most_kept) {
        dropped = std::move(kept_.front());
        kept_.erase(kept_.begin());
    }
    kept_.push_back(std::move(used));
}

}  // namespace spmvgen::specializer
