#include "peers/module/module.hpp"

#include "peers/module/eigen_product.hpp"
#include "peers/module/plain_csr.hpp"

extern "C" __attribute__((visibility("default"))) const SpmvgenPeerModule* spmvgen_peer_module() {
    static const SpmvgenPeerModule module{
        spmvgen_peer_module_abi, plain_csr,
#ifdef SPMVGEN_WITH_EIGEN
        eigen_version,           eigen_make, eigen_multiply, eigen_free,
#else
        nullptr,                 nullptr,    nullptr,        nullptr,
#endif
    };
    return &module;
}
