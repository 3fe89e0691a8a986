// What planning on a GPU fetches, waits for and tells, of a device that passes for one whose times
// are predicted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "arrays_on_device.hpp"
#include "handle/plan/team_size.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/suites/gallery.hpp"
#include "parts_ms.hpp"
#include "spmvgen/spmvgen.hpp"
#include "verify/reference.hpp"

namespace spmvgen {
namespace {

/// The SIMT executor under the name of a GPU that has a profile.
class NamedDevice : public CountingDevice {
  public:
    NamedDevice() : CountingDevice("simt:sm_90"), facts_(CountingDevice::facts()) {
        facts_.name = "NVIDIA H200";
        facts_.units = 132;
    }
    const DeviceFacts& facts() const override { return facts_; }

  private:
    DeviceFacts facts_;
};

struct CsrThere {
    CsrThere(Device& device, const CsrView& a) : view(a) {
        const auto put = [&](const void*& array, std::int64_t count, std::size_t element) {
            memory.push_back(device.allocate(static_cast<std::size_t>(count) * element));
            device.copy_to_device(memory.back()->data(), array, memory.back()->bytes());
            array = memory.back()->data();
        };
        put(view.row_ptr, a.rows + 1, size_of(a.offset_type));
        put(view.col_idx, a.nnz, size_of(a.index_type));
        put(view.values, a.nnz, size_of(a.value_type));
    }
    std::vector<std::unique_ptr<DeviceMemory>> memory;
    CsrView view;
};

Options options_there() {
    Options options = options_for("simt:sm_90");
    options.device_arrays = true;
    return options;
}

const char* const specs[] = {"stencil27:nx=34,ny=34,nz=34,random_values=1",
                             "random:rows=60000,cols=60000,per_row=9", "fem:nx=70,ny=70,dofs=3"};

// Of a free choice row offsets come here, and samples, of scattered columns all: the kernel is that
// of the same matrix on the host, and it multiplies, also with new values.
TEST(DeviceChoice, FetchesSamplesOnly) {
    for (const char* spec : specs) {
        SCOPED_TRACE(spec);
        const auto device = std::make_shared<NamedDevice>();
        const CsrMatrix matrix = make_gallery_matrix(spec);
        const CsrView here = matrix.view();
        ASSERT_GT(here.nnz, 1 << 17);
        const Handle of_host =
            make_handle(here, options_for("simt:sm_90"), KernelProvider::process(), device);
        const CsrThere there(*device, here);
        device->came_here = 0;
        device->waits = 0;
        Handle handle = make_handle(there.view, options_there(), KernelProvider::process(), device);
        const auto offsets = static_cast<std::size_t>(here.rows + 1) * sizeof(std::int32_t);
        // An order could pay, which some clusters tell: all columns come here for them.
        const auto columns = static_cast<std::size_t>(here.nnz) * sizeof(std::int32_t);
        const bool scattered = spec == specs[1];
        const std::size_t samples = 800'000;  // whatever the size
        EXPECT_LT(device->came_here, offsets + samples + (scattered ? columns : 0));
        EXPECT_LE(device->waits, scattered ? 7 : 5);
        EXPECT_EQ(handle.info().kernel, of_host.info().kernel) << handle.info().reason;
        EXPECT_NEAR(parts_ms(handle.info()), handle.info().prepare_ms,
                    0.05 * handle.info().prepare_ms);
        EXPECT_NEAR(parts_ms(of_host.info()), of_host.info().prepare_ms,
                    0.05 * of_host.info().prepare_ms);
        const std::vector<double> x(static_cast<std::size_t>(here.cols), 1.0);
        std::vector<double> y(static_cast<std::size_t>(here.rows)), z(y.size());
        of_host.apply(1.0, x.data(), 0.0, y.data());
        handle.apply(1.0, x.data(), 0.0, z.data());
        EXPECT_EQ(y, z);
        handle.update_values(static_cast<const double*>(there.view.values));
        handle.apply(1.0, x.data(), 0.0, z.data());
        EXPECT_EQ(y, z);
    }
}

/// A matrix without an order, and the device that gets it.
struct Clustered {
    const char* spec;
    int num_rhs;
    bool has_room;         ///< of the device: for another copy of the matrix
    bool is_wide = false;  ///< columns and offsets have 64 bits
};

/// A matrix with columns and offsets of 64 bits.
struct Wide {
    explicit Wide(const CsrMatrix& a)
        : row_ptr(copied(a.row_ptr)), col_idx(copied(a.col_idx)), view(a.view()) {
        view.row_ptr = row_ptr.data();
        view.col_idx = col_idx.data();
        view.index_type = view.offset_type = IndexType::i64;
    }
    static std::vector<std::int64_t> copied(const Buffer& narrow) {
        const auto from = narrow.as<std::int32_t>();
        return {from.begin(), from.end()};
    }
    std::vector<std::int64_t> row_ptr, col_idx;
    CsrView view;
};

// Rows get their order, and are copied in it, where the matrix is. Columns come here to tell
// whether one may pay, values only where the device lacks room. The handle is that of the same
// matrix on the host.
void expect_clusters(const Clustered& of) {
    SCOPED_TRACE(testing::Message() << of.spec << ", " << of.num_rhs << ", " << of.has_room);
    const auto device = std::make_shared<NamedDevice>();
    const CsrMatrix matrix = make_gallery_matrix(of.spec);
    const Wide wide(matrix);
    const CsrView here = of.is_wide ? wide.view : matrix.view();
    Options options = options_for("simt:sm_90");
    options.num_rhs = of.num_rhs;
    Handle of_host = make_handle(here, options, KernelProvider::process(), device);
    const CsrThere there(*device, here);
    options.device_arrays = true;
    if (!of.has_room) device->most_free = 1 << 20;
    device->came_here = 0;
    device->launches = 0;
    Handle handle = make_handle(there.view, options, KernelProvider::process(), device);
    const std::size_t samples = 200'000 * size_of(here.index_type);
    const std::size_t a_row = 2 * size_of(here.offset_type) + 12;  // a region, the order
    const auto columns_here = static_cast<std::size_t>(here.nnz) * size_of(here.index_type);
    EXPECT_EQ(device->came_here <
                  static_cast<std::size_t>(here.rows + 1) * a_row + samples + columns_here,
              of.has_room)
        << device->came_here;
    EXPECT_GE(device->launches, 48) << "rounds of a search, on the device, are most of them";
    EXPECT_EQ(handle.info().reorder, "rows") << handle.info().reason;
    EXPECT_EQ(handle.info().kernel, of_host.info().kernel) << handle.info().reason;
    EXPECT_EQ(handle.info().bandwidth, of_host.info().bandwidth);
    EXPECT_TRUE(std::ranges::equal(handle.row_order(), of_host.row_order()));
    EXPECT_NEAR(parts_ms(handle.info()), handle.info().prepare_ms, 0.05 * handle.info().prepare_ms);

    const auto columns = static_cast<std::size_t>(of.num_rhs);
    std::vector<double> x(columns * static_cast<std::size_t>(here.cols));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 13) - 6;
    std::vector<double> y(columns * static_cast<std::size_t>(here.rows)), z(y.size());
    of_host.apply(1.0, x.data(), 0.0, y.data());
    handle.apply(1.0, x.data(), 0.0, z.data());
    EXPECT_EQ(y, z);
    const double alpha = 1, beta = 0;
    const CheckResult result =
        check_product(here, {&alpha, x.data(), &beta, x.data(), z.data(), of.num_rhs});
    EXPECT_TRUE(result.passed) << result.message;

