// The CUDA/HIP dialect for the host: what kernel text may use when the SIMT executor runs it.
// Stands ahead of the kernel's text; needs no other header. After the text come one
// SPMVGEN_SIMT_KERNEL(symbol, function) for each kernel and, where the text has
// `extern __shared__ T name[];`, one SPMVGEN_SIMT_DYNAMIC_SHARED(T, name).
#ifndef SPMVGEN_SIMT_DIALECT_H
#define SPMVGEN_SIMT_DIALECT_H
#include "abi.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
// A block runs in one operating system thread. Alone in a function it implies `static`; after
// `extern` it declares the array that SPMVGEN_SIMT_DYNAMIC_SHARED defines.
#define __shared__ thread_local

static thread_local spmvgen_simt_context* spmvgen_simt_current = nullptr;

#define threadIdx (spmvgen_simt_current->thread_idx)
#define blockIdx (spmvgen_simt_current->block_idx)
#define blockDim (spmvgen_simt_current->block_dim)
#define gridDim (spmvgen_simt_current->grid_dim)
#define warpSize (spmvgen_simt_current->warp_size)

namespace spmvgen_simt {

using u64 = unsigned long long;

template <typename T>
inline u64 to_bits(T value) {
    static_assert(sizeof(T) <= sizeof(u64), "a shuffle moves at most 8 bytes");
    u64 bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}

template <typename T>
inline T from_bits(u64 bits) {
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

inline u64 warp(const spmvgen_simt_warp_call& call) {
    return spmvgen_simt_current->warp(spmvgen_simt_current, &call);
}

/// A masked shuffle, or an unmasked one.
template <typename T>
inline T shuffle(spmvgen_simt_operation operation, const char* name, int line, bool masked,
                 u64 mask, T value, unsigned operand, int width) {
    return from_bits<T>(
        warp({operation, name, line, masked, mask, to_bits(value), operand, width}));
}

inline u64 ballot(const char* name, int line, bool masked, u64 mask, bool predicate) {
    return warp({spmvgen_simt_ballot, name, line, masked, mask, predicate, 0, warpSize});
}

/// *address += value by compare and swap of the bits, as an integer type of the same size.
template <typename Bits, typename T>
inline T add_by_bits(T* address, T value) {
    Bits* bits = reinterpret_cast<Bits*>(address);
    Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED), next;
    T sum;
    do {
        __builtin_memcpy(&sum, &old, sizeof sum);
        sum += value;
        __builtin_memcpy(&next, &sum, sizeof next);
    } while (
        !__atomic_compare_exchange_n(bits, &old, next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    __builtin_memcpy(&sum, &old, sizeof sum);
    return sum;
}

template <unsigned... i>
struct Indices {};
template <unsigned n, unsigned... i>
struct MakeIndices : MakeIndices<n - 1, n - 1, i...> {};
template <unsigned... i>
struct MakeIndices<0, i...> {
    using type = Indices<i...>;
};

template <typename... P>
constexpr unsigned count(void (*)(P...)) {
    return sizeof...(P);
}

template <typename T>
struct IsPointer {
    static constexpr bool value = false;
};
template <typename T>
struct IsPointer<T*> {
    static constexpr bool value = true;
};

template <unsigned n>
struct Arguments {
    spmvgen_simt_argument all[n + 1];  // an array of none is not allowed
};

template <typename... P>
constexpr Arguments<sizeof...(P)> arguments_of(void (*)(P...)) {
    return {{{sizeof(P), IsPointer<P>::value}..., {0, false}}};
}

template <typename... P, unsigned... i>
inline void call(void (*kernel)(P...), [[maybe_unused]] void* const* arguments, Indices<i...>) {
    kernel(*static_cast<P*>(arguments[i])...);
}

template <auto kernel>
void entry(void* const* arguments) {
    call(kernel, arguments, typename MakeIndices<count(kernel)>::type());
}

inline void attach(spmvgen_simt_context* context) {
    spmvgen_simt_current = context;
}

}  // namespace spmvgen_simt

// The line defaults are those of the call: it is what messages name.
inline void __syncthreads(int line = __builtin_LINE()) {
    spmvgen_simt_current->barrier(spmvgen_simt_current, line);
}
inline void __syncwarp(unsigned long long mask = warpSize == 64 ? ~0ull : 0xffffffffull,
                       int line = __builtin_LINE()) {
    spmvgen_simt::warp({spmvgen_simt_sync, "__syncwarp", line, true, mask, 0, 0, warpSize});
}
/// AMD's: what makes a wavefront come together, and what orders its memory operations, which are in
/// order here.
inline void __builtin_amdgcn_wave_barrier(int line = __builtin_LINE()) {
    spmvgen_simt::warp(
        {spmvgen_simt_sync, "__builtin_amdgcn_wave_barrier", line, false, 0, 0, 0, warpSize});
}
inline void __builtin_amdgcn_fence(unsigned, const char*) {}
inline void __threadfence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_block() {}
inline void __threadfence_system() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

template <typename T>
inline T __shfl_sync(unsigned long long mask, T value, int source, int width = warpSize,
                     int line = __builtin_LINE()) {
    return spmvgen_simt::shuffle(spmvgen_simt_shfl, "__shfl_sync", line, true, mask, value,
                                 unsigned(source), width);
}
template <typename T>
inline T __shfl_up_sync(unsigned long long mask, T value, unsigned delta, int width = warpSize,
                        int line = __builtin_LINE()) {
    return spmvgen_simt::shuffle(spmvgen_simt_shfl_up, "__shfl_up_sync", line, true, mask, value,
                                 delta, width);
}
template <typename T>
inline T __shfl_down_sync(unsigned long long mask, T value, unsigned delta, int width = warpSize,
                          int line = __builtin_LINE()) {
    return spmvgen_simt::shuffle(spmvgen_simt_shfl_down, "__shfl_down_sync", line, true, mask,
                                 value, delta, width);
}
template <typename T>
inline T __shfl_xor_sync(unsigned long long mask, T value, int lanes, int width = warpSize,
                         int line = __builtin_LINE()) {
    return spmvgen_simt::shuffle(spmvgen_simt_shfl_xor, "__shfl_xor_sync", line, true, mask, value,
                                 unsigned(lanes), width);
}
template <typename T>
inline T __shfl(T value, int source, int width = warpSize, int line = __builtin_LINE()) {
    return spmvgen_simt::shuffle(spmvgen_simt_shfl, "__shfl", line, false, 0, value,
                                 unsigned(source), width);
}
template <typename T>
inline T __shfl_up(T value, unsigned delta, int width = warpSize, int line = __builtin_LINE()) {
    return spmvgen_simt::shuffle(spmvgen_simt_shfl_up, "__shfl_up", line, false, 0, value, delta,
                                 width);
}
template <typename T>
inline T __shfl_down(T value, unsigned delta, int width = warpSize, int line = __builtin_LINE()) {
    return spmvgen_simt::shuffle(spmvgen_simt_shfl_down, "__shfl_down", line, false, 0, value,
                                 delta, width);
}
template <typename T>
inline T __shfl_xor(T value, int lanes, int width = warpSize, int line = __builtin_LINE()) {
    return spmvgen_simt::shuffle(spmvgen_simt_shfl_xor, "__shfl_xor", line, false, 0, value,
                                 unsigned(lanes), width);
}

inline unsigned long long __ballot_sync(unsigned long long mask, int predicate,
                                        int line = __builtin_LINE()) {
    return spmvgen_simt::ballot("__ballot_sync", line, true, mask, predicate != 0);
}
inline int __any_sync(unsigned long long mask, int predicate, int line = __builtin_LINE()) {
    return spmvgen_simt::ballot("__any_sync", line, true, mask, predicate != 0) != 0;
}
inline int __all_sync(unsigned long long mask, int predicate, int line = __builtin_LINE()) {
    return spmvgen_simt::ballot("__all_sync", line, true, mask, predicate == 0) == 0;
}
inline unsigned long long __ballot(int predicate, int line = __builtin_LINE()) {
    return spmvgen_simt::ballot("__ballot", line, false, 0, predicate != 0);
}
inline int __any(int predicate, int line = __builtin_LINE()) {
    return spmvgen_simt::ballot("__any", line, false, 0, predicate != 0) != 0;
}
inline int __all(int predicate, int line = __builtin_LINE()) {
    return spmvgen_simt::ballot("__all", line, false, 0, predicate == 0) == 0;
}

/// The matrix units for f64, a fused multiply-add after the other; who has what of the tiles is as
/// on the devices. Blocks have one axis here.
#define SPMVGEN_OWN_INSTRUCTIONS
inline void mma_m8n8k4(double* sums, double a, double b, int line = __builtin_LINE()) {
    const int lane = int(threadIdx.x) % 32;
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 4; ++k) {
            const double of_row = __shfl_sync(0xffffffffu, a, lane / 4 * 4 + k, 32, line);
            const int column = lane % 4 * 2 + i;
            const double of_column = __shfl_sync(0xffffffffu, b, column * 4 + k, 32, line);
            sums[i] = __builtin_fma(of_row, of_column, sums[i]);
        }
}
/// A launch begins when the one ahead has ended: there is nothing to wait for.
inline void griddepcontrol_wait() {}
inline void griddepcontrol_launch_dependents() {}
inline void prefetch_range(const void*, unsigned) {}
inline void store_release_system(unsigned long long* to, unsigned long long number) {
    __atomic_store_n(to, number, __ATOMIC_RELEASE);
}
inline unsigned long long load_acquire_system(const unsigned long long* from) {
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}
inline void store_stream_f64_pair(void* to, double first, double second) {
    auto* const numbers = static_cast<double*>(to);
    numbers[0] = first;
    numbers[1] = second;
}
inline void store_stream_f32_pair(void* to, float first, float second) {
    auto* const numbers = static_cast<float*>(to);
    numbers[0] = first;
    numbers[1] = second;
}
inline void store_stream_f32_quad(void* to, float first, float second, float third, float fourth) {
    auto* const numbers = static_cast<float*>(to);
    numbers[0] = first;
    numbers[1] = second;
    numbers[2] = third;
    numbers[3] = fourth;
}
/// Shared memory has no addresses of its own here.
inline float load_lds_f32(const float* p) {
    return *p;
}
inline double load_lds_f64(const double* p) {
    return *p;
}
inline double __builtin_amdgcn_mfma_f64_4x4x4f64(double a, double b, double sum, int, int, int,
                                                 int line = __builtin_LINE()) {
    const int lane = int(threadIdx.x) % 64;
    const int tile = lane / 4 % 4 * 4, row = lane / 16, column = lane % 4;
    for (int k = 0; k < 4; ++k)
        sum = __builtin_fma(__shfl(a, 16 * k + tile + row, 64, line),
                            __shfl(b, 16 * k + tile + column, 64, line), sum);
    return sum;
}

inline float atomicAdd(float* address, float value) {
    return spmvgen_simt::add_by_bits<unsigned>(address, value);
}
inline double atomicAdd(double* address, double value) {
    return spmvgen_simt::add_by_bits<unsigned long long>(address, value);
}
inline int atomicAdd(int* address, int value) {
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
inline unsigned atomicAdd(unsigned* address, unsigned value) {
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
inline unsigned long long atomicAdd(unsigned long long* address, unsigned long long value) {
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}

inline unsigned long long atomicExch(unsigned long long* address, unsigned long long value) {
    return __atomic_exchange_n(address, value, __ATOMIC_RELAXED);
}

template <typename T>
inline T atomicMin(T* address, T value) {
    T known = __atomic_load_n(address, __ATOMIC_RELAXED);
    while (value < known && !__atomic_compare_exchange_n(address, &known, value, false,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return known;
}

template <typename T>
inline T atomicMax(T* address, T value) {
    T known = __atomic_load_n(address, __ATOMIC_RELAXED);
    while (value > known && !__atomic_compare_exchange_n(address, &known, value, false,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return known;
}

inline unsigned long long atomicCAS(unsigned long long* address, unsigned long long compare,
                                    unsigned long long value) {
    __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return compare;
}

template <typename T>
inline T __ldg(const T* address) {
    return *address;
}
template <typename T>
inline T __ldcs(const T* address) {
    return *address;
}
template <typename T>
inline T __ldcg(const T* address) {
    return *address;
}
/// A hint for the caches, without meaning here; and Clang 19 crashes on x86 when it joins such
/// loads of 16-bit numbers.
#define __builtin_nontemporal_load(address) (*(address))
inline float __uint_as_float(unsigned bits) {
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
inline unsigned __float_as_uint(float number) {
    unsigned bits;
    __builtin_memcpy(&bits, &number, sizeof bits);
    return bits;
}
inline double __longlong_as_double(long long bits) {
    double number;
    __builtin_memcpy(&number, &bits, sizeof number);
    return number;
}
inline long long __double_as_longlong(double number) {
    long long bits;
    __builtin_memcpy(&bits, &number, sizeof bits);
    return bits;
}
inline double fabs(double x) {
    return __builtin_fabs(x);
}
inline double fmin(double x, double y) {
    return x != x || y < x ? y : x;
}
inline double fmax(double x, double y) {
    return x != x || y > x ? y : x;
}
inline double sqrt(double x) {
    return __builtin_sqrt(x);
}
inline int __popc(unsigned x) {
    return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
inline int __ffs(int x) {
    return __builtin_ffs(x);
}
inline int __ffsll(long long x) {
    return __builtin_ffsll(x);
}
inline int __clz(int x) {
    return x == 0 ? 32 : __builtin_clz(unsigned(x));
}
inline int __clzll(long long x) {
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}

#ifdef SPMVGEN_SIMT_OWN_MODULE
#define SPMVGEN_SIMT_OWNS_MODULE 1
#else
#define SPMVGEN_SIMT_OWNS_MODULE 0
#endif
#ifndef SPMVGEN_SIMT_DYNAMIC_CAPACITY
#define SPMVGEN_SIMT_DYNAMIC_CAPACITY 65536
#endif

/// Defines the dynamic shared memory that kernels of this text declare as
/// `extern __shared__ type name[];`.
#define SPMVGEN_SIMT_DYNAMIC_SHARED(type, name)                                       \
    alignas(16) thread_local type name[SPMVGEN_SIMT_DYNAMIC_CAPACITY / sizeof(type)]; \
    static void* spmvgen_simt_address_of_##name() {                                   \
        return name;                                                                  \
    }

/// Exports a kernel for the executor: extern "C" const spmvgen_simt_kernel symbol.
#define SPMVGEN_SIMT_KERNEL(symbol, ...) SPMVGEN_SIMT_EXPORT(symbol, nullptr, 0, __VA_ARGS__)

/// The same for a kernel that uses the dynamic shared memory `shared`.
#define SPMVGEN_SIMT_KERNEL_SHARED(symbol, shared, ...)                                           \
    SPMVGEN_SIMT_EXPORT(symbol, &spmvgen_simt_address_of_##shared, SPMVGEN_SIMT_DYNAMIC_CAPACITY, \
                        __VA_ARGS__)

#define SPMVGEN_SIMT_EXPORT(symbol, shared, capacity, ...)                          \
    static constexpr auto spmvgen_simt_arguments_of_##symbol =                      \
        spmvgen_simt::arguments_of(&__VA_ARGS__);                                   \
    extern "C" {                                                                    \
    extern __attribute__((visibility("default"))) const spmvgen_simt_kernel symbol; \
    const spmvgen_simt_kernel symbol = {spmvgen_simt_abi_version,                   \
                                        #symbol,                                    \
                                        spmvgen_simt::count(&__VA_ARGS__),          \
                                        spmvgen_simt_arguments_of_##symbol.all,     \
                                        SPMVGEN_SIMT_OWNS_MODULE,                   \
                                        &spmvgen_simt::attach,                      \
                                        &spmvgen_simt::entry<&__VA_ARGS__>,         \
                                        shared,                                     \
                                        capacity};                                  \
    }

#endif
