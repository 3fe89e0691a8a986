// What a CUDA kernel may use, without CUDA's headers. Included before the source when Clang
// compiles to PTX; the spelling is CUDA's, so that the same text goes through NVRTC.

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

// threadIdx.x and its like are reads of registers: properties, not memory.
struct SpmvgenThread {
    __declspec(property(get = get_x)) unsigned x;
    __declspec(property(get = get_y)) unsigned y;
    __declspec(property(get = get_z)) unsigned z;
    static __device__ __forceinline__ unsigned get_x() { return __nvvm_read_ptx_sreg_tid_x(); }
    static __device__ __forceinline__ unsigned get_y() { return __nvvm_read_ptx_sreg_tid_y(); }
    static __device__ __forceinline__ unsigned get_z() { return __nvvm_read_ptx_sreg_tid_z(); }
};

struct SpmvgenBlock {
    __declspec(property(get = get_x)) unsigned x;
    __declspec(property(get = get_y)) unsigned y;
    __declspec(property(get = get_z)) unsigned z;
    static __device__ __forceinline__ unsigned get_x() { return __nvvm_read_ptx_sreg_ctaid_x(); }
    static __device__ __forceinline__ unsigned get_y() { return __nvvm_read_ptx_sreg_ctaid_y(); }
    static __device__ __forceinline__ unsigned get_z() { return __nvvm_read_ptx_sreg_ctaid_z(); }
};

struct SpmvgenBlockSize {
    __declspec(property(get = get_x)) unsigned x;
    __declspec(property(get = get_y)) unsigned y;
    __declspec(property(get = get_z)) unsigned z;
    static __device__ __forceinline__ unsigned get_x() { return __nvvm_read_ptx_sreg_ntid_x(); }
    static __device__ __forceinline__ unsigned get_y() { return __nvvm_read_ptx_sreg_ntid_y(); }
    static __device__ __forceinline__ unsigned get_z() { return __nvvm_read_ptx_sreg_ntid_z(); }
};

struct SpmvgenGrid {
    __declspec(property(get = get_x)) unsigned x;
    __declspec(property(get = get_y)) unsigned y;
    __declspec(property(get = get_z)) unsigned z;
    static __device__ __forceinline__ unsigned get_x() { return __nvvm_read_ptx_sreg_nctaid_x(); }
    static __device__ __forceinline__ unsigned get_y() { return __nvvm_read_ptx_sreg_nctaid_y(); }
    static __device__ __forceinline__ unsigned get_z() { return __nvvm_read_ptx_sreg_nctaid_z(); }
};

extern const __device__ __attribute__((weak)) SpmvgenThread threadIdx;
extern const __device__ __attribute__((weak)) SpmvgenBlock blockIdx;
extern const __device__ __attribute__((weak)) SpmvgenBlockSize blockDim;
extern const __device__ __attribute__((weak)) SpmvgenGrid gridDim;

constexpr int warpSize = 32;

// __syncthreads() is a builtin of Clang.

static __device__ __forceinline__ void __syncwarp(unsigned mask = ~0u) {
    __nvvm_bar_warp_sync(mask);
}

static __device__ __forceinline__ void __threadfence() {
    __nvvm_membar_gl();
}

static __device__ __forceinline__ void __threadfence_system() {
    __nvvm_membar_sys();
}

static __device__ __forceinline__ unsigned __ballot_sync(unsigned mask, int predicate) {
    return __nvvm_vote_ballot_sync(mask, predicate);
}

// How shfl.sync packs a group's width and the last lane that may be read.
static __device__ __forceinline__ int spmvgen_group(int width, int last) {
    return ((warpSize - width) << 8) | last;
}

// The shuffles take any type of whole 32-bit words.
template <typename T>
struct SpmvgenWords {
    int word[sizeof(T) / 4];
};

template <typename T>
static __device__ __forceinline__ T __shfl_sync(unsigned mask, T value, int source,
                                                int width = warpSize) {
    auto words = __builtin_bit_cast(SpmvgenWords<T>, value);
    for (auto& word : words.word)
        word = __nvvm_shfl_sync_idx_i32(mask, word, source, spmvgen_group(width, 31));
    return __builtin_bit_cast(T, words);
}

template <typename T>
static __device__ __forceinline__ T __shfl_down_sync(unsigned mask, T value, unsigned delta,
                                                     int width = warpSize) {
    auto words = __builtin_bit_cast(SpmvgenWords<T>, value);
    for (auto& word : words.word)
        word = __nvvm_shfl_sync_down_i32(mask, word, delta, spmvgen_group(width, 31));
    return __builtin_bit_cast(T, words);
}

