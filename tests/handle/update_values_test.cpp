// New numbers for the same pattern: with the generator's kernels, on this CPU and on the SIMT
// executor, whose memory is this machine's.
#include <gtest/gtest.h>

#include <cctype>

#include "any_matrix.hpp"
#include "devices/device.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

using Complex = std::complex<double>;

/// A handle of `a` multiplies with numbers after numbers.
template <typename Value, typename View>
void check_updates(const AnyMatrix<Value>& a, const View& view, const Options& options) {
    Handle handle(view, options);
    SCOPED_TRACE(testing::Message() << handle.info().kernel << ", op " << options.op << ", reorder "
                                    << options.reorder << ", copy " << options.copy);
    EXPECT_EQ(product_of(handle, a), a.product(a.values, options.op));
    std::vector<std::vector<Value>> given;  // borrowed ones must stay
    for (int salt = 1; salt <= 2; ++salt) {
        given.push_back(a.numbers(salt));
        handle.update_values(given.back().data());
        if (options.copy || options.device != "host") {
            const auto expected = a.product(given.back(), options.op);
            std::ranges::fill(given.back(), Value(1000));  // it was copied
            EXPECT_EQ(product_of(handle, a), expected);
        } else {
            EXPECT_EQ(product_of(handle, a), a.product(given.back(), options.op));
        }
    }
}

