#include "world.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "spmvgen/error.hpp"

namespace spmvgen::standin {
namespace {

constexpr int relaxed = 2;

/// What a thread has of a world: gone with the world's reset.
struct OfThread {
    std::uint64_t age = 0;
    int device = 0;
    int capture_mode = 0;  ///< global
};
OfThread& of_thread(bool cuda, std::uint64_t age) {
    thread_local OfThread all[2];
    OfThread& mine = all[cuda ? 0 : 1];
    if (mine.age != age) mine = {age, cuda ? -1 : 0, 0};
    return mine;
}

/// Bytes of an ELF file whose section headers come last, as linkers write it; 0 = it is none.
std::size_t elf_bytes(const void* image) {
    Elf64_Ehdr header;
    if (std::memcmp(image, ELFMAG, SELFMAG) != 0) return 0;
    std::memcpy(&header, image, sizeof header);
    return header.e_shoff + std::size_t{header.e_shentsize} * header.e_shnum;
}

}  // namespace

int& World::current() {
    return of_thread(cuda_, age_).device;
}

int World::note(const std::string& text, int code) {
    misuse_ += fmt::format("{}: {}\n", name_, text);
    return code;
}

bool World::has(int device) const {
    return device >= 0 && device < static_cast<int>(setup_.archs.size());
}

int World::check_current() {
    if (!initialized_) return note("the library was not initialized", not_initialized);
    if (!has(current())) return note("there is no current context", invalid_context);
    if (cuda_ && contexts[static_cast<std::size_t>(current())].retained == 0)
        return note("the current context was released", invalid_context);
    return success;
}

int World::check_unsafe() {
    if (!capturing_ || of_thread(cuda_, age_).capture_mode == relaxed) return success;
    return note("forbidden while a stream is captured", capture_unsupported);
}

int World::initialize() {
    if (setup_.initialize == success) initialized_ = true;
    return setup_.initialize;
}

int World::count(int* count) const {
    *count = static_cast<int>(setup_.archs.size());
    return success;
}

int World::device(int* device, int number) {
    *device = number;
    return has(number) ? success : note("no such device", invalid_device);
}

int World::name(char* text, int length, int device) {
    if (!has(device)) return note("no such device", invalid_device);
    const auto name = fmt::format("Stand-in {}", device);
    if (static_cast<int>(name.size()) >= length) return note("too short", invalid_value);
    std::memcpy(text, name.c_str(), name.size() + 1);
    return success;
}

int World::memory(std::size_t* bytes, int device) {
    *bytes = setup_.memory_bytes;
    return has(device) ? success : note("no such device", invalid_device);
}

int World::allocate(void** data, std::size_t bytes) {
    if (const int code = check_current()) return code;
    if (const int code = check_unsafe()) return code;
    if (bytes == 0) return note("0 bytes", invalid_value);
    if (bytes > setup_.memory_bytes - used_) return out_of_memory;
    void* fresh = nullptr;
    if (posix_memalign(&fresh, 256, bytes) != 0) return out_of_memory;
    std::memset(fresh, 0xff, bytes);
    blocks_.insert({reinterpret_cast<std::uintptr_t>(fresh),
                    Block{{static_cast<std::byte*>(fresh), [](std::byte* p) { std::free(p); }},
                          bytes,
                          current()}});
    used_ += bytes;
    *data = fresh;
    return success;
}

int World::release(void* data) {
    deliver();
    if (const int code = check_current()) return code;
    if (const int code = check_unsafe()) return code;
    const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(data));
    if (found == blocks_.end()) return note("memory that was not allocated", invalid_value);
    Block& block = found->second;
    if (block.freed) return note("memory that was freed before", invalid_value);
    if (block.device != current()) return note("memory of another device", invalid_value);
    block.freed = true;
    used_ -= block.bytes;
    return success;
}

int World::check_range(const void* data, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    auto next = blocks_.upper_bound(begin);
    if (next == blocks_.begin()) return note("a pointer to no device memory", invalid_value);
    const auto& [base, block] = *--next;
    if (begin - base > block.bytes || (bytes > 0 && begin - base == block.bytes))
        return note("a pointer to no device memory", invalid_value);
    if (bytes > block.bytes - (begin - base))
        return note(
            fmt::format("{} bytes, of which {} are there", bytes, block.bytes - (begin - base)),
            invalid_value);
    if (block.freed) return note("a pointer to freed memory", invalid_value);
    if (block.device != current() && !reached_.contains({current(), block.device}))
        return note(fmt::format("memory of device {}, current is {}", block.device, current()),
                    invalid_value);
    return success;
}

int World::to_device(void* device, const void* host, std::size_t bytes) {
    deliver();
    if (const int code = check_current()) return code;
    if (capturing_) return note("forbidden while a stream is captured", capture_unsupported);
    if (const int code = check_range(device, bytes)) return code;
    std::memcpy(device, host, bytes);
    return success;
}

