#pragma once
#include <map>
#include <string>

namespace spmvgen {

/// The text of every template and dialect header by its path below templates/: "cpu/csr_rows.hpp".
const std::map<std::string, std::string>& template_texts();

}  // namespace spmvgen
