#include "handle/options_by_name.hpp"

#include "c_abi/arguments.hpp"
#include "c_abi/status.hpp"

using namespace spmvgen::c_abi;

spmvgen_status spmvgen_options_create(spmvgen_options** options) {
    return guarded(__func__, [&] {
        required(options, "options") = nullptr;
        *options = new spmvgen_options{};
    });
}

spmvgen_status spmvgen_options_set(spmvgen_options* options, const char* name, const char* value) {
    return guarded(__func__, [&] {
        spmvgen::set_option(required(options, "options").value, &required(name, "name"),
                            &required(value, "value"));
    });
}

spmvgen_status spmvgen_options_get(const spmvgen_options* options, const char* name, char* buffer,
                                   size_t size, size_t* needed) {
    return guarded(__func__, [&] {
        put_text(spmvgen::option_text(required(options, "options").value, &required(name, "name")),
                 buffer, size, needed);
    });
}

spmvgen_status spmvgen_options_names(char* buffer, size_t size, size_t* needed) {
    return guarded(__func__, [&] {
        std::string text;
        for (auto& name : spmvgen::option_names()) text.append(name).append("\n");
        put_text(text, buffer, size, needed);
    });
}

spmvgen_status spmvgen_options_set_owner(spmvgen_options* options, void* owner,
                                         void (*release)(void* owner)) {
    return guarded(__func__, [&] {
        std::shared_ptr<void> kept;
        if (owner != nullptr) kept.reset(owner, &required(release, "release"));
        required(options, "options").value.owner = std::move(kept);
    });
}

spmvgen_status spmvgen_options_set_on_measured(spmvgen_options* options,
                                               int32_t (*go_on)(void* context, const char* kernel,
                                                                double us),
                                               void* context) {
    return guarded(__func__, [&] {
        auto& on_measured = required(options, "options").value.on_measured;
        on_measured = {};
        if (go_on != nullptr)
            on_measured = [=](const spmvgen::MeasuredKernel& m) {
                return go_on(context, m.kernel.c_str(), m.us) != 0;
            };
    });
}

void spmvgen_options_destroy(spmvgen_options* options) {
    delete options;
}
