// Parts of a matrix on devices of their own, and lists of elements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include "any_matrix.hpp"
#include "arrays_on_device.hpp"
#include "handle/making/handle_makers.hpp"
#include "handle/parts/part_handle.hpp"
#include "spmvgen/distributed.hpp"

namespace spmvgen {
namespace {

/// The parts of a matrix, with all their vectors; devices are in this machine's memory.
template <typename Value>
class Parted {
  public:
    Parted(std::vector<Part> parts, const Options& options) : parts_(std::move(parts)) {
        for (const Part& part : parts_) handles_.emplace_back(part, options);
    }
    const std::vector<PartHandle>& handles() const { return handles_; }

    /// y = αAx + βy. What travels is copied, or fetched by the kernels of whom it comes to.
    std::vector<Value> multiply(Value alpha, const std::vector<Value>& x, Value beta,
                                const std::vector<Value>& y, bool fetch) const {
        std::vector<std::vector<Value>> sent, halo;
        for (const Part& part : parts_) {
            sent.emplace_back(part.send_elements.size() * k_, Value(99));
            halo.emplace_back(part.halo_columns.size() * k_, Value(99));
        }
        if (!fetch)
            for (std::size_t p = 0; p < parts_.size(); ++p)
                handles_[p].pack(own_x(p, x), sent[p].data());
        for (std::size_t p = 0; p < parts_.size(); ++p)
            for (std::size_t i = 0; i < parts_[p].receives.size(); ++i) {
                const Exchange& r = parts_[p].receives[i];
                const auto from = static_cast<std::size_t>(r.part);
                if (fetch)
                    handles_[p].fetch(i, own_x(from, x), halo[p].data());
                else
                    copy(*std::ranges::find(parts_[from].sends, static_cast<int>(p),
                                            &Exchange::part),
                         sent[from], r, halo[p]);
            }
        std::vector<Value> result = y;
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            Value* const own_y = result.data() + static_cast<std::size_t>(parts_[p].first_row) * k_;
            handles_[p].multiply_local(alpha, own_x(p, x), beta, own_y);
            handles_[p].multiply_halo(alpha, halo[p].data(), own_y);
        }
        return result;
    }
    void set_width(int k) { k_ = static_cast<std::size_t>(k); }

  private:
    const Value* own_x(std::size_t p, const std::vector<Value>& x) const {
        return x.data() + static_cast<std::size_t>(parts_[p].first_col) * k_;
    }
    void copy(const Exchange& from, const std::vector<Value>& sent, const Exchange& to,
              std::vector<Value>& halo) const {
        std::memcpy(halo.data() + static_cast<std::size_t>(to.first) * k_,
                    sent.data() + static_cast<std::size_t>(from.first) * k_,
                    static_cast<std::size_t>(to.count) * k_ * sizeof(Value));
    }

    std::vector<Part> parts_;
    std::vector<PartHandle> handles_;
    std::size_t k_ = 1;
};

class PartsOf : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, PartsOf, testing::Values("host", "simt:sm_90", "simt:gfx90a"));

const std::vector<RowPartition> partitions{{{0, 60}, {0, 60}},
                                           {{0, 30, 60}, {0, 30, 60}},
                                           {{0, 11, 11, 60}, {0, 7, 13, 60}},
                                           {{0, 0, 21, 40, 60}, {0, 20, 20, 40, 60}}};

template <typename Value>
void expect_whole_product(const std::string& device) {
    const AnyMatrix<Value> a;
    const auto x = a.x();
    for (auto& partition : partitions) {
        const Parted<Value> parted(make_parts(a.view(), partition), options_for(device));
        for (const bool fetch : {false, true}) {
            EXPECT_EQ(
                parted.multiply(Value(1), x, Value(0), std::vector<Value>(60, Value(5)), fetch),
                a.product(a.values));
            auto expected = a.product(a.values, "N", Value(3));
            for (std::size_t i = 0; i < 60; ++i) expected[i] += Value(2) * x[i];
            EXPECT_EQ(parted.multiply(Value(3), x, Value(2), x, fetch), expected);
        }
    }
}

TEST_P(PartsOf, MultiplyAsTheWholeMatrix) {
    expect_whole_product<double>(GetParam());
}
TEST_P(PartsOf, OfOtherTypes) {
    expect_whole_product<float>(GetParam());
    expect_whole_product<std::complex<double>>(GetParam());
}

