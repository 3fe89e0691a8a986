#pragma once
#include <memory>
#include <span>

#include "devices/device.hpp"
#include "spmvgen/distributed.hpp"

namespace spmvgen {

/// The type of x and y.
ValueType vectors_of(const Part& part, const Options& options);

/// `device` stands for options.device where it is not null.
PartHandle make_part_handle(const Part& part, const Options& local, const Options& halo,
                            std::shared_ptr<Device> device);
PeerHalo make_peer_halo(const Part& part, const Options& options, std::shared_ptr<Device> device);

}  // namespace spmvgen
