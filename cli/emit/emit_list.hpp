#pragma once
#include <string>

#include "text/output.hpp"

namespace spmvgen::cli {

/// Every kernel with its parameters and their legal values, and every architecture.
std::string kernel_list();
Json kernel_list_json();

}  // namespace spmvgen::cli
