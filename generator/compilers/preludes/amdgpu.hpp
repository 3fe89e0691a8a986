// What a HIP kernel may use, without ROCm's headers. Included before the source when Clang compiles
// for AMD GPUs; the spelling is HIP's, so that the same text goes through hiprtc.

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(threads, ...) __attribute__((amdgpu_flat_work_group_size(1, threads)))

// threadIdx.x and its like are reads of registers: properties, not memory.
struct SpmvgenThread {
    __declspec(property(get = get_x)) unsigned x;
    __declspec(property(get = get_y)) unsigned y;
    __declspec(property(get = get_z)) unsigned z;
    static __device__ __forceinline__ unsigned get_x() { return __builtin_amdgcn_workitem_id_x(); }
    static __device__ __forceinline__ unsigned get_y() { return __builtin_amdgcn_workitem_id_y(); }
    static __device__ __forceinline__ unsigned get_z() { return __builtin_amdgcn_workitem_id_z(); }
};

struct SpmvgenBlock {
    __declspec(property(get = get_x)) unsigned x;
    __declspec(property(get = get_y)) unsigned y;
    __declspec(property(get = get_z)) unsigned z;
    static __device__ __forceinline__ unsigned get_x() { return __builtin_amdgcn_workgroup_id_x(); }
    static __device__ __forceinline__ unsigned get_y() { return __builtin_amdgcn_workgroup_id_y(); }
    static __device__ __forceinline__ unsigned get_z() { return __builtin_amdgcn_workgroup_id_z(); }
};

struct SpmvgenBlockSize {
    __declspec(property(get = get_x)) unsigned x;
    __declspec(property(get = get_y)) unsigned y;
    __declspec(property(get = get_z)) unsigned z;
    static __device__ __forceinline__ unsigned get_x() {
        return __builtin_amdgcn_workgroup_size_x();
    }
    static __device__ __forceinline__ unsigned get_y() {
        return __builtin_amdgcn_workgroup_size_y();
    }
    static __device__ __forceinline__ unsigned get_z() {
        return __builtin_amdgcn_workgroup_size_z();
    }
};

// The first three hidden arguments of code object version 5 are the counts of blocks.
struct SpmvgenGrid {
    __declspec(property(get = get_x)) unsigned x;
    __declspec(property(get = get_y)) unsigned y;
    __declspec(property(get = get_z)) unsigned z;
    static __device__ __forceinline__ unsigned count(int axis) {
        return ((const __attribute__((
            address_space(4))) unsigned*)__builtin_amdgcn_implicitarg_ptr())[axis];
    }
    static __device__ __forceinline__ unsigned get_x() { return count(0); }
    static __device__ __forceinline__ unsigned get_y() { return count(1); }
    static __device__ __forceinline__ unsigned get_z() { return count(2); }
};

extern const __device__ __attribute__((weak)) SpmvgenThread threadIdx;
extern const __device__ __attribute__((weak)) SpmvgenBlock blockIdx;
extern const __device__ __attribute__((weak)) SpmvgenBlockSize blockDim;
extern const __device__ __attribute__((weak)) SpmvgenGrid gridDim;

constexpr int warpSize = __AMDGCN_WAVEFRONT_SIZE;

static __device__ __forceinline__ void __syncthreads() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

static __device__ __forceinline__ void __threadfence() {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
}

static __device__ __forceinline__ int __lane_id() {
    return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}

static __device__ __forceinline__ unsigned long __ballot(int predicate) {
    return __builtin_amdgcn_uicmp(predicate, 0, 33);  // 33: not equal
}

// The value that lane `lane` of the wavefront has; of any type of whole 32-bit words.
template <typename T>
static __device__ __forceinline__ T spmvgen_of_lane(T value, int lane) {
    struct Words {
        int word[sizeof(T) / 4];
    };
    Words words = __builtin_bit_cast(Words, value);
    for (unsigned i = 0; i < sizeof(T) / 4; ++i)
        words.word[i] = __builtin_amdgcn_ds_bpermute(lane << 2, words.word[i]);
    return __builtin_bit_cast(T, words);
}

// As in HIP: a lane whose partner lies outside its group of `width` keeps its own value.
template <typename T>
static __device__ __forceinline__ T __shfl(T value, int source, int width = warpSize) {
    return spmvgen_of_lane(value, (__lane_id() & -width) + (source & (width - 1)));
}

template <typename T>
static __device__ __forceinline__ T __shfl_down(T value, unsigned delta, int width = warpSize) {
    const int lane = __lane_id();
    const bool inside = (lane & (width - 1)) + (int)delta < width;
    return spmvgen_of_lane(value, inside ? lane + (int)delta : lane);
}

template <typename T>
static __device__ __forceinline__ T __shfl_up(T value, unsigned delta, int width = warpSize) {
    const int lane = __lane_id();
    const bool inside = (lane & (width - 1)) >= (int)delta;
    return spmvgen_of_lane(value, inside ? lane - (int)delta : lane);
}

template <typename T>
static __device__ __forceinline__ T __shfl_xor(T value, int mask, int width = warpSize) {
    const int lane = __lane_id();
    const int partner = lane ^ mask;
    return spmvgen_of_lane(value, partner < (lane & -width) + width ? partner : lane);
}

template <typename T>
static __device__ __forceinline__ T atomicAdd(T* address, T value) {
    return __hip_atomic_fetch_add(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

template <typename T>
static __device__ __forceinline__ T atomicExch(T* address, T value) {
    return __hip_atomic_exchange(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

template <typename T>
static __device__ __forceinline__ T atomicMin(T* address, T value) {
    return __hip_atomic_fetch_min(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

template <typename T>
static __device__ __forceinline__ T atomicMax(T* address, T value) {
    return __hip_atomic_fetch_max(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

template <typename T>
static __device__ __forceinline__ T atomicCAS(T* address, T compare, T value) {
    __hip_atomic_compare_exchange_strong(address, &compare, value, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    return compare;
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