    std::vector<double> doubled(static_cast<std::size_t>(here.nnz));
    std::ranges::transform(matrix.values.as<double>(), doubled.begin(),
                           [](double value) { return 2 * value; });
    const auto fresh = device->allocate(doubled.size() * sizeof(double));
    device->copy_to_device(fresh->data(), doubled.data(), fresh->bytes());
    handle.update_values(static_cast<const double*>(fresh->data()));
    device->came_here = 0;
    handle.update_values(static_cast<const double*>(fresh->data()));
    EXPECT_EQ(device->came_here < 20'000, of.has_room) << device->came_here;
    of_host.update_values(doubled.data());
    for (const Handle* updated : {&handle, &of_host}) {
        updated->apply(0.5, x.data(), 0.0, z.data());
        EXPECT_EQ(y, z);
    }
}

TEST(DeviceChoice, PutsRowsInClustersOnTheDevice) {
    for (const Clustered& of : {Clustered{"delaunay:n=120000,spatial=0", 1, true},
                                Clustered{"delaunay:n=120000,spatial=0", 1, true, true},
                                Clustered{"delaunay:n=40000,spatial=0", 8, true},
                                Clustered{"delaunay:n=40000,spatial=0", 8, false}})
        expect_clusters(of);
}

/// Bytes of row offsets.
std::size_t offset_bytes(const CsrView& a) {
    return static_cast<std::size_t>(a.rows + 1) * sizeof(std::int32_t);
}

// Values that are few different ones, integers, equal, or exact in a narrower type: what all of
// them have in common is found where they are, and the kernel is that of a matrix on the host.
TEST(DeviceChoice, CodesValuesWhereTheyAre) {
    const auto number = [](std::int64_t k) { return static_cast<double>(k); };
    const std::vector<std::pair<std::function<double(std::int64_t)>, const char*>> cases{
        {[&](std::int64_t k) { return 0.1 * number(k % 7); }, "numbers of a dictionary"},
        {[&](std::int64_t k) { return number(k % 100); }, "integers of 8 bits"},
        {[&](std::int64_t) { return -0.0; }, "the one that all are"},
        {[&](std::int64_t k) { return number(k) / 64; }, "exact in f32"},
        // Few in the sample only.
        {[&](std::int64_t k) { return 0.1 * number(k == 70'001 ? k : k % 7); }, ""},
        {[&](std::int64_t k) { return 0.1 * (k == 70'001 ? 1e200 : 1.0); }, "dictionary"}};
    const auto device = std::make_shared<NamedDevice>();
    CsrMatrix matrix = make_gallery_matrix("stencil27:nx=34,ny=34,nz=34");
    for (auto& [value, reason] : cases) {
        SCOPED_TRACE(reason);
        for (std::int64_t k = 0; k < matrix.nnz; ++k)
            matrix.values.as<double>()[static_cast<std::size_t>(k)] = value(k);
        const Handle of_host = make_handle(matrix.view(), options_for("simt:sm_90"),
                                           KernelProvider::process(), device);
        const CsrThere there(*device, matrix.view());
        device->came_here = 0;
        const Handle handle =
            make_handle(there.view, options_there(), KernelProvider::process(), device);
        EXPECT_LT(device->came_here, offset_bytes(matrix.view()) + 800'000)
            << handle.info().kernel << handle.info().reason;
        EXPECT_EQ(handle.info().kernel, of_host.info().kernel) << handle.info().reason;
        EXPECT_THAT(handle.info().reason, testing::HasSubstr(reason));
        EXPECT_EQ(handle.info().matrix_bytes, of_host.info().matrix_bytes);
        const std::vector<double> x(static_cast<std::size_t>(matrix.cols), 1.0);
        std::vector<double> y(static_cast<std::size_t>(matrix.rows)), z(y.size());
        of_host.apply(1.0, x.data(), 0.0, y.data());
        handle.apply(1.0, x.data(), 0.0, z.data());
        EXPECT_EQ(y, z);
    }
}

TEST(DeviceChoice, TellsPartsThatAddUpForOrdersAndLevels) {
    const auto device = std::make_shared<NamedDevice>();
    const CsrMatrix matrix = make_gallery_matrix("delaunay:n=30000,spatial=0");
    const auto expect_sum = [&](Options options) {
        const Info info =
            make_handle(matrix.view(), options, KernelProvider::process(), device).info();
        EXPECT_NEAR(parts_ms(info), info.prepare_ms, 0.05 * info.prepare_ms) << info.kernel;
    };
    Options options = options_for("simt:sm_90");
    for (const char* order : {"rows", "rcm"}) {
        options.reorder = order;
        expect_sum(options);
    }
    options.reorder = "rows";
    options.num_rhs = 8;
    expect_sum(options);
    options.num_rhs = 1;
    options.reorder = "none";
    options.expected_applies = 1000;
    expect_sum(options);
}

// Entries in ranges come here, checked; of a broken matrix the entry is named.
TEST(DeviceChoice, RefusesColumnsOutside) {
    const auto device = std::make_shared<NamedDevice>();
    CsrMatrix matrix = make_gallery_matrix("random:rows=30000,cols=30000,per_row=9");
    for (const std::int64_t place : {std::int64_t{0}, matrix.nnz / 3, matrix.nnz - 1}) {
        auto columns = matrix.col_idx.as<std::int32_t>();
        const std::int32_t before = columns[static_cast<std::size_t>(place)];
        columns[static_cast<std::size_t>(place)] = 30'000;
        const CsrThere there(*device, matrix.view());
        columns[static_cast<std::size_t>(place)] = before;
        EXPECT_THAT(code_and_text([&] {
                        (void)make_handle(there.view, options_there(), KernelProvider::process(),
                                          device);
                    }),
                    testing::HasSubstr("entry " + std::to_string(place) + " (row"));
    }
}

TEST(TeamSize, IsThatOfThisThreadAlone) {
    const auto team = [] {
        int size = 0;
#pragma omp parallel
#pragma omp single
        size = omp_get_num_threads();
        return size;
    };
    const int usual = team();
    {
        const TeamSize three(3);
        EXPECT_EQ(team(), 3);
        int elsewhere = 0;
        std::thread([&] { elsewhere = team(); }).join();
        EXPECT_EQ(elsewhere, usual);
        const TeamSize any(0);
        EXPECT_EQ(team(), 3);
    }
    EXPECT_EQ(team(), usual);
}

}  // namespace
}  // namespace spmvgen
