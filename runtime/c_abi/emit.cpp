#include <charconv>
#include <cstring>
#include <memory>

#include "c_abi/arguments.hpp"
#include "c_abi/status.hpp"
#include "devices/device.hpp"
#include "handle/kernels/emission.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "handle/plan/explain.hpp"
#include "kernel/refuse.hpp"

using namespace spmvgen::c_abi;

namespace spmvgen::c_abi {
namespace {

/// What a kernel is asked for, as the texts of spmvgen_emit say.
struct Emission {
    std::string format = "auto", kernel = "auto", as = "source";
    Signature signature = {.kernel = "", .target = parse_target("native")};
};

std::int64_t integer(std::string_view text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, trouble] = std::from_chars(text.data(), end, number);
    if (trouble != std::errc() || rest != end)
        refuse("'" + std::string(text) + "' is not an integer that fits");
    return number;
}

ValueType computed_type(std::string_view text) {
    const ValueType type = parse_value_type(text);
    if (is_storage_only(type))
        refuse(std::string(text) + " is a storage type; use f32, f64, c32 or c64");
    return type;
}

/// An option of spmvgen_emit, and what its text does.
struct EmitOption {
    std::string_view name;
    void (*set)(Emission& e, std::string_view text);
};
constexpr EmitOption emit_options[] = {
    {"format",
     [](Emission& e, std::string_view text) {
         e.format = text == "auto" ? "auto" : to_string(parse_format(text));
     }},
    {"kernel", [](Emission& e, std::string_view text) { e.kernel = text; }},
    {"arch", [](Emission& e, std::string_view text) { e.signature.target = parse_target(text); }},
    {"as", [](Emission& e, std::string_view text) { e.as = text; }},
    {"value", [](Emission& e, std::string_view text) { e.signature.value = computed_type(text); }},
    {"storage",
     [](Emission& e, std::string_view text) { e.signature.storage = parse_value_type(text); }},
    {"accumulator",
     [](Emission& e, std::string_view text) { e.signature.accumulator = computed_type(text); }},
    {"index",
     [](Emission& e, std::string_view text) { e.signature.index = parse_index_type(text); }},
    {"offset",
     [](Emission& e, std::string_view text) { e.signature.offset = parse_index_type(text); }},
    {"alpha", [](Emission& e, std::string_view text) { e.signature.alpha = parse_scale(text); }},
    {"beta", [](Emission& e, std::string_view text) { e.signature.beta = parse_scale(text); }},
    {"rhs",
     [](Emission& e, std::string_view text) {
         e.signature.num_rhs = static_cast<int>(std::min<std::int64_t>(integer(text), INT32_MAX));
     }},
    {"x_form",
     [](Emission& e, std::string_view text) { e.signature.x_form = parse_vector_form(text); }},
    {"y_form",
     [](Emission& e, std::string_view text) { e.signature.y_form = parse_vector_form(text); }},
    {"epilogue", [](Emission& e, std::string_view text) { e.signature.epilogue = text; }},
};

void set(Emission& emission, std::string_view name, std::string_view text) {
    constexpr std::string_view prefix = "param.";
    if (name.starts_with(prefix)) {
        emission.signature.params[std::string(name.substr(prefix.size()))] = integer(text);
        return;
    }
    std::string names;
    for (auto& option : emit_options) {
        if (option.name == name) return option.set(emission, text);
        names.append(option.name).append(", ");
    }
    refuse("unknown option '" + std::string(name) + "': use one of " + names +
           "or param.NAME for a parameter of the kernel");
}

/// The same, its errors naming the option.
void set_named(Emission& emission, std::string_view name, std::string_view text) {
    try {
        set(emission, name, text);
    } catch (const Error& error) {
        const std::string what = error.what();
        if (what.starts_with("unknown option")) throw;
        throw Error(error.code(), std::string(name) + ": " + what);
    }
}

std::string emitted(const Emission& e) {
    if (e.format == "auto" && e.kernel == "auto")
        refuse("no kernel is named: set format or kernel");
    const KernelForm& form = kernel_form(e.as, e.signature.target);
    const Signature signature = named_signature(e.format, e.kernel, e.signature);
    Generator& generator = load_generator();
    KernelSource source = generator.emit(signature);
    return form.kind ? generator.compile(source, *form.kind).bytes : std::move(source.text);
}

}  // namespace
}  // namespace spmvgen::c_abi

spmvgen_status spmvgen_emit(const char* const* names, const char* const* values, size_t count,
                            spmvgen_blob** kernel) {
    return guarded(__func__, [&] {
        required(kernel, "kernel") = nullptr;
        Emission emission;
        for (size_t i = 0; i < count; ++i)
            set_named(emission, &required(required(names + i, "names"), "names[i]"),
                      &required(required(values + i, "values"), "values[i]"));
        *kernel = new spmvgen_blob{emitted(emission)};
    });
}

spmvgen_status spmvgen_explain(const spmvgen_handle* handle, const spmvgen_matrix* matrix,
                               const spmvgen_options* options, spmvgen_blob** text) {
    return guarded(__func__, [&] {
        required(text, "text") = nullptr;
        const spmvgen_matrix given = sized_copy(matrix);
        spmvgen::Options wanted = options != nullptr ? options->value : spmvgen::Options{};
        const spmvgen::CsrView csr = csr_to_explain(given, wanted);
        if (wanted.device_arrays)
            spmvgen::refuse("arrays on a device are not explained: give those of this machine");
        const auto device = wanted.device == "host" ? nullptr : spmvgen::open_device(wanted.device);
        *text = new spmvgen_blob{
            spmvgen::explain(csr, wanted, device.get(), required(handle, "handle").value.info())};
    });
}