struct KernelOnDevice {
    std::string kernel, device;
};
void PrintTo(const KernelOnDevice& c, std::ostream* out) {
    *out << c.kernel << " on " << c.device;
}
std::vector<KernelOnDevice> kernels_on_devices() {
    std::vector<KernelOnDevice> cases;
    for (auto& entry : kernel_registry()) {
        if (!is_plain_product(entry)) continue;
        const std::vector<std::string> devices =
            entry.gpu ? std::vector<std::string>{"simt:sm_90", "simt:gfx906"}
                      : std::vector<std::string>{"host"};
        for (auto& device : devices) cases.push_back({std::string(entry.id), device});
    }
    return cases;
}
std::string word(std::string text) {
    for (char& c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return text;
}

class EveryKernel : public testing::TestWithParam<KernelOnDevice> {};
INSTANTIATE_TEST_SUITE_P(, EveryKernel, testing::ValuesIn(kernels_on_devices()), [](auto& test) {
    return word(test.param.kernel + "_on_" + test.param.device);
});

TEST_P(EveryKernel, TakesNewNumbers) {
    Options options = options_for(GetParam().device);
    options.kernel = GetParam().kernel;
    const AnyMatrix<double> a;
    check_updates(a, a.view(), options);
    options.copy = false;
    check_updates(a, a.view(), options);
}

const std::vector<std::pair<std::string, std::vector<std::string>>>& formats() {
    static const std::vector<std::pair<std::string, std::vector<std::string>>> all{
        {"host", {"csr", "coo", "ell", "sell", "csr-k", "bcsr"}},
        {"simt:gfx906", {"csr", "coo", "ell", "sell", "hyb", "csr-k", "bcsr"}}};
    return all;
}

class EveryFormat : public testing::TestWithParam<std::pair<std::string, std::string>> {};
std::vector<std::pair<std::string, std::string>> device_and_format() {
    std::vector<std::pair<std::string, std::string>> all;
    for (auto& [device, names] : formats())
        for (auto& name : names) all.emplace_back(device, name);
    return all;
}
INSTANTIATE_TEST_SUITE_P(, EveryFormat, testing::ValuesIn(device_and_format()), [](auto& test) {
    return word(test.param.second + "_on_" + test.param.first);
});

TEST_P(EveryFormat, TakesNewNumbersTransposedReorderedAndOfEntriesInAnyOrder) {
    Options options = options_for(GetParam().first);
    options.format = GetParam().second;
    AnyMatrix<double> a;
    for (const bool shuffled : {false, true}) {
        if (shuffled) a.shuffle(7);
        for (const char* op : {"N", "T"}) {
            options.op = op;
            for (const char* reorder : {"none", "rcm"}) {
                options.reorder = reorder;
                if (!shuffled) check_updates(a, a.view(), options);
                check_updates(a, a.entries(), options);
            }
        }
    }
}

TEST_P(EveryFormat, ComplexNumbersAreConjugatedAnew) {
    Options options = options_for(GetParam().first);
    options.format = GetParam().second;
    options.op = "H";
    AnyMatrix<Complex> a;
    check_updates(a, a.view(), options);
    a.shuffle(3);
    check_updates(a, a.entries(), options);
}

TEST_P(EveryFormat, KernelsOfOtherModesTakeThemToo) {
    Options options = options_for(GetParam().first);
    options.format = GetParam().second;
    const AnyMatrix<double> a;
    for (const bool copy : {true, false}) {
        options.copy = copy;
        Handle handle(a.view(), options);
        EXPECT_EQ(product_of(handle, a, -2.0), a.product(a.values, "N", -2.0));
        const auto fresh = a.numbers(4);
        handle.update_values(fresh.data());
        EXPECT_EQ(product_of(handle, a, -2.0), a.product(fresh, "N", -2.0));
    }
}

// The first update finds out where numbers go; later ones go there directly.
TEST_P(EveryFormat, TakesNumbersAgainAndAgain) {
    Options options = options_for(GetParam().first);
    options.format = GetParam().second;
    const AnyMatrix<double> a;
    for (const std::int64_t limit : {std::int64_t{0}, std::int64_t{1} << 40}) {
        options.memory_limit = limit;
        Handle handle(a.view(), options);
        std::int64_t kept = 0;
        for (int round = 1; round <= 3; ++round) {
            const auto fresh = a.numbers(round);
            handle.update_values(fresh.data());
            EXPECT_EQ(product_of(handle, a, -2.0), a.product(fresh, "N", -2.0)) << round;
            if (round == 1) kept = handle.info().update_bytes;
            EXPECT_EQ(handle.info().update_bytes, kept);
        }
        const bool in_order =
            options.format == "csr" || options.format == "coo" || options.format == "csr-k";
        const std::int64_t before = Handle(a.view(), options).info().update_bytes;
        if (in_order || limit != 0)
            EXPECT_EQ(kept, before);
        else
            EXPECT_GE(kept, before + 4 * static_cast<std::int64_t>(a.values.size()));
    }
}

// What is kept beside the stored matrix: row lengths for formats that pad, columns too for blocks,
// and with an order of entries where each one came from.
TEST_P(EveryFormat, InfoTellsWhatIsKept) {
    Options options = options_for(GetParam().first);
    options.format = GetParam().second;
    AnyMatrix<double> a;
    const auto nnz = static_cast<std::int64_t>(a.values.size());
    const std::int64_t lengths = 4 * (a.n + 1);
    const std::string& format = GetParam().second;
    const std::int64_t pattern = format == "csr" || format == "coo" || format == "csr-k" ? 0
                                 : format == "bcsr" ? lengths + 4 * nnz
                                                    : lengths;
    EXPECT_EQ(Handle(a.view(), options).info().update_bytes, pattern);
    options.op = "T";
    EXPECT_EQ(Handle(a.view(), options).info().update_bytes, pattern + 4 * nnz);
    options.updatable = false;
    Handle fixed(a.view(), options);
    EXPECT_EQ(fixed.info().update_bytes, 0);
    EXPECT_EQ(code_and_text([&] { fixed.update_values(a.values.data()); }),
              "invalid_argument: update_values: the handle was made with options.updatable = false "
              "and has kept nothing for this: leave it true, or make another handle");
    EXPECT_EQ(product_of(fixed, a), a.product(a.values, "T"));
}

TEST(UpdateValues, SayWhatIsKept) {
    Options options = options_for("host");
    options.format = "ell";
    const AnyMatrix<double> a;
    EXPECT_NE(
        to_string(Handle(a.view(), options).info()).find("\nupdates:  244 B kept for new values\n"),
        std::string::npos);
}

TEST(UpdateValues, TheGenericKernelTakesThem) {
    for (const bool copy : {true, false})
        for (const char* op : {"N", "T"}) {
            Options options;
            options.cache = CacheMode::off;
            options.threads = 2;
            options.all_threads = true;
            options.copy = copy;
            options.op = op;
            const AnyMatrix<double> a;
            check_updates(a, a.view(), options);
            check_updates(a, a.entries(), options);
        }
}

TEST(UpdateValues, AtomicTransposesTakeThem) {
    for (const char* device : {"host", "simt:sm_90"}) {
        Options options = options_for(device);
        options.op = "T";
        options.transpose_by_atomics = true;
        const AnyMatrix<double> a;
        check_updates(a, a.view(), options);
        options.copy = false;
        check_updates(a, a.view(), options);
    }
}

TEST(UpdateValues, ABorrowedArrayIsReplacedByTheNewOne) {
    Options options = options_for("host");
    options.format = "csr";
    options.copy = false;
    AnyMatrix<double> a;
    Handle handle(a.view(), options);
    auto fresh = a.numbers(1);
    handle.update_values(fresh.data());
    a.values.assign(a.values.size(), 0);  // no longer read
    EXPECT_EQ(product_of(handle, a), a.product(fresh));
    std::ranges::copy(a.numbers(2), fresh.begin());  // read as it is
    EXPECT_EQ(product_of(handle, a), a.product(fresh));
}

TEST(UpdateValues, WrongArgumentsAreRefusedAndTheOldNumbersStay) {
    Options options = options_for("host");
    options.format = "sell";
    const AnyMatrix<double> a;
    Handle handle(a.view(), options);
    const std::vector<float> singles(a.values.size());
    EXPECT_EQ(code_and_text([&] { handle.update_values(singles.data()); }),
              "invalid_argument: update_values: the matrix is f64, but the new values are f32; use "
              "f64");
    EXPECT_EQ(code_and_text([&] { handle.update_values<double>(nullptr); }),
              "invalid_argument: update_values: values is null, but the matrix has " +
                  std::to_string(a.values.size()) + " entries");
    int stream = 0;
    EXPECT_EQ(code_and_text([&] { handle.update_values(a.values.data(), Stream{&stream}); }),
              "invalid_argument: update_values: a stream is for GPUs only, but the handle's device "
              "is host");
    EXPECT_EQ(product_of(handle, a), a.product(a.values));
}

TEST(UpdateValues, OfAMatrixWithoutEntriesThereAreNone) {
    const std::vector<int> row_ptr(4, 0);
    for (const char* device : {"host", "simt:sm_90"}) {
        Handle handle(csr_view<double, int, int>(3, 2, row_ptr.data(), nullptr, nullptr),
                      options_for(device));
        handle.update_values<double>(nullptr);
        Handle no_list(coo_view<double, int>(3, 2, 0, nullptr, nullptr, nullptr),
                       options_for(device));
        no_list.update_values<double>(nullptr);
        std::vector<double> y{1, 2, 3};
        no_list.apply<double>(1.0, nullptr, 2.0, y.data());
        EXPECT_EQ(y, (std::vector<double>{2, 4, 6}));
    }
}

// Storage types are the specialisation that rests on the numbers: what does not fit is refused.
TEST(UpdateValues, NumbersThatDoNotFitTheStorageAreRefusedAndTheOldOnesStay) {
    for (const char* format : {"csr", "coo", "ell", "sell", "hyb", "bcsr"}) {
        for (const char* op : {"N", "T"}) {
            SCOPED_TRACE(testing::Message() << format << ", op " << op);
            Options options = options_for("simt:gfx906");
            options.format = format;
            options.op = op;
            options.storage = "f16";
            const AnyMatrix<double> a;
            check_updates(a, a.view(), options);
            Handle handle(a.view(), options);
            auto fresh = a.numbers(1);
            fresh[17] = -65520;
            EXPECT_EQ(code_and_text([&] { handle.update_values(fresh.data()); }),
                      "invalid_argument: update_values: entry 17 is -65520, too large for storage "
                      "type f16: use a wider one; the old numbers stay");
            EXPECT_EQ(product_of(handle, a), a.product(a.values, op));
        }
    }
}

TEST(UpdateValues, SumsOfEntriesMustFitTheStorageToo) {
    const std::vector<int> rows{1, 0, 1}, cols{0, 0, 0};
    const std::vector<float> values{1, 2, 3}, x{1};
    Options options = options_for("simt:sm_90");
    options.storage = "f16";
    Handle handle(coo_view(2, 1, 3, rows.data(), cols.data(), values.data()), options);
    const std::vector<float> large{60000, 2, 6000};
    EXPECT_EQ(code_and_text([&] { handle.update_values(large.data()); }),
              "invalid_argument: update_values: the entries at the place of entry 0 add up to "
              "66000, too large for storage type f16: use a wider one; the old numbers stay");
    std::vector<float> y(2);
    handle.apply(1.0F, x.data(), 0.0F, y.data());
    EXPECT_EQ(y, (std::vector<float>{2, 4}));
}

}  // namespace
}  // namespace spmvgen
