#pragma once
#include "peers/peer.hpp"

namespace spmvgen::peers {

/// librsb's recursive sparse blocks: "rsb" as the library cuts them, "rsb_tuned" after
/// rsb_tune_spmm. The library is $SPMVGEN_LIBRSB, else librsb.so.0 where the system finds it.
std::unique_ptr<Peer> open_librsb(const Place& place);

}  // namespace spmvgen::peers
