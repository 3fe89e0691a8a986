// Calls a kernel that was emitted into this program's build, and shows where those for GPUs are.
// No spmvgen at run time. See CMakeLists.txt.
#include <diffusion.h>
#include <graph.h>
#include <graph_data.h>
#include <mesh.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

int main() {
    // The second difference: 2 on the diagonal, -1 beside it. Of squares it is -2 but at the ends.
    const int n = 1000;
    std::vector<int> row_ptr{0}, col_idx;
    std::vector<double> values, x, y(n);
    for (int i = 0; i < n; ++i) {
        for (int j = i - 1; j <= i + 1; ++j) {
            if (j < 0 || j >= n) continue;
            col_idx.push_back(j);
            values.push_back(i == j ? 2 : -1);
        }
        row_ptr.push_back(static_cast<int>(col_idx.size()));
        x.push_back(static_cast<double>(i) * i);
    }
    diffusion_multiply(n, row_ptr.data(), col_idx.data(), values.data(), x.data(), y.data());
    for (int i = 1; i + 1 < n; ++i)
        if (y[static_cast<std::size_t>(i)] != -2) return 1;

    // What hipModuleLoadData and hipModuleGetFunction would be given,
    std::printf("y is right; %s: %lu bytes of %.3s\n", graph_symbol0, graph_data_size,
                reinterpret_cast<const char*>(graph_data) + 1);
    // and cuModuleLoad and cuModuleGetFunction.
    std::ifstream file(KERNELS "/mesh.ptx");
    const std::string ptx{std::istreambuf_iterator<char>(file), {}};
    std::printf("%s in blocks of %d threads\n", mesh_symbol0, mesh_block0);
    return ptx.find(mesh_symbol0) == std::string::npos ? 1 : 0;
}
