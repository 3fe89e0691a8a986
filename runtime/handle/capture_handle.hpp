#pragma once
#include <optional>
#include <string>

#include "spmvgen/spmvgen.hpp"

/// Writing down the matrices of an application's handles (docs/how-to/capture.md).
namespace spmvgen {

/// What $SPMVGEN_CAPTURE and $SPMVGEN_CAPTURE_PATTERN ask for.
struct CaptureSettings {
    std::string directory;
    bool pattern = false;
    std::string warning;  ///< of a word that is not known; "" = none
};

/// Nothing when $SPMVGEN_CAPTURE is unset or empty, or in a program that has more rights than its
/// user.
std::optional<CaptureSettings> capture_settings();

/// Captures the matrix of a handle that was made with these options, when the environment asks for
/// it. Trouble is a warning in the log, once for a directory; never throws.
void capture_handle(const CsrView& matrix, const Options& options, const Info& info) noexcept;
void capture_handle(const CooView& matrix, const Options& options, const Info& info) noexcept;
void capture_handle(const BsrView& matrix, const Options& options, const Info& info) noexcept;

}  // namespace spmvgen