int World::to_host(void* host, const void* device, std::size_t bytes) {
    deliver();
    if (const int code = check_current()) return code;
    if (capturing_) return note("forbidden while a stream is captured", capture_unsupported);
    if (const int code = check_range(device, bytes)) return code;
    std::memcpy(host, device, bytes);
    return success;
}

int World::on_device(void* to, const void* from, std::size_t bytes) {
    deliver();
    if (const int code = check_current()) return code;
    if (capturing_) return note("forbidden while a stream is captured", capture_unsupported);
    if (const int code = check_range(to, bytes)) return code;
    if (const int code = check_range(from, bytes)) return code;
    std::memmove(to, from, bytes);
    return success;
}

int World::set_bytes(void* device, unsigned char byte, std::size_t bytes, void* stream) {
    deliver();
    if (const int code = check_current()) return code;
    if (const int code = check_stream(stream)) return code;
    if (capturing_ && (stream == nullptr || stream == captured_))
        return note("forbidden while a stream is captured", capture_unsupported);
    if (const int code = check_range(device, bytes)) return code;
    std::memset(device, byte, bytes);
    return success;
}

int World::create_stream(void** stream, unsigned flags) {
    if (const int code = check_current()) return code;
    if (const int code = check_unsafe()) return code;
    if (flags != 1) return note("a stream that waits for the default one", invalid_value);
    streams_.push_back({current(), false, true});
    *stream = &streams_.back();
    return success;
}

int World::release_stream(void* stream) {
    if (const int code = check_current()) return code;
    if (const int code = check_unsafe()) return code;
    if (stream == nullptr) return note("the default stream", invalid_handle);
    if (const int code = check_stream(stream)) return code;
    static_cast<Stream*>(stream)->destroyed = true;
    return success;
}

int World::free_memory(std::size_t* free, std::size_t* all) {
    if (const int code = check_current()) return code;
    *free = setup_.memory_bytes - used_;
    *all = setup_.memory_bytes;
    return success;
}

int World::load(void** module, const void* image, std::string& log) {
    if (const int code = check_current()) return code;
    if (const int code = check_unsafe()) return code;
    if (cuda_ && *static_cast<const char*>(image) == '.' && !setup_.compiled_ptx.empty())
        image = setup_.compiled_ptx.data();
    const std::size_t bytes = elf_bytes(image);
    if (bytes == 0) {
        log = "this is no module of the stand-in";
        return cuda_ && static_cast<const char*>(image)[0] == '.' ? invalid_ptx : invalid_image;
    }
    try {
        auto library = std::make_unique<MemoryLibrary>(
            "stand-in", std::string(static_cast<const char*>(image), bytes), "module");
        modules_.push_back({std::move(library), current(), false, {}});
    } catch (const Error& error) {
        log = error.what();
        return invalid_image;
    }
    *module = &modules_.back();
    return success;
}

int World::unload(void* module) {
    if (const int code = check_current()) return code;
    if (const int code = check_unsafe()) return code;
    for (auto& known : modules_) {
        if (&known != module) continue;
        if (known.unloaded) return note("a module that was unloaded before", invalid_handle);
        if (known.device != current()) return note("a module of another device", invalid_handle);
        known.unloaded = true;
        known.library.reset();
        return success;
    }
    return note("a module that was not loaded", invalid_handle);
}

int World::function(void** function, void* module, const char* name) {
    if (const int code = check_current()) return code;
    for (auto& known : modules_) {
        if (&known != module) continue;
        if (known.unloaded) return note("a module that was unloaded", invalid_handle);
        const void* kernel = known.library->symbol(std::string(name) + "_simt");
        if (kernel == nullptr) return not_found;
        known.functions.push_back(
            {&known, static_cast<const spmvgen_simt_kernel*>(kernel), cuda_ ? 48u * 1024 : 65536u});
        *function = &known.functions.back();
        return success;
    }
    return note("a module that was not loaded", invalid_handle);
}

Function* World::find(void* function) {
    for (auto& module : modules_)
        for (auto& known : module.functions)
            if (&known == function) return &known;
    return nullptr;
}

int World::check_function(void* function) {
    if (const int code = check_current()) return code;
    const Function* known = find(function);
    if (known == nullptr) return note("no function", invalid_handle);
    if (known->module->unloaded) return note("a function of an unloaded module", invalid_handle);
    if (known->module->device != current())
        return note(
            fmt::format("a function of device {}, current is {}", known->module->device, current()),
            invalid_handle);
    return success;
}

int World::function_attribute(int* value, int attribute, void* function) {
    if (const int code = check_function(function)) return code;
    if (attribute != 0) return note(fmt::format("attribute {}", attribute), invalid_value);
    *value = setup_.max_threads;
    return success;
}

