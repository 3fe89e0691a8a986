// What a launch costs when it may begin while the one before it ends (programmatic dependent launch
// of sm_90 and later): back-to-back products y = Ax, which each wait for the one before, in forms
// of overlap.cu, on a stream and in a graph. Result of every form is checked.
//
//   overlap overlap.ptx MATRIX.csr…        (binary CSR with 32-bit indices and f64,
//   docs/csr-binary.md)
//
// Build: g++ -std=c++20 -O2 overlap.cpp -o overlap -ldl
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace {

void* library;
template <typename F>
F find(const char* name) {
    void* f = dlsym(library, name);
    if (f == nullptr) std::printf("no %s\n", name), std::exit(1);
    return reinterpret_cast<F>(f);
}
void check(int status, const char* what) {
    if (status != 0) std::printf("%s: error %d\n", what, status), std::exit(1);
}
#define CALL(name, ...) check(find<int (*)(...)>(#name)(__VA_ARGS__), #name)

using Ptr = unsigned long long;
// CUlaunchAttribute and CUlaunchConfig of cuda.h.
struct Attribute {
    int id;
    char pad[4];
    union {
        int allowed;
        char bytes[64];
    };
};
struct Config {
    unsigned grid[3], block[3], shared;
    void* stream;
    Attribute* attributes;
    unsigned count;
};
constexpr int programmatic_serialization = 6;

struct Matrix {
    std::string name;
    int rows = 0, cols = 0;
    std::int64_t nnz = 0;
    std::vector<int> row_ptr, col_idx;
    std::vector<double> values;
};

Matrix read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::string head(56, '\0');
    in.read(head.data(), 56);
    std::int64_t n[3];
    std::memcpy(n, head.data() + 16, sizeof n);
    if (!in || head[40] != 4 || head[41] != 4 || head[42] != 1)
        std::printf("%s: no CSR with i32 and f64\n", path.c_str()), std::exit(1);
    Matrix a{path.substr(path.rfind('/') + 1), int(n[0]), int(n[1]), n[2], {}, {}, {}};
    a.row_ptr.resize(n[0] + 1), a.col_idx.resize(n[2]), a.values.resize(n[2]);
    std::int64_t at = 56;
    const auto part = [&](void* to, std::int64_t bytes) {
        at = (at + 4095) / 4096 * 4096;
        in.seekg(at);
        in.read(static_cast<char*>(to), bytes);
        at += bytes;
    };
    part(a.row_ptr.data(), 4 * (n[0] + 1));
    part(a.col_idx.data(), 4 * n[2]);
    part(a.values.data(), 8 * n[2]);
    return a;
}

void* context;
void* stream;
void* begin_event;
void* end_event;

Ptr put(const void* data, std::size_t bytes) {
    Ptr p = 0;
    CALL(cuMemAlloc_v2, &p, std::max<std::size_t>(bytes, 8));
    if (data != nullptr) CALL(cuMemcpyHtoD_v2, p, data, bytes);
    return p;
}

double median_us(const std::function<void()>& batch, int applies) {
    batch();
    std::vector<double> us;
    for (int i = 0; i < 21; ++i) {
        CALL(cuStreamSynchronize, stream);
        CALL(cuEventRecord, begin_event, stream);
        batch();
        CALL(cuEventRecord, end_event, stream);
        CALL(cuEventSynchronize, end_event);
        float ms = 0;
        CALL(cuEventElapsedTime, &ms, begin_event, end_event);
        us.push_back(1e3 * ms / applies);
    }
    std::ranges::nth_element(us, us.begin() + 10);
    return us[10];
}

auto launch_ex = static_cast<int (*)(const Config*, void*, void**, void**)>(nullptr);

void launch(void* function, unsigned grid, unsigned block, bool overlap, void** arguments) {
    Attribute attribute{};
    attribute.id = programmatic_serialization;
    attribute.allowed = 1;
    const Config config{{grid, 1, 1}, {block, 1, 1}, 0, stream, &attribute, overlap ? 1u : 0u};
    check(launch_ex(&config, function, arguments, nullptr), "cuLaunchKernelEx");
}

struct Times {
    double on_stream, in_graph, host;
};

Times time(const std::function<void()>& apply) {
    constexpr int applies = 100;
    const auto batch = [&] {
        for (int i = 0; i < applies; ++i) apply();
    };
    Times t{};
    t.on_stream = median_us(batch, applies);
    CALL(cuStreamSynchronize, stream);
    const auto begin = std::chrono::steady_clock::now();
    batch();  // as the driver's queue takes them
    t.host = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
                 .count() /
             applies;
    CALL(cuStreamSynchronize, stream);
    void* graph = nullptr;
    void* executable = nullptr;
    CALL(cuStreamBeginCapture_v2, stream, 2);
    batch();
    CALL(cuStreamEndCapture, stream, &graph);
    CALL(cuGraphInstantiateWithFlags, &executable, graph, 0ull);
    t.in_graph = median_us([&] { CALL(cuGraphLaunch, executable, stream); }, applies);
    CALL(cuStreamSynchronize, stream);
    CALL(cuGraphExecDestroy, executable);
    CALL(cuGraphDestroy, graph);
    return t;
}