template <typename T>
static __device__ __forceinline__ T __shfl_up_sync(unsigned mask, T value, unsigned delta,
                                                   int width = warpSize) {
    auto words = __builtin_bit_cast(SpmvgenWords<T>, value);
    for (auto& word : words.word)
        word = __nvvm_shfl_sync_up_i32(mask, word, delta, spmvgen_group(width, 0));
    return __builtin_bit_cast(T, words);
}

template <typename T>
static __device__ __forceinline__ T __shfl_xor_sync(unsigned mask, T value, int lanes,
                                                    int width = warpSize) {
    auto words = __builtin_bit_cast(SpmvgenWords<T>, value);
    for (auto& word : words.word)
        word = __nvvm_shfl_sync_bfly_i32(mask, word, lanes, spmvgen_group(width, 31));
    return __builtin_bit_cast(T, words);
}

static __device__ __forceinline__ float atomicAdd(float* address, float value) {
    return __nvvm_atom_add_gen_f(address, value);
}

static __device__ __forceinline__ double atomicAdd(double* address, double value) {
    return __nvvm_atom_add_gen_d(address, value);
}

static __device__ __forceinline__ int atomicAdd(int* address, int value) {
    return __nvvm_atom_add_gen_i(address, value);
}

static __device__ __forceinline__ unsigned atomicAdd(unsigned* address, unsigned value) {
    return (unsigned)__nvvm_atom_add_gen_i((int*)address, (int)value);
}

static __device__ __forceinline__ unsigned long long atomicAdd(unsigned long long* address,
                                                               unsigned long long value) {
    return (unsigned long long)__nvvm_atom_add_gen_ll((long long*)address, (long long)value);
}

static __device__ __forceinline__ unsigned long long atomicExch(unsigned long long* address,
                                                                unsigned long long value) {
    return (unsigned long long)__nvvm_atom_xchg_gen_ll((long long*)address, (long long)value);
}

static __device__ __forceinline__ int atomicMin(int* address, int value) {
    return __nvvm_atom_min_gen_i(address, value);
}

static __device__ __forceinline__ unsigned atomicMin(unsigned* address, unsigned value) {
    return __nvvm_atom_min_gen_ui(address, value);
}

static __device__ __forceinline__ unsigned long long atomicMin(unsigned long long* address,
                                                               unsigned long long value) {
    return __nvvm_atom_min_gen_ull(address, value);
}

static __device__ __forceinline__ unsigned long long atomicMax(unsigned long long* address,
                                                               unsigned long long value) {
    return __nvvm_atom_max_gen_ull(address, value);
}

static __device__ __forceinline__ unsigned long long atomicCAS(unsigned long long* address,
                                                               unsigned long long compare,
                                                               unsigned long long value) {
    return (unsigned long long)__nvvm_atom_cas_gen_ll((long long*)address, (long long)compare,
                                                      (long long)value);
}

// A read past the caches' usual order: only a hint.
template <typename T>
static __device__ __forceinline__ T __ldcs(const T* address) {
    return __builtin_nontemporal_load(address);
}

// A read that the L1 cache does not serve.
static __device__ __forceinline__ unsigned long long __ldcg(const unsigned long long* address) {
    unsigned long long number;
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(number) : "l"(address));
    return number;
}

static __device__ __forceinline__ int __popc(unsigned bits) {
    return __builtin_popcount(bits);
}

static __device__ __forceinline__ float __uint_as_float(unsigned bits) {
    return __builtin_bit_cast(float, bits);
}

static __device__ __forceinline__ unsigned __float_as_uint(float number) {
    return __builtin_bit_cast(unsigned, number);
}

static __device__ __forceinline__ double __longlong_as_double(long long bits) {
    return __builtin_bit_cast(double, bits);
}

static __device__ __forceinline__ long long __double_as_longlong(double number) {
    return __builtin_bit_cast(long long, number);
}

// For epilogues.
static __device__ __forceinline__ double fabs(double x) {
    return __builtin_fabs(x);
}
static __device__ __forceinline__ double fmin(double x, double y) {
    return __builtin_fmin(x, y);
}
static __device__ __forceinline__ double fmax(double x, double y) {
    return __builtin_fmax(x, y);
}
static __device__ __forceinline__ double sqrt(double x) {
    return __builtin_sqrt(x);
}
