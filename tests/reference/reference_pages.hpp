#pragma once
#include <string>

namespace spmvgen {

// Pages of docs/reference, each as one Markdown text, made of what the registry, the formats'
// storages and the tuner's plans say.
std::string kernels_page();
std::string parameters_page();
std::string formats_page();

}  // namespace spmvgen
