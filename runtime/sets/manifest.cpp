#include "sets/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "registry.hpp"
#include "registry_permute.hpp"
#include "spmvgen/error.hpp"
#include "tuner/rules/possible.hpp"

namespace spmvgen {
namespace {

/// Collects the signatures of one target.
class Expansion {
  public:
    Expansion(const Target& target, std::vector<Unfit>& unfit)
        : target_(target), kind_(architecture(target).kind), unfit_(unfit) {}

    void add(const ManifestSection& section) {
        if (std::ranges::find(section.on, kind_) == section.on.end()) return;
        for (const ValueType value : section.values)
            for (const int rhs : section.rhs)
                for (auto& epilogue : section.epilogues)
                    for (auto& storage : section.storage) {
                        Signature common;
                        common.value = value;
                        common.num_rhs = rhs;
                        common.epilogue = epilogue;
                        common.storage = storage;
                        common.target = target_;
                        add(section, common);
                    }
    }

    std::vector<Signature> take() {
        std::vector<Signature> list;
        for (auto& [name, signature] : found_) list.push_back(std::move(signature));
        return list;
    }

  private:
    /// What the lists of the section but types, right-hand sides and epilogues give.
    void add(const ManifestSection& section, const Signature& common) {
        switch (section.choose) {
            case SectionKind::rules:
            case SectionKind::batches:
                return add_rules(section, common);
            case SectionKind::helpers:
                return add_helpers(section, common);
            case SectionKind::kernels:
                return add_kernels(section, common);
        }
    }

    void add_rules(const ManifestSection& section, const Signature& common) {
        const bool batch = section.choose == SectionKind::batches;
        for (auto& format : section.formats)
            for (const Op op : section.ops)
                for (const bool deterministic : section.deterministic) {
                    const Request request{.format = format,
                                          .target = target_,
                                          .num_rhs = common.num_rhs,
                                          .deterministic = deterministic,
                                          .batch = batch,
                                          .storage = common.storage,
                                          .epilogue = common.epilogue,
                                          .op = op};
                    guarded(fmt::format("the rules for format {}, {}", format, of(common)), [&] {
                        for (auto& s : batch ? possible_batch_choices(request, common.value)
                                             : possible_choices(request, common.value))
                            add_modes(section, s);
                    });
                }
    }

    void add_helpers(const ManifestSection& section, const Signature& common) {
        if (kind_ == TargetKind::host) return;  // a CPU's are part of the library
        for (auto& entry : helper_kernels()) {
            const bool is_listed = std::ranges::any_of(
                kernel_registry(), [&](auto& kernel) { return kernel.listed == entry.id; });
            if (is_listed) continue;  // handles do without it
            if (entry.refuses != nullptr && kind_ != TargetKind::cuda) continue;
            Signature s = common;
            s.kernel = entry.id;
            if (entry.id.ends_with("pack_vectors")) {  // of one vector there is nothing to pack
                if (common.num_rhs > 1)
                    guarded(s.kernel, [&] {
                        s.epilogue.clear();
                        add_one(complete(s));
                    });
                continue;
            }
            const bool moves = entry.id == "gather_rows" || entry.id == "exchange_rows";
            if (moves) s.epilogue.clear();
            guarded(s.kernel, [&] {
                s = complete(s);
                moves ? add_one(s) : add_all_modes(section, s);
            });
        }
    }

    void add_kernels(const ManifestSection& section, const Signature& common) {
        for (auto& entry : kernel_registry()) {
            if (!is_of(section, entry) || entry.gpu != (kind_ != TargetKind::host)) continue;
            Signature s = common;
            s.kernel = entry.id;
            add_params(section, entry, s, 0);
        }
    }

    /// Every combination of the parameters from the i-th on.
    void add_params(const ManifestSection& section, const KernelEntry& entry, Signature s,
                    std::size_t i) {
        if (i == entry.params.size()) {
            guarded(kernel_name(s), [&] { add_modes(section, complete(s)); });
            return;
        }
        const Parameter& p = entry.params[i];
        std::vector<std::int64_t> values;  // none = the preset
        if (section.params == ParamsOf::all && !p.range)
            values.assign(p.allowed.begin(), p.allowed.end());
        if (const auto list = section.param_lists.find(p.name.str());
            list != section.param_lists.end())
            values = list->second;
        if (values.empty()) return add_params(section, entry, s, i + 1);
        for (const std::int64_t value : values) {
            s.params[p.name] = value;
            add_params(section, entry, s, i + 1);
        }
    }

    /// The pairs of index types that the section wants, of those that `s` stands for, and the
    /// modes.
    void add_modes(const ManifestSection& section, const Signature& s) {
        if (section.choose == SectionKind::kernels) {
            constexpr IndexType types[] = {IndexType::i32, IndexType::i64};
            Signature each = s;
            for (const IndexType index : types)
                for (const IndexType offset : types) {
                    each.index = index;
                    each.offset = offset;
                    add_wanted(section, each);
                }
        } else {
            add_wanted(section, s);
        }
    }

    void add_wanted(const ManifestSection& section, const Signature& s) {
        const std::pair pair{s.index, s.offset};
        if (section.indices.empty() ||
            std::ranges::find(section.indices, pair) != section.indices.end())
            add_all_modes(section, s);
    }

    void add_all_modes(const ManifestSection& section, Signature s) {
        if (section.alpha.empty())
            for (auto& modes : handle_modes(kind_, !s.epilogue.empty())) {
                s.alpha = modes.alpha;
                s.beta = modes.beta;
                add_one(s);
            }
        for (const Scale alpha : section.alpha)
            for (const Scale beta : section.beta) {
                s.alpha = alpha;
                s.beta = beta;
                add_one(s);
            }
    }

    void add_one(const Signature& s) { found_.emplace(kernel_name(s), s); }

    std::string of(const Signature& s) const {
        return fmt::format("values {}{}, {} right-hand sides", to_string(s.value),
                           s.storage ? fmt::format(" stored as {}", to_string(*s.storage)) : "",
                           s.num_rhs);
    }

    /// What a target or a kernel cannot have is told of, not an error.
    template <typename F>
    void guarded(const std::string& what, F f) {
        try {
            f();
        } catch (const Error& error) {
            if (error.code() == ErrorCode::internal) throw;
            unfit_.push_back({what, error.what()});
        }
    }

    const Target& target_;
    TargetKind kind_;
    std::vector<Unfit>& unfit_;
    std::map<std::string, Signature> found_;
};

}  // namespace

bool is_of(const ManifestSection& section, const KernelEntry& entry) {
    if (!section.kernels.empty())
        return std::ranges::find(section.kernels, entry.id) != section.kernels.end();
    return is_plain_product(entry) && std::ranges::any_of(section.formats, [&](auto& format) {
               return format == "auto" || parse_format(format) == entry.format;
           });
}

std::vector<Signature> expand(const Manifest& manifest, const Target& target,
                              std::vector<Unfit>& unfit) {
    Expansion expansion(target, unfit);
    for (auto& section : manifest.sections) expansion.add(section);
    return expansion.take();
}

}  // namespace spmvgen
