#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

const char* version() {
    return SPMVGEN_VERSION;
}

}  // namespace spmvgen
