#pragma once
#include "tuner/chooser/chooser.hpp"
#include "tuner/profiles/device_profile.hpp"
#include "tuner/records/signature_name.hpp"

namespace spmvgen {

/// Of the kernel with that name.
inline Signature signature(const std::string& name) {
    return *parse_kernel_name(name, parse_target("sm_90"));
}

/// On an H200, whose profile ships.
inline Choice choice_on_h200(const CsrMatrix& m, bool predicts) {
    Request request{.target = parse_target("sm_90"), .units = 132};
    request.device = "NVIDIA H200";
    if (predicts) request.profile = find_device_profile("NVIDIA H200");
    return choose_for(m.view(), analyse_row_lengths(m.view()), request);
}

}  // namespace spmvgen