TEST_P(PartsOf, WithWideIndicesAndSeveralVectors) {
    const AnyMatrix<double> a;
    const std::vector<std::int64_t> row_ptr(a.row_ptr.begin(), a.row_ptr.end()),
        col_idx(a.col_idx.begin(), a.col_idx.end());
    const CsrView wide = csr_view(60, 60, row_ptr.data(), col_idx.data(), a.values.data());
    EXPECT_EQ(make_parts(wide, partitions[2]), make_parts(a.view(), partitions[2]));
    Options options = options_for(GetParam());
    options.num_rhs = 3;
    Parted<double> parted(make_parts(wide, partitions[3]), options);
    parted.set_width(3);
    std::vector<double> x, expected;
    const auto one = a.x(), product = a.product(a.values);
    for (std::size_t i = 0; i < 60; ++i)
        for (const double factor : {1, -2, 5}) {
            x.push_back(factor * one[i]);
            expected.push_back(factor * product[i]);
        }
    for (const bool fetch : {false, true})
        EXPECT_EQ(parted.multiply(1, x, 0, std::vector<double>(180, 7), fetch), expected);
}

// 5 rows and 9 columns; the rows of part 1 have all their entries in its own columns.
TEST_P(PartsOf, RectangularAndWithoutAHalo) {
    const std::vector<std::int32_t> row_ptr{0, 2, 3, 3, 5, 6}, col_idx{0, 8, 3, 5, 8, 7};
    const std::vector<double> values{1, 2, 3, 4, 5, 6};
    const CsrView a = csr_view(5, 9, row_ptr.data(), col_idx.data(), values.data());
    const Parted<double> parted(make_parts(a, {{0, 2, 5}, {0, 4, 9}}), options_for(GetParam()));
    EXPECT_NE(parted.handles()[0].halo(), nullptr);
    EXPECT_EQ(parted.handles()[1].halo(), nullptr);
    EXPECT_EQ(parted.handles()[1].sends(), (std::vector<Exchange>{{0, 0, 1}}));
    const std::vector<double> x{1, 2, 3, 4, 5, 6, 7, 8, 9};
    for (const bool fetch : {false, true})
        EXPECT_EQ(parted.multiply(1, x, 1, {1, 1, 1, 1, 1}, fetch),
                  (std::vector<double>{20, 13, 1, 70, 49}));
}

TEST_P(PartsOf, TakeThePlanOfAnotherPart) {
    const AnyMatrix<double> a;
    const auto parts = make_parts(a.view(), partitions[1]);
    const PartHandle first(parts[0], options_for(GetParam()));
    const Options planned = with_plan_of(first.local().info(), options_for(GetParam()));
    EXPECT_EQ(planned.format, first.local().info().format);
    const KernelCounters before = kernel_counters();
    const Handle second(parts[1].local.view(), planned);
    EXPECT_EQ(second.info().kernel, first.local().info().kernel);
    EXPECT_EQ(kernel_counters().compiles_started, before.compiles_started);
    Info generic;
    generic.kernel = "generic_csr";
    generic.target = "x86-64-v2";
    EXPECT_EQ(with_plan_of(generic, options_for("host")).kernel, "auto");
    EXPECT_EQ(code_and_text([] { with_plan_of(Info{}, {}); }),
              "invalid_argument: the info is of no handle: give what info() of one returns");
}