int World::allow_shared(void* function, int bytes) {
    if (const int code = check_function(function)) return code;
    if (bytes < 0 || bytes > 65536) return invalid_value;
    find(function)->allowed_shared_bytes =
        std::max<std::size_t>(static_cast<std::size_t>(bytes), 48u * 1024);
    return success;
}

int World::check_stream(void* stream) {
    if (stream == nullptr) return success;
    for (auto& known : streams_) {
        if (&known != stream) continue;
        if (known.destroyed) return note("a stream that was destroyed", invalid_handle);
        if (known.device != current())
            return note(
                fmt::format("a stream of device {}, current is {}", known.device, current()),
                invalid_handle);
        return success;
    }
    return note("no stream", invalid_handle);
}

int World::check_arguments(const spmvgen_simt_kernel& kernel, void** arguments) {
    if (kernel.num_arguments > 0 && arguments == nullptr)
        return note("no arguments", invalid_value);
    for (unsigned i = 0; i < kernel.num_arguments; ++i) {
        if (arguments[i] == nullptr) return note(fmt::format("no argument {}", i), invalid_value);
        if (!kernel.arguments[i].pointer) continue;
        const void* pointer = nullptr;
        std::memcpy(&pointer, arguments[i], sizeof pointer);
        if (pointer == nullptr) continue;
        if (const int code = check_range(pointer, 0)) {
            misuse_.insert(misuse_.size() - 1, fmt::format(" (argument {})", i));
            return code;
        }
    }
    return success;
}

int World::launch(void* function, spmvgen_simt_index grid, spmvgen_simt_index block,
                  std::size_t shared_bytes, void* stream, void** arguments, void** extra) {
    deliver();
    if (const int code = check_function(function)) return code;
    if (const int code = check_stream(stream)) return code;
    if (extra != nullptr) return note("extra is not null", invalid_value);
    Function& known = *find(function);
    if (shared_bytes > known.allowed_shared_bytes) return invalid_value;
    if (const int code = check_arguments(*known.kernel, arguments)) return code;
    Launch launch{&known, {}, stream};
    launch.how.grid = grid;
    launch.how.block = block;
    launch.how.warp = static_cast<unsigned>(target(current()).wavefront);
    launch.how.dynamic_shared_bytes = shared_bytes;
    clock_us_ += setup_.enqueue_us;
    if (capturing_ && stream == captured_) {
        kept_.push_back(node_of(launch, arguments));
        return success;
    }
    clock_us_ += setup_.kernel_us;
    return run(launch, arguments);
}

int World::run(const Launch& launch, void** arguments) {
    try {
        executor_.run(*launch.function->kernel, arguments, launch.how);
        return success;
    } catch (const Error& error) {
        return note(error.what(),
                    error.code() == ErrorCode::invalid_argument ? invalid_value : launch_failure);
    }
}

int World::can_reach(int* can, int device, int peer) {
    if (!has(device) || !has(peer)) return note("no such device", invalid_device);
    *can = setup_.peers && device != peer ? 1 : 0;
    return success;
}

void World::forget(int device) {
    std::erase_if(reached_,
                  [&](const auto& pair) { return pair.first == device || pair.second == device; });
}

int World::reach(int peer, unsigned flags) {
    if (const int code = check_current()) return code;
    if (!has(peer) || flags != 0) return note("no such device, or flags", invalid_value);
    if (!setup_.peers) return note("the devices cannot", peers_unreachable);
    return reached_.insert({current(), peer}).second ? success : peers_reached;
}

std::function<int()> World::node_of(const Launch& launch, void** arguments) {
    std::vector<std::vector<std::byte>> held;
    const auto& kernel = *launch.function->kernel;
    for (unsigned i = 0; i < kernel.num_arguments; ++i) {
        const auto* begin = static_cast<const std::byte*>(arguments[i]);
        held.emplace_back(begin, begin + kernel.arguments[i].bytes);
    }
    return [this, launch, held] {
        std::vector<void*> copies;
        for (auto& bytes : held) copies.push_back(const_cast<std::byte*>(bytes.data()));
        return run(launch, copies.data());
    };
}

int World::synchronize(void* stream) {
    deliver();
    if (const int code = check_current()) return code;
    // The default stream waits for others, the captured one may be among them.
    if (capturing_ && (stream == nullptr || stream == captured_))
        return note("forbidden while a stream is captured", capture_unsupported);
    if (const int code = check_unsafe()) return code;
    return check_stream(stream);
}

int World::exchange_capture_mode(int* mode) {
    std::swap(*mode, of_thread(cuda_, age_).capture_mode);
    return success;
}

}  // namespace spmvgen::standin
