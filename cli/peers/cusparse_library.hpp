#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "devices/gpu/vendor.hpp"

/// The functions of cuSPARSE that are used, as cusparse.h has them but for types that are passed
/// alike: enumerations are int here, handles and descriptors void*.
namespace spmvgen::peers {

/// cuSPARSE's SpMVOp: z = αAx + βy by a plan, which the library compiles for the matrix.
struct CusparseOp {
    explicit CusparseOp(const VendorLibrary& file);

    VendorCall<void*, int, void*, void*, void*, void*, int, int, std::size_t*> buffer_bytes;
    VendorCall<void*, void**, int, void*, void*, void*, void*, int, int, void*> create_descriptor;
    VendorCall<void*> destroy_descriptor;
    VendorCall<void*, void*, void**, const void*, std::size_t> create_plan;
    VendorCall<void*> destroy_plan;
    VendorCall<void*, void*, const void*, const void*, void*, void*, void*> multiply;
};

/// The library, opened.
struct CusparseLibrary {
    /// That file; "" = the one of $SPMVGEN_CUSPARSE_LIBRARY, else the system's. Throws
    /// Error(unsupported) when there is none or it lacks a function.
    explicit CusparseLibrary(const std::string& path);

    /// "12.9.4"
    std::string version() const;
    /// Throws Error(unsupported) when the library has no SpMVOp, or one of other parameters.
    CusparseOp op() const;

    using Int = std::int64_t;
    VendorLibrary file;
    VendorCall<void**> create{file, "cusparseCreate"};
    VendorCall<void*> destroy{file, "cusparseDestroy"};
    VendorCall<void*, void*> set_stream{file, "cusparseSetStream"};
    VendorCall<int, int*> property{file, "cusparseGetProperty"};
    VendorCall<void**, Int, Int, Int, void*, void*, void*, int, int, int, int> create_csr{
        file, "cusparseCreateCsr"};
    VendorCall<void**, Int, Int, Int, void*, void*, void*, int, int, int> create_coo{
        file, "cusparseCreateCoo"};
    VendorCall<void**, Int, Int, Int, Int, Int, void*, void*, void*, int, int, int, int>
        create_sell{file, "cusparseCreateSlicedEll"};
    VendorCall<void**, Int, Int, Int, Int, Int, void*, void*, void*, int, int, int, int, int>
        create_bsr{file, "cusparseCreateBsr"};
    VendorCall<void*> destroy_matrix{file, "cusparseDestroySpMat"};
    VendorCall<void**, Int, void*, int> create_vector{file, "cusparseCreateDnVec"};
    VendorCall<void*> destroy_vector{file, "cusparseDestroyDnVec"};
    template <typename Buffer>
    using Multiply =
        VendorCall<void*, int, const void*, void*, void*, const void*, void*, int, int, Buffer>;
    Multiply<std::size_t*> buffer_bytes{file, "cusparseSpMV_bufferSize"};
    Multiply<void*> preprocess{file, "cusparseSpMV_preprocess"};
    Multiply<void*> multiply{file, "cusparseSpMV"};

    VendorCall<void**, Int, Int, Int, void*, int, int> create_dense{file, "cusparseCreateDnMat"};
    VendorCall<void*> destroy_dense{file, "cusparseDestroyDnMat"};
    template <typename Buffer>
    using MultiplyMany = VendorCall<void*, int, int, const void*, void*, void*, const void*, void*,
                                    int, int, Buffer>;
    MultiplyMany<std::size_t*> buffer_bytes_of_many{file, "cusparseSpMM_bufferSize"};
    MultiplyMany<void*> preprocess_many{file, "cusparseSpMM_preprocess"};
    MultiplyMany<void*> multiply_many{file, "cusparseSpMM"};

    /// Throws Error(io) with the library's words when status, which `call` returned, is not 0.
    template <typename... P>
    void check(int status, const VendorCall<P...>& call) const {
        if (status != 0) fail(status, call.name);
    }

  private:
    [[noreturn]] void fail(int status, const char* call) const;

    const char* (*error_text_)(int) =
        reinterpret_cast<const char* (*)(int)>(file.get("cusparseGetErrorString"));
};

}  // namespace spmvgen::peers
