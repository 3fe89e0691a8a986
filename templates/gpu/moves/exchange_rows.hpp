// Rows of x written into the memory of other devices, which write theirs into this one's: each part
// of a matrix gives the others their halos, and has its own when the launch ends.
//
// What:       copies between devices that reach each other's memory, and flags in it in the place of
//             events. Launch number n of a part tells those that it receives from that its halo may
//             be written, waits until those that it sends to say the same, writes, tells them, and
//             waits for what it receives.
// Source:     plain loops; flags are stored and read with release and acquire over all devices. For
//             NVIDIA GPUs: memory that AMD's share while kernels run is allocated in another way.
// Parameters: block 64, 128, 256, 512, 1024: threads of a block.
// Work:       at most a block a multiprocessor; threads go along the pieces. The block that ends
//             last sets the flags, and waits.
// Reads:      the list and x once; writes the halos of others once.
#pragma once
#include "dialect/gpu.hpp"

/// Returns when another device has raised `flag` to `value`.
[[gnu::always_inline]] inline void await_flag(const unsigned long long* flag,
                                              unsigned long long value) {
    while (load_acquire_system(flag) < value) {
    }
}

/// `peers` has for each send where it begins and ends in the list, and the addresses of its piece of
/// the other's halo and of the flag there that says that it is written; then for each receive the
/// address of the flag there that says that the halo here may be; last the address of this device's
/// flags: which halos may be written, which pieces have arrived, how many launches there were, and
/// how many blocks of this one have ended.
template <typename Vector, typename Index, int num_rhs, int block>
void exchange_rows(long num_sends, long num_receives, const Index* __restrict__ row_order,
                   const long* __restrict__ peers, const Vector* __restrict__ x) {
    __shared__ unsigned long long ended[2];  // of one, emitted texts would have a variable
    unsigned long long* flags =
        reinterpret_cast<unsigned long long*>(peers[4 * num_sends + num_receives]);
    unsigned long long* launches = flags + num_sends + num_receives;
    const unsigned long long launch = launches[0] + 1;
    if (blockIdx.x == 0) {
        for (long i = threadIdx.x; i < num_receives; i += block) {
            store_release_system(reinterpret_cast<unsigned long long*>(peers[4 * num_sends + i]),
                                 launch);
        }
    }
    for (long i = 0; i < num_sends; ++i) {
        if (threadIdx.x == 0) {
            await_flag(flags + i, launch);
        }
        __syncthreads();
        const long first = peers[4 * i];
        const long count = (peers[4 * i + 1] - first) * num_rhs;
        Vector* to = reinterpret_cast<Vector*>(peers[4 * i + 2]);
        const long step = static_cast<long>(gridDim.x) * block;
        for (long k = static_cast<long>(blockIdx.x) * block + threadIdx.x; k < count; k += step) {
            to[k] = x[static_cast<long>(row_order[first + k / num_rhs]) * num_rhs + k % num_rhs];
        }
    }
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) {
        ended[0] = atomicAdd(launches + 1, 1ull) + 1;
    }
    __syncthreads();
    if (ended[0] == gridDim.x) {
        __threadfence_system();
        for (long i = threadIdx.x; i < num_sends; i += block) {
            store_release_system(reinterpret_cast<unsigned long long*>(peers[4 * i + 3]), launch);
        }
        for (long i = threadIdx.x; i < num_receives; i += block) {
            await_flag(flags + num_sends + i, launch);
        }
        if (threadIdx.x == 0) {
            launches[0] = launch;
            launches[1] = 0;
        }
    }
}
