#include "peers/module_peers.hpp"

#include <algorithm>
#include <array>

#include "devices/gpu/vendor_library.hpp"
#include "peers/module/module.hpp"
#include "process/library_folders.hpp"
#include "spmvgen/error.hpp"
#include "spmvgen/target.hpp"

namespace spmvgen::peers {
namespace {

/// The module for this machine.
struct Module {
    VendorLibrary file;
    const SpmvgenPeerModule* entries;
};

std::vector<std::string> places_of(const std::string& name) {
    std::vector<std::string> places;
    for (auto& folder : library_folders())
        for (auto& path : {folder / name, folder / "spmvgen" / name}) places.push_back(path);
    return places;
}

Module open_module() {
    const std::string name = "libspmvgen_peers_" + parse_target("native").arch + ".so";
    VendorLibrary file("module of compiled loops", "SPMVGEN_PEERS", places_of(name));
    const auto entry =
        reinterpret_cast<decltype(&spmvgen_peer_module)>(file.get("spmvgen_peer_module"));
    const SpmvgenPeerModule* entries = entry();
    if (entries->abi != spmvgen_peer_module_abi)
        throw Error(ErrorCode::unsupported,
                    file.path() + " is of another build: install it with this spmvgen");
    return {std::move(file), entries};
}

class Plain final : public Peer {
  public:
    explicit Plain(int threads) : module_(open_module()), threads_(threads) {}
    std::string version() const override { return parse_target("native").arch; }
    std::string path() const override { return module_.file.path(); }
    std::vector<std::string> ways(int num_rhs) const override {
        constexpr std::array numbers{1, 2, 4, 8, 16, 32};
        if (std::ranges::count(numbers, num_rhs) == 0) return {};
        return {"csr"};
    }
    Product make(const std::string&, const Problem& p) override {
        require_int32(p.matrix);
        return {
            .apply = [p, plain = module_.entries->plain,
                      threads = threads_] { plain(p.matrix.view(), p.x, p.y, p.num_rhs, threads); },
            .bytes = csr_bytes(p.matrix, p.num_rhs)};
    }

  private:
    Module module_;
    int threads_;
};

class Eigen final : public Peer {
  public:
    explicit Eigen(int threads) : module_(open_module()), threads_(threads) {
        if (module_.entries->eigen_version == nullptr)
            throw Error(ErrorCode::unsupported,
                        "Eigen was not found when spmvgen was built: install libeigen3-dev and "
                        "build again");
    }
    std::string version() const override { return module_.entries->eigen_version; }
    std::string path() const override { return module_.file.path(); }
    std::vector<std::string> ways(int num_rhs) const override {
        return ways_of_one_vector(num_rhs, {"csr"});
    }
    Product make(const std::string&, const Problem& p) override {
        require_int32(p.matrix);
        const SpmvgenPeerModule& eigen = *module_.entries;
        const std::shared_ptr<void> product(eigen.eigen_make(p.matrix.view()), eigen.eigen_free);
        return {.apply = [p, product, multiply = eigen.eigen_multiply,
                          threads = threads_] { multiply(product.get(), p.x, p.y, threads); },
                .bytes = csr_bytes(p.matrix)};
    }

  private:
    Module module_;
    int threads_;
};

}  // namespace

std::unique_ptr<Peer> open_plain(const Place& place) {
    return std::make_unique<Plain>(place.threads);
}

std::unique_ptr<Peer> open_eigen(const Place& place) {
    return std::make_unique<Eigen>(place.threads);
}

}  // namespace spmvgen::peers
