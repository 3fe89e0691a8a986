#pragma once
#include <cstddef>
#include <string>
#include <vector>

/// A stand-in for the libraries of CUDA and HIP: their entry points over the SIMT executor, in host
/// memory. Modules are shared objects with SIMT kernels. Every handle, pointer and lifetime is
/// tracked; what a real driver might let pass, or crash of, is written down. Launches run at once.
namespace spmvgen::standin {

/// What the library pretends to be. Takes effect with reset().
struct Setup {
    std::vector<std::string> archs;  ///< of its devices: "sm_90", "gfx906:sramecc+:xnack-"
    std::size_t memory_bytes = std::size_t{1} << 30;
    int max_threads = 1024;  ///< a block that functions say they can take
    int initialize = 0;      ///< what cuInit and hipInit return
    bool peers = true;       ///< whether devices can use each other's memory
    /// What events tell of a kernel, and of a call that enqueues something, in microseconds; both
    /// 0: what they take here. CUDA only.
    double kernel_us = 0, enqueue_us = 0;
    /// Bytes of the module that PTX compiles to; "" = PTX is refused. CUDA only.
    std::string compiled_ptx = {};
};

/// One vendor's library, as its tests see it. Any thread may call it.
class StandIn {
  public:
    virtual ~StandIn() = default;

    /// Forgets everything.
    virtual void reset(const Setup& setup) = 0;
    /// The next call of `name` ("hipMalloc") does nothing and returns `code`.
    virtual void fail_next(const std::string& name, int code) = 0;

    /// Misuse since the last time, one line each; "" = none.
    virtual std::string misuse() = 0;
    /// What lives, one line each: memory, modules, streams, retained contexts; "" = nothing.
    virtual std::string alive() = 0;
    /// Names of the calls since the last time, with a blank between.
    virtual std::string calls() = 0;

    /// A stream of a device.
    virtual void* make_stream(int device) = 0;
    virtual void destroy_stream(void* stream) = 0;

    /// A stream is captured in the mode that forbids calls which may be unsafe to all threads but
    /// those in relaxed mode: a forbidden call returns 900 and is misuse. Launches on the stream
    /// are kept with copies of their arguments.
    virtual void begin_capture(void* stream) = 0;
    /// Ends it and runs what was kept, `times` times; returns how many launches were kept.
    virtual int end_capture(int times) = 0;
};

}  // namespace spmvgen::standin

extern "C" {
/// What another library of CUDA's puts on a stream, as a call of that name: run(data) at once or,
/// while the stream is captured, whenever the graph is launched. drop(data) at the end. Returns 0
/// or an error code.
int spmvgen_standin_cuda_enqueue(const char* name, void* stream, void (*run)(void*),
                                 void (*drop)(void*), void* data);
/// Whether the stream is being captured.
bool spmvgen_standin_cuda_captures(void* stream);
spmvgen::standin::StandIn* spmvgen_standin_cuda();
spmvgen::standin::StandIn* spmvgen_standin_hip();
}
