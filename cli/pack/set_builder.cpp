#include "pack/set_builder.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "handle/kernels/compile_kernel.hpp"
#include "sets/exported.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::cli {
namespace {

/// The work of all threads.
class Building {
  public:
    Building(Generator& generator, const std::vector<Signature>& signatures, const SetBuild& how)
        : generator_(generator), signatures_(signatures), how_(how), reasons_(signatures.size()) {}

    BuiltSet run() {
        std::vector<std::jthread> threads;
        for (int i = 1; i < how_.jobs; ++i) threads.emplace_back([this] { work(); });
        work();
        threads.clear();
        if (trouble_ != nullptr) std::rethrow_exception(trouble_);
        for (std::size_t i = 0; i < signatures_.size(); ++i)
            if (!reasons_[i].empty())
                built_.refused.push_back({to_string(signatures_[i]), reasons_[i]});
        return std::move(built_);
    }

  private:
    void work() {
        try {
            for (std::size_t i; !how_.stop() && (i = next_++) < signatures_.size();) {
                make(i);
                how_.done(signatures_[i]);
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            trouble_ = std::current_exception();
            next_ = signatures_.size();
        }
    }

    void make(std::size_t i) {
        KernelBinary binary;
        SetEntries entry;
        try {
            binary = compile_kernel(generator_, signatures_[i], how_.kinds, how_.compiler);
            if (!how_.sources) binary.source.clear();
            add_entry(entry, binary);
        } catch (const Error& error) {
            reasons_[i] = error.what();
            return;
        }
        const std::lock_guard lock(mutex_);
        built_.entries.merge(entry);
        built_.code_bytes += static_cast<std::int64_t>(binary.bytes.size());
        built_.source_bytes += static_cast<std::int64_t>(binary.source.size());
    }

    Generator& generator_;
    const std::vector<Signature>& signatures_;
    const SetBuild& how_;
    std::atomic<std::size_t> next_ = 0;
    std::vector<std::string> reasons_;  ///< each written by the thread that made the kernel
    std::mutex mutex_;                  ///< guards what follows
    BuiltSet built_;
    std::exception_ptr trouble_;
};

}  // namespace

BuiltSet build_set(Generator& generator, const std::vector<Signature>& signatures,
                   const SetBuild& how) {
    return Building(generator, signatures, how).run();
}

}  // namespace spmvgen::cli
