#pragma once
// The matrix of the examples: the five-point Laplacian of a grid of n × n points, in CSR. It is
// symmetric and positive definite, so that conjugate gradient solves with it. With wind along the
// rows of the grid, between 0 and 1, it is not symmetric.
#include <vector>

struct Csr {
    int rows = 0;
    std::vector<int> row_ptr{0}, col_idx;
    std::vector<double> values;
};

inline Csr laplacian(int n, double wind = 0) {
    Csr a;
    a.rows = n * n;
    const auto entry = [&](int column, double value) {
        a.col_idx.push_back(column);
        a.values.push_back(value);
    };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const int row = i * n + j;
            if (i > 0) entry(row - n, -1);
            if (j > 0) entry(row - 1, -1 - wind);
            entry(row, 4);
            if (j + 1 < n) entry(row + 1, -1 + wind);
            if (i + 1 < n) entry(row + n, -1);
            a.row_ptr.push_back(static_cast<int>(a.col_idx.size()));
        }
    return a;
}
