#include "emission/gpu_instructions.hpp"

namespace spmvgen {
namespace {

constexpr const char* mma_m8n8k4 = R"(#ifndef SPMVGEN_OWN_INSTRUCTIONS
/// sums += a · b, of an 8×4 tile of a and a 4×8 tile of b that the warp's lanes have an element
/// each of: a[lane / 4][lane % 4], b[lane % 4][lane / 4]; of the product a lane has
/// [lane / 4][lane % 4 * 2] and the element to its right. All lanes take part.
static __device__ __forceinline__ void mma_m8n8k4(double* sums, double a, double b) {
    asm volatile(
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sums[0]), "+d"(sums[1])
        : "d"(a), "d"(b));
}
#endif

)";

constexpr const char* wait_for_launches = R"(#ifndef SPMVGEN_OWN_INSTRUCTIONS
static __device__ __forceinline__ void griddepcontrol_wait() {
    unsigned units;  // multiprocessors; where half of them have a block, the next launch may begin
    asm("mov.u32 %0, %%nsmid;" : "=r"(units));
    if (2 * gridDim.x * gridDim.y <= units) asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
#endif

)";

constexpr const char* begin_next_launch = R"(#ifndef SPMVGEN_OWN_INSTRUCTIONS
/// Lets the next launch begin when every block has come here or ended, if blocks are not many.
static __device__ __forceinline__ void griddepcontrol_launch_dependents() {
    unsigned units;
    asm("mov.u32 %0, %%nsmid;" : "=r"(units));
    if (gridDim.x * gridDim.y <= 16 * units)
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
#endif

)";

constexpr const char* prefetch_range = R"(#ifndef SPMVGEN_OWN_INSTRUCTIONS
/// Has the range brought to the L2 cache, whole pieces of 16 bytes.
static __device__ __forceinline__ void prefetch_range(const void* from, unsigned bytes) {
    const unsigned long long begin = reinterpret_cast<unsigned long long>(from) & ~15ull;
    const unsigned long long end = (reinterpret_cast<unsigned long long>(from) + bytes + 15) & ~15ull;
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(begin),
                 "r"(static_cast<unsigned>(end - begin)));
}
#endif

)";

constexpr const char* flag_store = R"(#ifndef SPMVGEN_OWN_INSTRUCTIONS
/// *to = number, for all devices, after all that the thread wrote or has seen written.
static __device__ __forceinline__ void store_release_system(unsigned long long* to,
                                                            unsigned long long number) {
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(to), "l"(number) : "memory");
}
#endif

)";

constexpr const char* flag_load = R"(#ifndef SPMVGEN_OWN_INSTRUCTIONS
/// *from as another device stored it; what the thread reads afterwards is not older.
static __device__ __forceinline__ unsigned long long load_acquire_system(
    const unsigned long long* from) {
    unsigned long long number;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(number) : "l"(from) : "memory");
    return number;
}
#endif

)";

constexpr const char* stream_f64_pair = R"(#ifndef SPMVGEN_OWN_INSTRUCTIONS
/// Stores 16 bytes at once, which the caches need not keep.
static __device__ __forceinline__ void store_stream_f64_pair(void* to, double first,
                                                             double second) {
    asm volatile("st.global.cs.v2.f64 [%0], {%1, %2};" ::"l"(to), "d"(first), "d"(second)
                 : "memory");
}
#endif

)";

constexpr const char* stream_f32_pair = R"(#ifndef SPMVGEN_OWN_INSTRUCTIONS
/// Stores 8 bytes at once, which the caches need not keep.
static __device__ __forceinline__ void store_stream_f32_pair(void* to, float first, float second) {
    asm volatile("st.global.cs.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(first), "f"(second)
                 : "memory");
}
#endif

)";

constexpr const char* stream_f32_quad = R"(#ifndef SPMVGEN_OWN_INSTRUCTIONS
/// Stores 16 bytes at once, which the caches need not keep.
static __device__ __forceinline__ void store_stream_f32_quad(void* to, float first, float second,
                                                             float third, float fourth) {
    asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(first),
                 "f"(second), "f"(third), "f"(fourth)
                 : "memory");
}
#endif

)";

constexpr const char* lds_load_f32 = R"(#ifndef SPMVGEN_OWN_INSTRUCTIONS
/// *p, which is in shared memory.
static __device__ __forceinline__ float load_lds_f32(const float* p) {
    return *(const __attribute__((address_space(3))) float*)p;
}
#endif

)";

constexpr const char* lds_load_f64 = R"(#ifndef SPMVGEN_OWN_INSTRUCTIONS
/// *p, which is in shared memory.
static __device__ __forceinline__ double load_lds_f64(const double* p) {
    return *(const __attribute__((address_space(3))) double*)p;
}
#endif

)";

struct Instruction {
    const char* call;
    const char* definition;
};
constexpr Instruction instructions[] = {
    {"mma_m8n8k4(", mma_m8n8k4},
    {"griddepcontrol_wait(", wait_for_launches},
    {"griddepcontrol_launch_dependents(", begin_next_launch},
    {"prefetch_range(", prefetch_range},
    {"store_release_system(", flag_store},
    {"load_acquire_system(", flag_load},
    {"load_lds_f32(", lds_load_f32},
    {"load_lds_f64(", lds_load_f64},
    {"store_stream_f64_pair(", stream_f64_pair},
    {"store_stream_f32_pair(", stream_f32_pair},
    {"store_stream_f32_quad(", stream_f32_quad},
};

}  // namespace

std::string instruction_texts(const std::string& text) {
    std::string texts;
    for (auto& instruction : instructions)
        if (text.find(instruction.call) != text.npos) texts += instruction.definition;
    return texts;
}

}  // namespace spmvgen
