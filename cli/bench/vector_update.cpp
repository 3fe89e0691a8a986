#include "bench/vector_update.hpp"

#include <array>

namespace spmvgen::cli {

// The mask, 0, is a parameter: the driver's compiler must not know that y does not matter.
const char* const vector_update_ptx = R"(.version 6.3
.target sm_60
.address_size 64

.visible .entry vector_update(
    .param .u64 x, .param .u64 y, .param .u64 z,
    .param .u64 x_words, .param .u64 y_words, .param .u32 mask)
{
    .reg .pred %outside;
    .reg .b32 %block, %threads, %thread, %bits, %other, %mask;
    .reg .b64 %word, %at, %count, %x, %y, %z;

    mov.u32 %block, %ctaid.x;
    mov.u32 %threads, %ntid.x;
    mov.u32 %thread, %tid.x;
    mul.wide.u32 %word, %block, %threads;
    cvt.u64.u32 %at, %thread;
    add.u64 %word, %word, %at;
    ld.param.u64 %count, [x_words];
    setp.ge.u64 %outside, %word, %count;
    @%outside bra DONE;

    shl.b64 %at, %word, 2;
    ld.param.u64 %z, [z];
    cvta.to.global.u64 %z, %z;
    add.u64 %z, %z, %at;
    ld.global.u32 %bits, [%z];
    ld.param.u64 %count, [y_words];
    setp.ge.u64 %outside, %word, %count;
    @%outside bra STORE;

    ld.param.u64 %y, [y];
    cvta.to.global.u64 %y, %y;
    add.u64 %y, %y, %at;
    ld.global.u32 %other, [%y];
    ld.param.u32 %mask, [mask];
    and.b32 %other, %other, %mask;
    xor.b32 %bits, %bits, %other;
STORE:
    ld.param.u64 %x, [x];
    cvta.to.global.u64 %x, %x;
    add.u64 %x, %x, %at;
    st.global.u32 [%x], %bits;
DONE:
    ret;
}
)";

void launch_vector_update(const CudaDriver& driver, void* function, void* stream,
                          VectorUpdate what) {
    constexpr std::uint64_t block = 256;
    std::uint32_t mask = 0;
    std::array<void*, 6> arguments{&what.x, &what.y, &what.z, &what.x_words, &what.y_words, &mask};
    const auto blocks = static_cast<unsigned>((what.x_words + block - 1) / block);
    if (blocks > 0) driver.launch(function, blocks, block, stream, arguments.data());
}

}  // namespace spmvgen::cli
