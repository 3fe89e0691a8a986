// Iterations of solvers on a GPU, in graphs of 100: with epilogues that do the work around the
// product, and with cuSPARSE and cuBLAS. A line of JSON for each matrix: microseconds (medians) by
// way, and how far the first residuals are from those of a plain loop on this CPU. A way that is
// further off than rounding explains gets no time.
//     bench_solver_steps DEVICE [--only=cg,bicgstab,chebyshev,pdhg] [--cusparse=FILE]
//                        [--cublas=FILE] [--budget=MS] gallery:…|FILE…
// CG is of the symmetric M-matrix with the pattern of A + Aᵀ, Chebyshev smoothing of one with A's
// pattern, BiCGSTAB of the same scaled by its diagonal, PDHG of A as it is. On simt:ARCH residuals
// are compared, nothing is timed. "pretend:NVIDIA H200" makes kernels alone, for a machine that has
// such a GPU: they are in $SPMVGEN_CACHE_DIR, but for those of one row that stand by cuBLAS.
#include <iostream>
#include <optional>

#include "../arguments.hpp"
#include "../pretended_device.hpp"
#include "matrix/read/reader.hpp"
#include "matrix/suites/gallery.hpp"
#include "steps.hpp"

namespace {

using namespace spmvgen;
using namespace spmvgen::bench;

CsrMatrix matrix_of(const std::string& name) {
    const CsrMatrix a =
        name.starts_with("gallery:") ? make_gallery_matrix(name.substr(8)) : read_matrix(name);
    return convert_values(a.view(), ValueType::f64);
}

std::shared_ptr<Device> device_of(const std::string& name) {
    constexpr std::string_view pretend = "pretend:";
    if (!name.starts_with(pretend)) return open_device(name);
    const DeviceProfile* const profile = find_device_profile(name.substr(pretend.size()));
    if (profile == nullptr) throw Error(ErrorCode::invalid_argument, "no profile: " + name);
    return std::make_shared<PretendedDevice>(*profile, true);
}

/// The lines of all solvers that are asked for.
void solve(const CsrMatrix& a, const std::string& only, const Arguments& arguments, Json& json) {
    const auto asked = [&](const char* solver) {
        return only.empty() ||
               ("," + only + ",").find(std::string(",") + solver + ",") != std::string::npos;
    };
    if (a.rows == a.cols) {
        if (asked("cg")) json["cg"] = cg_line(m_matrix(a, transpose(a.view(), false)), arguments);
        CsrMatrix m = m_matrix(a, without_entries(a.rows));
        if (asked("chebyshev")) json["chebyshev"] = chebyshev_line(m, arguments);
        if (asked("bicgstab"))
            json["bicgstab"] = bicgstab_line(with_unit_diagonal(std::move(m)), arguments);
    }
    if (asked("pdhg")) json["pdhg"] = pdhg_line(a, arguments);
}

int run(int argc, char** argv) {
    Arguments arguments;
    arguments.cusparse = take_option(argc, argv, "--cusparse=", "");
    arguments.cublas = take_option(argc, argv, "--cublas=", "");
    arguments.plan.budget_s = 1e-3 * take_number(argc, argv, "--budget=", 20);
    const std::string only = take_option(argc, argv, "--only=", "");
    auto words = take_words(argc, argv);
    if (words.size() < 2) throw Error(ErrorCode::invalid_argument, "give a device and matrices");
    arguments.device = device_of(words.front());
    std::optional<CudaClocks> clocks;
    if (words.front().starts_with("cuda")) arguments.clocks = &clocks.emplace(0);
    for (auto& name : std::span(words).subspan(1)) {
        Json json{{"matrix", name}};
        try {
            solve(matrix_of(name), only, arguments, json);
        } catch (const std::exception& error) {
            json["error"] = error.what();
        }
        std::cout << json.dump() << std::endl;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
