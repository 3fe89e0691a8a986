#pragma once
#include "spmvgen/matrix.hpp"

/// As in module.hpp.
extern const char* const eigen_version;
void* eigen_make(const spmvgen::CsrView& a);
void eigen_multiply(const void* product, const void* x, void* y, int threads);
void eigen_free(void* product);
