#include "tuner/rules/padding.hpp"

#include "formats/format_storage.hpp"

namespace spmvgen {

double padding_of(const RowFeatures& f, const Signature& s) {
    const auto padding = storage_of(s).padding;
    return padding != nullptr ? padding(f, s) : 1;
}

}  // namespace spmvgen
