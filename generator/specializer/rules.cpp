#include "specializer/rules.hpp"

#include "spmvgen/error.hpp"

namespace spmvgen::specializer {

void refuse(Rule rule, const std::string& place, const std::string& what) {
    throw Error(ErrorCode::invalid_input, "templates/" + place + ": rule " +
                                              std::to_string(static_cast<int>(rule)) + ": " + what);
}

}  // namespace spmvgen::specializer
