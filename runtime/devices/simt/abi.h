// What a kernel compiled for the SIMT executor and the executor agree on. Freestanding C++; part of
// the text that is put ahead of a kernel's own (see dialect.h). Plain data and function pointers,
// so that a kernel's shared object links to nothing.
#ifndef SPMVGEN_SIMT_ABI_H
#define SPMVGEN_SIMT_ABI_H

extern "C" {

/// Changes with every change of this file.
enum { spmvgen_simt_abi_version = 2 };

/// uint3 and dim3 of the dialect.
struct spmvgen_simt_index {
    unsigned x, y, z;
};

/// What the threads of a warp do together.
enum spmvgen_simt_operation {
    spmvgen_simt_sync,       ///< result 0
    spmvgen_simt_ballot,     ///< result: bit i is set where lane i takes part with value != 0
    spmvgen_simt_shfl,       ///< result: value of lane `operand` of the own segment
    spmvgen_simt_shfl_up,    ///< result: value of the lane `operand` below
    spmvgen_simt_shfl_down,  ///< result: value of the lane `operand` above
    spmvgen_simt_shfl_xor    ///< result: value of lane (own ^ operand)
};

/// One thread's part in a warp operation. A masked one waits for every thread that the mask names
/// and that has not returned; an unmasked one takes the threads of the warp that are there.
struct spmvgen_simt_warp_call {
    spmvgen_simt_operation operation;
    const char* name;  ///< as the kernel spells it, for messages
    int line;          ///< of the kernel's text
    bool masked;
    unsigned long long mask;
    unsigned long long value;
    unsigned operand;
    int width;  ///< of a segment, for shuffles: a power of two, at most the warp
};

/// What a running device thread sees. One per operating system thread; the executor changes
/// thread_idx and block_idx as it goes from one device thread to another.
struct spmvgen_simt_context {
    spmvgen_simt_index thread_idx, block_idx, block_dim, grid_dim;
    int warp_size;
    void (*barrier)(spmvgen_simt_context*, int line);
    unsigned long long (*warp)(spmvgen_simt_context*, const spmvgen_simt_warp_call*);
};

/// A parameter of a kernel.
struct spmvgen_simt_argument {
    unsigned bytes;
    bool pointer;
};

/// A kernel as its shared object offers it.
struct spmvgen_simt_kernel {
    unsigned version;  ///< spmvgen_simt_abi_version
    const char* name;
    unsigned num_arguments;
    const spmvgen_simt_argument* arguments;
    /// 1: the shared object holds kernels and nothing else, so all its thread-local memory is
    /// static shared memory, which the executor may poison.
    unsigned owns_module;
    /// Makes `context` the one of the calling operating system thread.
    void (*attach)(spmvgen_simt_context* context);
    /// Runs one device thread; arguments[i] points to argument i.
    void (*call)(void* const* arguments);
    /// The calling operating system thread's dynamic shared memory; null when the kernel has none.
    void* (*dynamic_shared)();
    unsigned long dynamic_capacity;  ///< bytes
};
}

#endif
