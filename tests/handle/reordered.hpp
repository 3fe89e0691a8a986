#pragma once
#include <ostream>
#include <string>

#include "spmvgen/spmvgen.hpp"

/// What the tests of reordered matrices share.
namespace spmvgen::reordered {

struct Case {
    std::string device, method;
};
inline void PrintTo(const Case& c, std::ostream* out) {
    *out << c.method << " on " << c.device;
}

/// Strict, with the generator's kernels in memory alone.
inline Options options_of(const Case& c) {
    Options options;
    options.device = c.device;
    options.reorder = c.method;
    options.cache = CacheMode::memory;
    options.strict = true;
    options.threads = c.device == "host" ? 2 : 0;
    options.all_threads = true;
    return options;
}

/// "code: message" of the error that making a handle ends with.
inline std::string refusal(const CsrView& a, const Options& options) {
    try {
        const Handle handle(a, options);
    } catch (const Error& error) {
        return std::string(to_string(error.code())) + ": " + error.what();
    }
    return "no error";
}

}  // namespace spmvgen::reordered
