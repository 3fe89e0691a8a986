#include "matrix_source.hpp"

#include <chrono>
#include <string_view>

#include "matrix/gallery.hpp"
#include "options.hpp"

namespace spmvgen::cli {
namespace {

CsrMatrix generated(const std::string& specification) {
    try {
        return make_gallery_matrix(specification);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::invalid_argument) throw;
        throw UsageError(error.what());
    }
}

}  // namespace

SourcedMatrix load_matrix(const std::string& name) {
    constexpr std::string_view prefix = "gallery:";
    const auto start = std::chrono::steady_clock::now();
    SourcedMatrix source;
    source.name = name;
    if (name.starts_with(prefix)) {
        source.matrix = generated(name.substr(prefix.size()));
    } else {
        FileHeader header;
        source.matrix = read_matrix(name, &header);
        source.header = header;
    }
    source.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return source;
}

}  // namespace spmvgen::cli