TEST_P(PartsOf, RefuseWhatIsNotForParts) {
    const AnyMatrix<double> a;
    const auto parts = make_parts(a.view(), partitions[1]);
    const auto refusal = [&](auto change) {
        Options options = options_for(GetParam());
        change(options);
        return code_and_text([&] { const PartHandle handle(parts[0], options); });
    };
    EXPECT_EQ(refusal([](Options& o) { o.op = "T"; }),
              "invalid_argument: options.op is T, but parts are multiplied as they are: use N or "
              "C, or two handles and ListedElements::add");
    EXPECT_EQ(refusal([](Options& o) { o.device_arrays = true; }),
              "invalid_argument: options.device_arrays: a part is in host memory: leave it false");
    EXPECT_EQ(refusal([](Options& o) { o.index_base = 1; }),
              "invalid_argument: options.index_base: parts count from 0: leave it 0");
    EXPECT_EQ(refusal([](Options& o) { o.owner = std::make_shared<int>(); }),
              "invalid_argument: options.owner: the handles of a part have copies: leave it out");
    EXPECT_EQ(refusal([](Options& o) { o.permuted_vectors = true; }),
              "invalid_argument: options.permuted_vectors: elements of a part are exchanged in its "
              "own order: leave it false");
    EXPECT_EQ(refusal([](Options& o) { o.epilogue = "2 * value"; }),
              "invalid_argument: options.epilogue: y of a part is complete after both products "
              "only: leave it empty");
    Options two = options_for(GetParam());
    two.num_rhs = 2;
    EXPECT_EQ(
        code_and_text([&] { const PartHandle handle(parts[0], options_for(GetParam()), two); }),
        "invalid_argument: options of a part's halo: device, num_rhs, vectors and op are "
        "those of the local product");
    const PartHandle handle(parts[0], options_for(GetParam()));
    double number = 0;
    EXPECT_EQ(code_and_text([&] { handle.fetch(1, &number, &number); }),
              "invalid_argument: receive 1 is outside the part's 1");
    EXPECT_EQ(code_and_text([&] { handle.fetch(0, &number, static_cast<double*>(nullptr)); }),
              "invalid_argument: a vector is null");
    Part wrong = parts[0];
    wrong.receives[0].count = static_cast<std::int64_t>(wrong.halo_elements.size()) + 1;
    const auto all = wrong.halo_elements.size();
    EXPECT_EQ(code_and_text([&] { const PartHandle made(wrong, options_for(GetParam())); }),
              "invalid_argument: receives[0] of part 0 has " + std::to_string(all + 1) +
                  " elements from 0 on, but the halo has " + std::to_string(all));
    const auto refusal_of = [&](auto change) {
        Part part = parts[0];
        change(part);
        return code_and_text([&] { const PartHandle handle(part, options_for(GetParam())); });
    };
    const std::string rows = std::to_string(parts[0].halo.rows);
    EXPECT_EQ(refusal_of([](Part& part) { part.halo_rows.clear(); }),
              "invalid_argument: halo_rows of part 0 has 0 rows, but the halo has " + rows);
    EXPECT_THAT(refusal_of([](Part& part) { part.local.values.clear(); }),
                testing::HasSubstr(" columns and 0 values"));
    EXPECT_THAT(refusal_of([](Part& part) { part.halo.row_ptr.clear(); }),
                testing::HasSubstr("halo of part 0 has " + rows + " rows, 0 row offsets, "));
    EXPECT_THAT(refusal_of([](Part& part) { part.send_elements[0] = 1 << 30; }),
                testing::StartsWith("invalid_argument: part 0 sends element 1073741824 of its x"));
}

