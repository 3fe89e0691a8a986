// Bugs planted in the emitted text of real kernels: each must be caught by what the GPU table does
// with every kernel, a checked product on the SIMT executor in both orders of threads. Without the
// bug the same product is right.
#include <gmock/gmock.h>
#include <sys/mman.h>

#include "devices/simt/simt_device.hpp"
#include "formats/stored_matrix.hpp"
#include "handle/gpu/gpu_bound_kernel.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "matrix/suites/gallery.hpp"
#include "measure/random_vector.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "verify/reference.hpp"

namespace spmvgen {
namespace {

/// A text in an emitted kernel and what is put in its place.
struct Bug {
    std::string name, kernel, right, wrong;
    Params params = {};
};

void PrintTo(const Bug& bug, std::ostream* out) {
    *out << bug.name << " in " << bug.kernel;
}

/// The generator, with a bug in what it emits.
class BuggyGenerator : public Generator {
  public:
    explicit BuggyGenerator(const Bug* bug) : bug_(bug) {}

    KernelSource emit(const Signature& signature, const std::string& command) override {
        KernelSource source = real_.emit(signature, command);
        if (bug_ == nullptr) return source;
        std::size_t at = source.text.find(bug_->right);
        EXPECT_NE(at, std::string::npos) << source.text;
        for (; at != std::string::npos; at = source.text.find(bug_->right, at + bug_->wrong.size()))
            source.text.replace(at, bug_->right.size(), bug_->wrong);
        return source;
    }
    KernelBinary compile(const KernelSource& source, BinaryKind kind, Compiler by) override {
        return real_.compile(source, kind, by);
    }
    std::map<std::string, std::string> versions() override { return real_.versions(); }

  private:
    const Bug* bug_;
    Generator& real_ = load_generator();
};

/// What is wrong with a product by that kernel in that order; "" = nothing.
std::string trouble(const Bug& kernel, const Bug* bug, ThreadOrder order) {
    BuggyGenerator generator(bug);
    KernelProvider provider({[&]() -> Generator& { return generator; }, nullptr});
    const CsrMatrix matrix = make_gallery_matrix("powerlaw:n=700,max_row=300,seed=3");
    Options options;
    options.device = "simt:sm_90";
    options.kernel = kernel.kernel;
    options.params = kernel.params;
    options.cache = CacheMode::memory;
    const Handle handle = make_handle(matrix.view(), options, provider,
                                      open_simt_device(parse_target("sm_90"), order));
    std::vector<double> x(static_cast<std::size_t>(matrix.cols));
    std::vector<double> y(static_cast<std::size_t>(matrix.rows),
                          std::numeric_limits<double>::quiet_NaN());
    fill_random(ValueType::f64, x.data(), matrix.cols, 1);
    try {
        handle.apply(1.0, x.data(), 0.0, y.data());
    } catch (const Error& error) {
        return error.what();
    }
    const double one = 1, zero = 0;
    return check_product(matrix.view(), {&one, x.data(), &zero, nullptr, y.data(), 1}).message;
}

class PlantedBug : public testing::TestWithParam<Bug> {};
INSTANTIATE_TEST_SUITE_P(
    Kernels, PlantedBug,
    testing::Values(
        Bug{"MissingBarrier", "ell_groups", "__syncthreads();", ";", {{"groups", 4}}},
        Bug{"WrongMask", "csr_classical", "0xffffffffu", "0x0000ffffu", {{"subwarp", 32}}},
        Bug{"WrongMask", "csr_load_balance", "0xffffffffu", "0x7fffffffu"},
        Bug{"OffByOneTail", "csr_classical", "if (k + u *", "if (k + 1 + u *", {{"subwarp", 8}}},
        Bug{"OffByOneRow", "sell_slices", "position < num_rows", "position + 1 < num_rows"},
        Bug{"MissingZeroingOfY", "coo", "y[row] = sum;", "(void)sum;"},
        Bug{"MissingZeroingOfTheSum", "csr_merge_path", "= 0.0;", ";"}),
    [](auto& p) { return p.param.name + "_" + p.param.kernel; });

TEST_P(PlantedBug, IsCaughtInOneOrder) {
    const Bug& bug = GetParam();
    for (auto order : {ThreadOrder::forward, ThreadOrder::reverse})
        ASSERT_EQ(trouble(bug, nullptr, order), "");
    EXPECT_NE(trouble(bug, &bug, ThreadOrder::forward) + trouble(bug, &bug, ThreadOrder::reverse),
              "");
}

/// Zeros at addresses before and behind `middle`; memory is taken for what is written only.
class SparseMemory {
  public:
    explicit SparseMemory(std::size_t bytes)
        : bytes_(bytes),
          begin_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
    SparseMemory(const SparseMemory&) = delete;
    SparseMemory& operator=(const SparseMemory&) = delete;
    ~SparseMemory() {
        if (there()) munmap(begin_, bytes_);
    }
    bool there() const { return begin_ != MAP_FAILED; }
    template <typename T>
    T* middle() const {
        return reinterpret_cast<T*>(static_cast<std::byte*>(begin_) + bytes_ / 2);
    }

  private:
    std::size_t bytes_;
    void* begin_;
};

/// Rows of nine ones whose entries lie 2^28 elements apart, as in an ELL matrix of 2^28 rows: the
/// ninth is beyond 2^31. Element numbers of 32 bits lead to the zeros before the arrays.
class FarElements : public testing::Test {
  protected:
    static constexpr long rows = 64, width = 9, stride = 1L << 28, reach = 2 * width * stride;

    void SetUp() override {
        if (!values_.there() || !col_idx_.there())
            GTEST_SKIP() << "this machine gives no 58 GB of addresses";
        for (long k = 0; k < width; ++k)
            for (long row = 0; row < rows; ++row) values_.middle<double>()[k * stride + row] = 1;
    }

    std::vector<double> product(const Bug* bug) {
        BuggyGenerator generator(bug);
        KernelProvider provider({[&]() -> Generator& { return generator; }, nullptr});
        StoredMatrix stored;
        stored.format = Format::ell;
        stored.arrays = {{"values", values_.middle<double>()}, {"col_idx", col_idx_.middle<int>()}};
        stored.scalars = {{"num_rows", rows}, {"width", width}, {"stride", stride},
                          {"num_parts", 1},   {"num_cols", 1},  {"nnz", rows * width}};
        Signature signature;
        signature.kernel = "ell_groups";
        signature.target = parse_target("gfx906");
        const auto device = open_simt_device(signature.target, ThreadOrder::forward);
        const GpuBoundKernel kernel(
            provider.get(complete(signature), {CacheMode::memory, "", true}, device).kernel,
            stored);
        const double one = 1, zero = 0, x = 1;
        std::vector<double> y(rows);
        kernel.enqueue({&one, &x, &zero, y.data()}, StreamRef{});
        return y;
    }

    SparseMemory values_{reach * sizeof(double)}, col_idx_{reach * sizeof(int)};
};

TEST_F(FarElements, AreReached) {
    EXPECT_EQ(product(nullptr), std::vector<double>(rows, width));
}

TEST_F(FarElements, ElementNumbersOf32BitsAreCaught) {
    const Bug bug{"Overflow", "ell_groups", "const long at = row", "const int at = row"};
    EXPECT_NE(product(&bug), std::vector<double>(rows, width));
}

}  // namespace
}  // namespace spmvgen
