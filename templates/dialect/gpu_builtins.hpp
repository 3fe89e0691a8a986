// What the GPUs' compilers know by themselves, declared for the specialiser; never emitted, and of
// no use to a compiler for GPUs.
#pragma once

struct gpu_index {
    unsigned x;
    unsigned y;
    unsigned z;
};
extern const gpu_index threadIdx;
extern const gpu_index blockIdx;
extern const gpu_index blockDim;
extern const gpu_index gridDim;

void __syncthreads();
void __threadfence();

template <typename T>
T atomicAdd(T* address, T value);
template <typename T>
T atomicExch(T* address, T value);
template <typename T>
T atomicMin(T* address, T value);
template <typename T>
T atomicMax(T* address, T value);
template <typename T>
T atomicCAS(T* address, T compare, T value);
float __uint_as_float(unsigned bits);
unsigned __float_as_uint(float number);
double __longlong_as_double(long long bits);
long long __double_as_longlong(double number);

// For epilogues.
double fabs(double x);
double fmin(double x, double y);
double fmax(double x, double y);
double sqrt(double x);

// NVIDIA.
template <typename T>
T __ldcs(const T* address);
template <typename T>
T __ldcg(const T* address);
void __syncwarp();
int __popc(unsigned bits);
unsigned __ballot_sync(unsigned mask, int predicate);
template <typename T>
T __shfl_sync(unsigned mask, T value, int source, int width);
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width);
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width);
// Has no name in CUDA: emitted texts that use it bring it along (emission/gpu_instructions.cpp).
void mma_m8n8k4(double* sums, double a, double b);
void griddepcontrol_wait();
void griddepcontrol_launch_dependents();
void prefetch_range(const void* from, unsigned bytes);
void __threadfence_system();
void store_release_system(unsigned long long* to, unsigned long long number);
unsigned long long load_acquire_system(const unsigned long long* from);
void store_stream_f64_pair(void* to, double first, double second);
void store_stream_f32_pair(void* to, float first, float second);
void store_stream_f32_quad(void* to, float first, float second, float third, float fourth);

// AMD.
unsigned long long __ballot(int predicate);
template <typename T>
T __shfl(T value, int source, int width);
template <typename T>
T __shfl_up(T value, unsigned delta, int width);
template <typename T>
T __shfl_down(T value, unsigned delta, int width);
void __builtin_amdgcn_wave_barrier();
double __builtin_amdgcn_mfma_f64_4x4x4f64(double a, double b, double sum, int cbsz, int abid,
                                          int blgp);
void __builtin_amdgcn_fence(unsigned order, const char* scope);
// Have no name in HIP, either.
float load_lds_f32(const float* p);
double load_lds_f64(const double* p);
