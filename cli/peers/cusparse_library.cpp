#include "peers/cusparse_library.hpp"

#include <fmt/format.h>

#include <array>

#include "spmvgen/error.hpp"

namespace spmvgen::peers {
namespace {

using Version = std::array<int, 3>;

/// Earlier ones, from 12.7.3 on, have functions of the same names, at first without an algorithm
/// among their parameters.
constexpr Version first_with_op{12, 9, 0};

VendorLibrary open_file(const std::string& path) {
    if (!path.empty()) return VendorLibrary(path);
    return {"cuSPARSE",
            "SPMVGEN_CUSPARSE_LIBRARY",
            {"libcusparse.so.13", "libcusparse.so.12", "/usr/local/cuda/lib64/libcusparse.so.12"}};
}

Version version_of(const CusparseLibrary& library) {
    Version parts{};
    for (int i = 0; i < 3; ++i)  // libraryPropertyType: major, minor, patch
        library.check(library.property(i, &parts[static_cast<std::size_t>(i)]), library.property);
    return parts;
}

}  // namespace

CusparseOp::CusparseOp(const VendorLibrary& file)
    : buffer_bytes(file, "cusparseSpMVOp_bufferSize"),
      create_descriptor(file, "cusparseSpMVOp_createDescr"),
      destroy_descriptor(file, "cusparseSpMVOp_destroyDescr"),
      create_plan(file, "cusparseSpMVOp_createPlan"),
      destroy_plan(file, "cusparseSpMVOp_destroyPlan"),
      multiply(file, "cusparseSpMVOp") {}

CusparseLibrary::CusparseLibrary(const std::string& path) : file(open_file(path)) {}

std::string CusparseLibrary::version() const {
    const Version v = version_of(*this);
    return fmt::format("{}.{}.{}", v[0], v[1], v[2]);
}

CusparseOp CusparseLibrary::op() const {
    if (version_of(*this) < first_with_op)
        throw Error(ErrorCode::unsupported,
                    "SpMVOp with algorithms is in cuSPARSE 12.9 and later, this is " + version());
    return CusparseOp(file);
}

void CusparseLibrary::fail(int status, const char* call) const {
    throw Error(ErrorCode::io, fmt::format("{}: {} ({})", call, error_text_(status), status));
}

}  // namespace spmvgen::peers