TEST_P(PartsOf, ListedElementsAreMoved) {
    const std::vector<std::int32_t> some{4, 0, 3}, twice{2, 1, 2};
    const ListedElements list(ValueType::f64, some, options_for(GetParam()));
    EXPECT_EQ(list.size(), 3);
    const std::vector<double> x{10, 11, 12, 13, 14};
    std::vector<double> packed(3), y(5, 1);
    list.gather(x.data(), packed.data());
    EXPECT_EQ(packed, (std::vector<double>{14, 10, 13}));
    list.scatter(packed.data(), y.data());
    EXPECT_EQ(y, (std::vector<double>{10, 1, 1, 13, 14}));
    list.add(packed.data(), y.data());
    EXPECT_EQ(y, (std::vector<double>{20, 1, 1, 26, 28}));
    const ListedElements again(ValueType::f64, twice, options_for(GetParam()));
    again.gather(x.data(), packed.data());
    EXPECT_EQ(packed, (std::vector<double>{12, 11, 12}));
    const std::string refusal =
        "invalid_argument: the list names an element twice: what is scattered needs one place each";
    EXPECT_EQ(code_and_text([&] { again.scatter(packed.data(), y.data()); }), refusal);
    EXPECT_EQ(code_and_text([&] { again.add(packed.data(), y.data()); }), refusal);
    float narrow = 0;
    EXPECT_EQ(code_and_text([&] { list.gather(&narrow, &narrow); }),
              "invalid_argument: the list is of f64 elements, but the vectors are f32");
    EXPECT_EQ(code_and_text([&] { list.gather(static_cast<double*>(nullptr), packed.data()); }),
              "invalid_argument: a vector is null");
    const std::vector<std::int32_t> negative{0, -1};
    EXPECT_EQ(code_and_text([&] {
                  const ListedElements bad(ValueType::f64, negative, options_for(GetParam()));
              }),
              "invalid_argument: list[1] is -1: elements count from 0");
    const auto refusal_of = [&](ValueType type, int Options::* count, int number) {
        Options options = options_for(GetParam());
        options.*count = number;
        return code_and_text([&] { const ListedElements bad(type, some, options); });
    };
    EXPECT_EQ(refusal_of(ValueType::f16, &Options::num_rhs, 1),
              "invalid_argument: the list is of f16 elements, a storage type: use f32, f64, c32 or "
              "c64");
    EXPECT_EQ(refusal_of(ValueType::f64, &Options::num_rhs, 1'000'000'000),
              "invalid_argument: options.num_rhs is 1000000000: use 1…64");
    EXPECT_EQ(refusal_of(ValueType::f64, &Options::threads, -1),
              "invalid_argument: options.threads is -1: use 0 (what OpenMP would use) or 1…4096");
    ListedElements from(ValueType::f64, some, options_for(GetParam()));
    const ListedElements to(std::move(from));
    EXPECT_EQ(code_and_text([&] { from.gather(x.data(), packed.data()); }),
              "invalid_argument: this list was moved from: use the one that it was moved to");
    const ListedElements none(ValueType::f64, {}, options_for(GetParam()));
    none.gather(static_cast<double*>(nullptr), static_cast<double*>(nullptr));
}

// Two devices in one process: the second one gets the code of the first, and a product is launches
// and nothing else.
TEST(PartsOnTwoDevices, CompileOnceAndNeverWait) {
    const AnyMatrix<double> a;
    const auto parts = make_parts(a.view(), {{0, 30, 60}, {0, 30, 60}});
    Options options = options_for("simt:sm_90");
    options.kernel = "csr_classical";
    options.params = {{"block", 64}, {"subwarp", 2}, {"unroll", 1}};
    options.encodings = "none";
    Options halo = options;
    std::vector<std::shared_ptr<CountingDevice>> devices;
    std::vector<PartHandle> handles;
    std::int64_t compiled = 0;
    for (const Part& part : parts) {
        const KernelCounters before = kernel_counters();
        devices.push_back(std::make_shared<CountingDevice>("simt:sm_90"));
        handles.push_back(make_part_handle(part, options, halo, devices.back()));
        handles.back().prepare(Scale::one, Scale::zero);
        compiled = kernel_counters().compiles_started - before.compiles_started;
        EXPECT_EQ(handles.back().local().info().origin, part.number == 0 ? "compiled" : "memory");
    }
    EXPECT_EQ(compiled, 0) << "by the second device";
    const auto x = a.x();
    std::vector<double> y(60), sent(60), fetched(60);
    for (std::size_t p = 0; p < 2; ++p) {
        CountingDevice& device = *devices[p];
        device.waits = device.launches = device.allocations = 0;
        const double* own = x.data() + 30 * p;
        double* out = y.data() + 30 * p;
        handles[p].pack(own, sent.data());
        EXPECT_EQ(device.launches, 1);
        handles[p].fetch(0, x.data() + 30 * (1 - p), fetched.data());
        EXPECT_EQ(device.launches, 2);
        handles[p].multiply_local(1.0, own, 0.0, out);
        handles[p].multiply_halo(1.0, fetched.data(), out);
        EXPECT_EQ(device.launches,
                  2 + handles[p].local().info().launches + handles[p].halo()->info().launches);
        EXPECT_EQ(device.waits, 0);
        EXPECT_EQ(device.allocations, 0);
    }
    EXPECT_EQ(y, a.product(a.values));
}

// What brings the halo finds room beside the local product only if that waits for its turn.
TEST(PartsOnTwoDevices, LocalProductsBeginBehindTheLaunchAhead) {
    const AnyMatrix<double> a;
    const auto device = std::make_shared<CountingDevice>("simt:sm_90");
    Options options = options_for("simt:sm_90");
    options.kernel = "csr_classical";
    const auto x = a.x();
    std::vector<double> y(60);
    const auto overlapping = [&](const auto& multiply) {
        device->overlapping = 0;
        multiply();
        return device->overlapping;
    };
    const auto of_handle = [&] {
        const Handle handle = make_handle(a.view(), options, KernelProvider::process(), device);
        return overlapping([&] { handle.apply(1.0, x.data(), 0.0, y.data()); });
    };
    EXPECT_EQ(of_handle(), 1);
    const Part part = make_parts(a.view(), {{0, 30, 60}, {0, 30, 60}})[0];
    const PartHandle parted = make_part_handle(part, options, options, device);
    EXPECT_EQ(overlapping([&] { parted.multiply_local(1.0, x.data(), 0.0, y.data()); }), 0);
    EXPECT_EQ(overlapping([&] { parted.multiply_halo(1.0, x.data(), y.data()); }), 1);
    options.overlap_launches = false;
    EXPECT_EQ(of_handle(), 0);
    EXPECT_EQ(y, a.product(a.values));
}

TEST(PeerAccess, IsHadBetweenDevicesOfOneKind) {
    EXPECT_TRUE(enable_peer_access("simt:sm_90", "simt:sm_90"));
    EXPECT_TRUE(enable_peer_access("simt:sm_90", "simt:sm_80"));
    EXPECT_EQ(code_and_text([] { enable_peer_access("simt:sm_90", "cpu"); }),
              "invalid_argument: 'cpu' is no device: use host, cuda:N or hip:N, with N = 0, 1, …, "
              "or simt:ARCH, as in simt:gfx906");
    EXPECT_EQ(code_and_text([] { enable_peer_access("simt:sm_90", "host"); }),
              "invalid_argument: 'host' is no GPU: use cuda:N or hip:N, with N = 0, 1, …, or "
              "simt:ARCH, as in simt:gfx906");
}

}  // namespace
}  // namespace spmvgen
