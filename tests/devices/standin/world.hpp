#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "control.hpp"
#include "devices/host/host_kernel.hpp"
#include "devices/simt/simt.hpp"
#include "spmvgen/target.hpp"

namespace spmvgen::standin {

// Error codes that CUDA and HIP share.
enum Code {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    not_initialized = 3,
    no_device = 100,
    invalid_device = 101,
    invalid_image = 200,
    invalid_context = 201,
    invalid_ptx = 218,
    invalid_handle = 400,
    not_found = 500,
    peers_reached = 704,
    peers_unreachable = 217,
    launch_failure = 719,
    capture_unsupported = 900
};
/// Its name without the vendor's prefix, CUDA's way: "OUT_OF_MEMORY"; null when it is none of
/// these.
const char* code_name(int code);
/// "out of memory"
const char* code_text(int code);

/// A context of CUDA; of HIP, a device.
struct Context {
    int device = 0;
    int retained = 0;
};

struct Block {
    std::unique_ptr<std::byte, void (*)(std::byte*)> data;
    std::size_t bytes = 0;
    int device = 0;
    bool freed = false;  ///< kept until reset(), so that no address comes twice
};

struct Module;

struct Function {
    Module* module = nullptr;
    const spmvgen_simt_kernel* kernel = nullptr;
    std::size_t allowed_shared_bytes = 0;  ///< dynamic
};

struct Module {
    std::unique_ptr<MemoryLibrary> library;
    int device = 0;
    bool unloaded = false;  ///< kept until reset()
    std::deque<Function> functions;
};

struct Stream {
    int device = 0;
    bool destroyed = false;
    bool of_library = false;  ///< made by a call, not by a test
};

/// A graph or, instantiated, an executable one; the nodes run one after another.
struct Graph {
    std::vector<std::function<int()>> nodes;
    bool executable = false, destroyed = false;
};

struct Launch {
    Function* function = nullptr;
    SimtLaunch how;
    void* stream = nullptr;
};

/// What both vendors' libraries do; the entry points are in cuda.cpp and hip.cpp.
class World final : public StandIn {
  public:
    explicit World(bool cuda) : cuda_(cuda) {}

    void reset(const Setup& setup) override;
    void fail_next(const std::string& name, int code) override;
    std::string misuse() override;
    std::string alive() override;
    std::string calls() override;
    void* make_stream(int device) override;
    void destroy_stream(void* stream) override;
    void begin_capture(void* stream) override;
    int end_capture(int times) override;

    /// Runs an entry point: notes it, looks whether it shall fail, and calls `body` alone.
    template <typename Body>
    int call(const char* name, Body&& body) {
        const std::lock_guard lock(mutex_);
        name_ = name;
        calls_ += (calls_.empty() ? "" : " ") + std::string(name);
        if (const auto found = failing_.find(name); found != failing_.end()) {
            const int code = found->second;
            failing_.erase(found);
            return code;
        }
        return body();
    }

    // The rest is called within call().
    int initialize();
    int count(int* count) const;
    int device(int* device, int number);
    int name(char* text, int length, int device);
    int memory(std::size_t* bytes, int device);
    int allocate(void** data, std::size_t bytes);
    int release(void* data);
    int allocate_locked(void** data, std::size_t bytes, unsigned flags);
    int release_locked(void* data);
    int to_device(void* device, const void* host, std::size_t bytes);
    /// From page-locked memory as late as a driver may: before the next call that finds the bytes.
    int send(void* device, const void* host, std::size_t bytes);
    /// The same to such memory.
    int fetch(void* host, const void* device, std::size_t bytes);
    int to_host(void* host, const void* device, std::size_t bytes);
    int on_device(void* to, const void* from, std::size_t bytes);
    int set_bytes(void* device, unsigned char byte, std::size_t bytes, void* stream);
    int create_stream(void** stream, unsigned flags);
    int release_stream(void* stream);
    int free_memory(std::size_t* free, std::size_t* all);
    int load(void** module, const void* image, std::string& log);
    int unload(void* module);
    int function(void** function, void* module, const char* name);
    int function_attribute(int* value, int attribute, void* function);
    int allow_shared(void* function, int bytes);
    int check_function(void* function);
    int launch(void* function, spmvgen_simt_index grid, spmvgen_simt_index block,
               std::size_t shared_bytes, void* stream, void** arguments, void** extra);
    int check_stream(void* stream);
    int synchronize(void* stream);
    int exchange_capture_mode(int* mode);
    int can_reach(int* can, int device, int peer);
    /// Of the current device.
    int reach(int peer, unsigned flags);
    /// Who uses whose memory ends with the context of either.
    void forget(int device);
    /// Runs a node now, or keeps it for the graph that is being captured.
    int enqueue(void* stream, std::function<int()> node);
    int start_capture(void* stream, int mode);
    int finish_capture(void* stream, void** graph);
    int instantiate(void** executable, void* graph);
    int count_nodes(void* graph, std::size_t* nodes);
    int release_graph(void* graph, bool executable);
    int launch_graph(void* graph, void* stream);
    /// What an event says: microseconds, of the setup's where it has some.
    double event_us() const;

    int note(const std::string& text, int code);
    bool has(int device) const;
    const Setup& setup() const { return setup_; }
    const Target& target(int device) const { return targets_[static_cast<std::size_t>(device)]; }
    std::vector<Context> contexts;  ///< CUDA: the primary ones

    bool captures(void* stream);

    /// The calling thread's device, -1 = no context (CUDA).
    int& current();

  private:
    int check_current();
    int check_unsafe();
    int check_range(const void* data, std::size_t bytes);
    /// Does what send() and fetch() left.
    void deliver();
    bool is_locked(const void* host, std::size_t bytes) const;
    int keep_copy(void* to, const void* from, std::size_t bytes, const void* on_device);
    int check_arguments(const spmvgen_simt_kernel& kernel, void** arguments);
    Function* find(void* function);
    Graph* find_graph(void* graph, bool executable);
    int run(const Launch& launch, void** arguments);
    /// The launch, with copies of its arguments.
    std::function<int()> node_of(const Launch& launch, void** arguments);
    int run_node(const std::function<int()>& node);

    const bool cuda_;
    std::mutex mutex_;
    Setup setup_;
    std::vector<Target> targets_;
    std::uint64_t age_ = 0;  ///< number of resets
    const char* name_ = "";
    std::string calls_;
    std::string misuse_;
    std::map<std::string, int> failing_;
    std::map<std::uintptr_t, Block> blocks_;
    std::size_t used_ = 0;
    std::map<std::uintptr_t, std::vector<std::byte>> locked_;
    struct Copy {
        void* to;
        const void* from;
        std::size_t bytes;
    };
    std::vector<Copy> pending_;
    std::set<std::pair<int, int>> reached_;  ///< devices, and those whose memory they use
    std::deque<Module> modules_;
    std::deque<Stream> streams_;
    bool initialized_ = false;
    bool capturing_ = false;
    void* captured_ = nullptr;
    std::vector<std::function<int()>> kept_;
    std::deque<Graph> graphs_;
    double clock_us_ = 0;
    SimtExecutor executor_;
};

World& cuda();
World& hip();

}  // namespace spmvgen::standin
