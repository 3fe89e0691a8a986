#include "tuner/records/signature_name.hpp"

#include <charconv>
#include <string_view>

#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// The entry whose id the name begins with; the longest, for ids begin with other ids.
const KernelEntry* entry_of(std::string_view name) {
    const KernelEntry* found = nullptr;
    for (auto& entry : kernel_registry())
        if (name.starts_with(std::string(entry.id) + "_") &&
            (found == nullptr || entry.id.size() > found->id.size()))
            found = &entry;
    return found;
}

/// Takes "_", `prefix`, and what goes on to the next "_" from the front of `rest`.
std::string take(std::string_view& rest, std::string_view prefix) {
    if (!rest.starts_with("_") || !rest.substr(1).starts_with(prefix)) return "";
    rest.remove_prefix(1 + prefix.size());
    const std::string word(rest.substr(0, rest.find('_')));
    rest.remove_prefix(word.size());
    return word;
}

Scale scale_of(const std::string& letter) {
    return letter == "0"   ? Scale::zero
           : letter == "1" ? Scale::one
           : letter == "d" ? Scale::device
                           : Scale::general;
}

/// A number; 0 for other text, which the name of the result then tells.
std::int64_t number_of(const std::string& text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// What the name tells, of a kernel of the registry; a parameter that it lacks, for the kernel has
/// it since, has its preset.
std::optional<Signature> read_name(std::string_view name, const Target& target) {
    const KernelEntry* found = entry_of(name);
    if (found == nullptr) return {};
    const KernelEntry& entry = *found;
    Signature s;
    s.target = target;
    s.kernel = entry.id;
    std::string_view rest = name.substr(entry.id.size());
    s.value = parse_value_type(take(rest, ""));
    if (const std::string storage = take(rest, "s"); !storage.empty())
        s.storage = parse_value_type(storage);
    if (const std::string sums = take(rest, "acc"); !sums.empty())
        s.accumulator = parse_value_type(sums);
    s.index = parse_index_type("i" + take(rest, "i"));
    s.offset = parse_index_type("i" + take(rest, "o"));
    s.alpha = scale_of(take(rest, "a"));
    s.beta = scale_of(take(rest, "b"));
    s.num_rhs = static_cast<int>(number_of(take(rest, "k")));
    if (const std::string form = take(rest, "x"); !form.empty()) s.x_form = parse_vector_form(form);
    if (const std::string form = take(rest, "y"); !form.empty()) s.y_form = parse_vector_form(form);
    Params named;
    for (auto& parameter : entry.params) s.params[parameter.name] = parameter.preset;
    for (auto& [parameter, value] : s.params) {
        const std::string number = take(rest, parameter.str());
        if (!number.empty()) named[parameter] = value = number_of(number);
    }
    Signature as_named = s;
    as_named.params = named;
    if (kernel_name(as_named) != name) return {};
    return s;
}

}  // namespace

std::optional<Signature> parse_kernel_name(std::string_view name, const Target& target) try {
    auto s = read_name(name, target);
    if (s) s = complete(*std::move(s));
    return s;
} catch (const Error&) {  // a type, a parameter's value or a target that the kernel does not have
    return {};
}

Signature parse_signature(const std::string& text) {
    const auto at = text.find('@');
    const std::string name = text.substr(0, at);
    if (at != text.npos && entry_of(name) != nullptr)
        if (auto s = read_name(name, parse_target(text.substr(at + 1))); s && to_string(*s) == text)
            return complete(*std::move(s));
    throw Error(ErrorCode::invalid_argument,
                "'" + text +
                    "' names no kernel: give lines of spmvgen cache list --names; a kernel with an "
                    "epilogue cannot be made from its name");
}

}  // namespace spmvgen