void* function_of(void* module, const std::string& name) {
    void* f = nullptr;
    CALL(cuModuleGetFunction, &f, module, name.c_str());
    return f;
}

}  // namespace

int main(int argc, char** argv) {
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr || argc < 2) return std::printf("no driver, or no PTX\n"), 1;
    CALL(cuInit, 0u);
    CALL(cuDevicePrimaryCtxRetain, &context, 0);
    CALL(cuCtxSetCurrent, context);
    CALL(cuStreamCreate, &stream, 1u);
    CALL(cuEventCreate, &begin_event, 0u);
    CALL(cuEventCreate, &end_event, 0u);
    launch_ex = find<decltype(launch_ex)>("cuLaunchKernelEx");
    std::ifstream in(argv[1]);
    const std::string ptx{std::istreambuf_iterator<char>(in), {}};
    void* module = nullptr;
    CALL(cuModuleLoadData, &module, ptx.c_str());
    std::printf(
        "%-22s %-12s %5s | stream: plain  waits  early | graph: plain  waits  early | host: "
        "plain  early (µs)\n",
        "matrix", "kernel", "block");
    const auto print = [](const std::string& matrix, const std::string& kernel, int block,
                          const Times* t) {
        std::printf("%-22s %-12s %5d | %13.2f %6.2f %6.2f | %12.2f %6.2f %6.2f | %11.2f %6.2f\n",
                    matrix.c_str(), kernel.c_str(), block, t[0].on_stream, t[1].on_stream,
                    t[2].on_stream, t[0].in_graph, t[1].in_graph, t[2].in_graph, t[0].host,
                    t[2].host);
        std::fflush(stdout);
    };
    Times t[3];
    for (const unsigned grid : {1u, 132u, 1056u}) {
        for (int form = 0; form < 3; ++form) {
            void* f = function_of(module, "empty_" + std::to_string(form));
            t[form] = time([&] { launch(f, grid, 256, form > 0, nullptr); });
        }
        print("-", "empty " + std::to_string(grid), 256, t);
    }
    for (int i = 2; i < argc; ++i) {
        const Matrix a = read(argv[i]);
        std::vector<double> x(a.cols), y(a.rows), sums(a.rows), sizes(a.rows);
        for (int j = 0; j < a.cols; ++j) x[j] = 0.5 + (j * 2654435761u % 1000) * 1e-3;
        for (int r = 0; r < a.rows; ++r)
            for (int k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) {
                sums[r] += a.values[k] * x[a.col_idx[k]];
                sizes[r] += std::abs(a.values[k] * x[a.col_idx[k]]);
            }
        const Ptr p = put(a.row_ptr.data(), 4 * a.row_ptr.size()),
                  c = put(a.col_idx.data(), 4 * a.nnz), v = put(a.values.data(), 8 * a.nnz),
                  dx = put(x.data(), 8 * x.size()), dy = put(nullptr, 8 * y.size());
        int rows = a.rows;
        void* arguments[] = {&rows,
                             const_cast<Ptr*>(&p),
                             const_cast<Ptr*>(&c),
                             const_cast<Ptr*>(&v),
                             const_cast<Ptr*>(&dx),
                             const_cast<Ptr*>(&dy)};
        const double mean = double(a.nnz) / std::max(a.rows, 1);
        for (const int subwarp : {2, 4, 8, 16, 32}) {
            if (subwarp > 2 * mean || subwarp * 8 < mean) continue;
            for (const int block : {64, 128, 256}) {
                const std::string name = "csr_" + std::to_string(subwarp) + "_4";
                for (int form = 0; form < 3; ++form) {
                    void* f = function_of(module, name + "_" + std::to_string(form));
                    const unsigned grid = (unsigned(rows) * subwarp + block - 1) / block;
                    CALL(cuMemsetD8_v2, dy, static_cast<unsigned char>(0xff), 8 * y.size());
                    t[form] = time([&] { launch(f, grid, block, form > 0, arguments); });
                    CALL(cuMemcpyDtoH_v2, y.data(), dy, 8 * y.size());
                    for (int r = 0; r < a.rows; ++r)
                        if (!(std::abs(y[r] - sums[r]) <= 1e-11 * sizes[r]))
                            return std::printf("%s %s form %d: row %d is wrong\n", a.name.c_str(),
                                               name.c_str(), form, r),
                                   1;
                }
                print(a.name, name, block, t);
            }
        }
        for (const Ptr memory : {p, c, v, dx, dy}) CALL(cuMemFree_v2, memory);
    }
    return 0;
}
