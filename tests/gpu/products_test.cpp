// Every GPU kernel on a device: types, modes of α and β, parameters, our gallery and real matrices,
// each element of each product checked against the compensated reference.
#include <filesystem>

#include "gpu_products.hpp"
#include "matrix/features/features.hpp"
#include "matrix/read/reader.hpp"

namespace spmvgen::gpu_tests {
namespace {

const std::filesystem::path real_matrices() {
    const char* chosen = std::getenv("SPMVGEN_MATRICES");
    return std::filesystem::path(chosen != nullptr ? chosen : SPMVGEN_MATRICES) / "real";
}

class GpuProducts : public OnDevice, public testing::WithParamInterface<std::string> {
  protected:
    template <typename Value>
    void check(const std::string& name, const CsrMatrix& matrix, const Options& options,
               const std::vector<double>& alphas, const std::vector<double>& betas) {
        SCOPED_TRACE(name);
        Product<Value> product(matrix, *device_);
        const Handle handle(product.view(), options);
        for (const double a : alphas)
            for (const double b : betas) {
                const Value alpha = a == -1.5 ? general<Value>(a) : static_cast<Value>(a);
                const Value beta = b == 2.5 ? general<Value>(b) : static_cast<Value>(b);
                EXPECT_EQ(product.multiply(handle, alpha, beta), "")
                    << handle.info().kernel << " α=" << alpha << " β=" << beta;
            }
    }
    template <typename Value>
    void check_gallery() {
        for (auto& text : small_gallery())
            check<Value>(text, make_gallery_matrix(text), options_for(GetParam()), {1, -1.5, 0},
                         {0, 1, 2.5});
    }
};

TEST_P(GpuProducts, AllModesInF64) {
    check_gallery<double>();
}
TEST_P(GpuProducts, AllModesInF32) {
    check_gallery<float>();
}
TEST_P(GpuProducts, AllModesInC64) {
    check_gallery<std::complex<double>>();
}

/// What compute-sanitizer, which is slow, runs.
TEST_P(GpuProducts, Quick) {
    for (auto& text : {"fem:nx=9,ny=8", "arrow:n=1500", "powerlaw:n=600,max_row=500"})
        check<double>(text, make_gallery_matrix(text), options_for(GetParam()), {1, -1.5},
                      {0, 2.5});
    auto options = options_for(GetParam());
    options.deterministic = true;
    for (auto& text : {"arrow:n=1500", "powerlaw:n=600,max_row=500"})
        check<double>(text, make_gallery_matrix(text), options, {1}, {0, 2.5});
}

TEST_P(GpuProducts, EveryParameterValue) {
    int refused = 0, checked = 0;
    for (auto& p : kernel_entry(GetParam()).params)
        for (const auto value : p.allowed)
            for (auto& text : {"fem_tri:nx=20,ny=20", "powerlaw:n=600,max_row=500"}) {
                auto options = options_for(GetParam());
                options.params[p.name] = value;
                SCOPED_TRACE(p.name.str() + "=" + std::to_string(value));
                try {
                    check<double>(text, make_gallery_matrix(text), options, {1}, {0});
                    ++checked;
                } catch (const Error& error) {  // wider than a wavefront, or not with the others
                    ASSERT_EQ(error.code(), ErrorCode::invalid_argument) << error.what();
                    ++refused;
                }
            }
    EXPECT_GT(checked, refused);
}

TEST_P(GpuProducts, DeterministicOnesGiveTheSameBits) {
    auto options = options_for(GetParam());
    options.deterministic = true;
    const int rounds = is_cuda() ? 20 : 3;
    for (auto& text : {"arrow:n=5000", "powerlaw:n=3000,max_row=2500", "rmat:scale=10"}) {
        SCOPED_TRACE(text);
        Product<double> product(make_gallery_matrix(text), *device_);
        const Handle handle(product.view(), options);
        EXPECT_TRUE(handle.info().deterministic);
        ASSERT_EQ(product.multiply(handle, 1, 0), "");
        const std::vector<double> first = product.fetch_y();
        for (int i = 0; i < rounds; ++i) {
            ASSERT_EQ(product.multiply(handle, 1, 0), "");
            ASSERT_EQ(
                std::memcmp(first.data(), product.fetch_y().data(), first.size() * sizeof(double)),
                0);
        }
    }
}

/// Whether ELL would have more than 4 GB of f64 with their columns, which takes minutes.
bool is_too_wide(const std::string& kernel, const CsrMatrix& matrix) {
    if (kernel_entry(kernel).format != Format::ell) return false;
    const std::int64_t longest = analyse_row_lengths(matrix.view()).max_row;
    return static_cast<double>(matrix.rows) * static_cast<double>(longest) * 12 > 4e9;
}

TEST_P(GpuProducts, GalleryAtItsUsualSize) {
    if (!is_cuda()) GTEST_SKIP() << "takes too long on " << device_text();
    for (auto& entry : gallery()) {
        const std::string name(entry.name);
        const CsrMatrix matrix = make_gallery_matrix(name);
        if (is_too_wide(GetParam(), matrix)) {
            std::cout << "[ LEFT OUT ] " << name << '\n';
            continue;
        }
        try {
            check<double>(name, matrix, options_for(GetParam()), {1}, {0, 2.5});
        } catch (const Error& error) {  // ELL of a matrix with a dense row
            EXPECT_EQ(error.code(), ErrorCode::invalid_argument) << name << ": " << error.what();
            std::cout << "[ REFUSED  ] " << name << ": " << error.what() << '\n';
        }
    }
}

TEST_P(GpuProducts, RealMatrices) {
    if (!is_cuda()) GTEST_SKIP() << "takes too long on " << device_text();
    if (!std::filesystem::exists(real_matrices()))
        GTEST_SKIP() << real_matrices() << " is not there";
    int seen = 0;
    for (auto& file : std::filesystem::directory_iterator(real_matrices())) {
        const std::string name = file.path().filename();
        const CsrMatrix matrix = read_matrix(file.path());
        ++seen;
        try {
            if (is_complex(matrix.value_type))
                check<std::complex<double>>(name, matrix, options_for(GetParam()), {1}, {0, 2.5});
            else
                check<double>(name, matrix, options_for(GetParam()), {1}, {0, 2.5});
        } catch (const Error& error) {  // ELL of a matrix with a dense row
            EXPECT_EQ(error.code(), ErrorCode::invalid_argument) << name << ": " << error.what();
            std::cout << "[ REFUSED  ] " << name << ": " << error.what() << '\n';
        }
    }
    EXPECT_GT(seen, 0);
}

INSTANTIATE_TEST_SUITE_P(Kernels, GpuProducts, testing::ValuesIn(kernels()), id_of);

/// Kernels that serve some signatures only, in f64.
class LimitedGpuProducts : public GpuProducts {
  protected:
    void SetUp() override {
        GpuProducts::SetUp();
        if (IsSkipped()) return;
        Signature s;
        s.kernel = GetParam();
        s.target = device_->facts().target;
        if (const auto why = kernel_entry(s.kernel).refuses(s); !why.empty())
            GTEST_SKIP() << s.kernel << " " << why;
    }
};

TEST_P(LimitedGpuProducts, AllModesAndParametersInF64) {
    check_gallery<double>();
    for (auto& p : kernel_entry(GetParam()).params)
        for (const auto value : p.allowed) {
            auto options = options_for(GetParam());
            options.params[p.name] = value;
            SCOPED_TRACE(p.name.str() + "=" + std::to_string(value));
            for (auto& text : {"fem_tri:nx=20,ny=20", "powerlaw:n=600,max_row=500"})
                check<double>(text, make_gallery_matrix(text), options, {1}, {0});
        }
}

std::vector<std::string> limited_kernels() {
    std::vector<std::string> ids;
    for (auto& entry : kernel_registry())
        if (entry.gpu && entry.refuses != nullptr) ids.emplace_back(entry.id);
    return ids;
}

INSTANTIATE_TEST_SUITE_P(Kernels, LimitedGpuProducts, testing::ValuesIn(limited_kernels()), id_of);

}  // namespace
}  // namespace spmvgen::gpu_tests
