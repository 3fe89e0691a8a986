// The shortest use of spmvgen: y = Ax with a kernel made for A.
#include <cstdio>
#include <spmvgen/spmvgen.hpp>

int main() {
    const int row_ptr[] = {0, 2, 3}, col_idx[] = {0, 1, 1};
    const double values[] = {1, 2, 3}, x[] = {10, 20};
    double y[2];
    const spmvgen::Handle a(2, 2, row_ptr, col_idx, values);
    a.apply(1.0, x, 0.0, y);
    std::printf("y = (%g, %g), by %s\n", y[0], y[1], a.info().kernel.c_str());
}
