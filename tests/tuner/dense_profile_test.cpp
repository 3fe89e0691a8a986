// Dense profiles as files: there and back, and what is made of broken and foreign ones.
#include "tuner/profiles/dense_profile.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "spmvgen/error.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {
namespace {

DenseProfile dense_sample(const std::string& device = "NVIDIA H200", int threads = 0) {
    DenseProfile p;
    p.device = device;
    p.threads = threads;
    p.generator = "digest";
    p.version = "1.2.3";
    p.command = "spmvgen tune";
    p.note = "quiet";
    DenseClass c{ValueType::f32, 1000, 96, {}};
    for (std::size_t r = 0; r < c.gflops.size(); ++r)
        for (std::size_t col = 0; col < c.gflops.size(); ++col)
            c.gflops[r][col] = static_cast<double>(r * 8 + col) + 0.25;
    p.classes = {c, {ValueType::f64, 30, 20, c.gflops}, {ValueType::f64, 3000, 20, c.gflops}};
    return p;
}

TEST(DenseProfile, GoesThereAndBack) {
    EXPECT_EQ(parse_dense_profile(to_json(dense_sample())), dense_sample());
    EXPECT_EQ(profile_file_name(dense_sample()), "dense-nvidia-h200.json");
    EXPECT_EQ(profile_file_name(dense_sample("x86-64-v4:tune=znver4", 2)),
              "dense-x86-64-v4-tune-znver4-t2.json");
}

DenseClass flat(std::int64_t rows, std::int64_t cols, double gflops) {
    DenseClass c{ValueType::f64, rows, cols, {}};
    for (auto& row : c.gflops) row.fill(gflops);
    return c;
}

// Times of an element: 1 for 10^4 elements, 2 for 10^6; hence 1.5 for 10^5.
TEST(DenseProfile, InterpolatesBetweenSizes) {
    DenseProfile p;
    p.classes = {flat(100'000, 10, 0.5), flat(1000, 10, 1)};
    const auto rate = [&](double elements) {
        return DenseSpeeds(p, ValueType::f64).gflops(elements, elements / 10, 3, 2);
    };
    EXPECT_NEAR(rate(1e4), 1, 1e-12);
    EXPECT_NEAR(rate(1e5), 1 / 1.5, 1e-12);
    EXPECT_NEAR(rate(1e6), 0.5, 1e-12);
    EXPECT_NEAR(rate(0), 1, 1e-12);
    EXPECT_NEAR(rate(1e9), 0.5, 1e-12);
}

// Of 10^4 elements: 1 in rows of 10, 4 in rows of 1000; hence 2.5 in rows of 100.
TEST(DenseProfile, InterpolatesBetweenLengthsOfRows) {
    DenseProfile p;
    p.classes = {flat(1000, 10, 1), flat(10, 1000, 0.25)};
    const auto rate = [&](double rows) {
        return DenseSpeeds(p, ValueType::f64).gflops(1e4, rows, 8, 8);
    };
    EXPECT_NEAR(rate(1000), 1, 1e-12);
    EXPECT_NEAR(rate(100), 0.4, 1e-12);
    EXPECT_NEAR(rate(10), 0.25, 1e-12);
    EXPECT_NEAR(rate(1), 0.25, 1e-12);
    EXPECT_NEAR(rate(1e5), 1, 1e-12);
}

TEST(DenseProfile, TakesTheSizeOfItsBlockAndItsType) {
    const DenseProfile p = dense_sample();
    EXPECT_NEAR(DenseSpeeds(p, ValueType::f32).gflops(96000, 1000, 2, 3), 10.25, 1e-12);
    EXPECT_TRUE(p.has(ValueType::f32));
    EXPECT_FALSE(p.has(ValueType::c64));
}

std::string dense_refusal(const std::string& text) {
    try {
        parse_dense_profile(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_input);
        return error.what();
    }
    return "accepted";
}

/// The sample's text with the first `from` replaced.
std::string changed_dense(const std::string& from, const std::string& to) {
    std::string text = to_json(dense_sample());
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(DenseProfile, SaysWhatIsWrongWithAText) {
    EXPECT_EQ(dense_refusal(""), "it is not JSON");
    EXPECT_EQ(dense_refusal("{\"kind\": " + std::string(100000, '[')),
              "it nests too deeply for a file of tuning_db");
    EXPECT_EQ(dense_refusal("{\"kind\": "), "it is not JSON");
    EXPECT_EQ(dense_refusal("[]"), "it is no dense-profile");
    EXPECT_EQ(dense_refusal("{}"), "it is no dense-profile");
    EXPECT_EQ(dense_refusal(changed_dense("dense-profile", "csr-k-fit")), "it is no dense-profile");
    EXPECT_EQ(dense_refusal(changed_dense("\"schema\": 1", "\"schema\": 2")),
              "its schema is not 1; make it again with this version");
    EXPECT_EQ(dense_refusal(changed_dense("\"device\"", "\"gerät\"")),
              "field 'device' is missing or of another type");
    EXPECT_EQ(dense_refusal(changed_dense("\"rows\": 1000", "\"rows\": \"many\"")),
              "field 'rows' is missing or of another type");
    EXPECT_EQ(dense_refusal(changed_dense("\"rows\": 1000", "\"rows\": 0")),
              "fields 'rows' and 'cols' are no sizes of a matrix");
    EXPECT_EQ(dense_refusal(changed_dense("\"f32\"", "\"f31\"")),
              "field 'value': unknown value type 'f31': use one of f32, f64, c32, c64, f16, bf16");
    EXPECT_EQ(dense_refusal(changed_dense("0.25", "0")),
              "field 'gflops' has a number that is not positive");
    EXPECT_EQ(dense_refusal(changed_dense("0.25", "null")),
              "field 'gflops' is missing or of another type");
    EXPECT_EQ(dense_refusal(changed_dense("0.25, ", "")),
              "a row of 'gflops' does not have 8 numbers");
    EXPECT_EQ(dense_refusal(changed_dense("\"classes\": [", "\"classes\": 5, \"others\": [")),
              "field 'classes' is no list, or empty");
}

/// A cut anywhere is found out, and never more than that.
// Found by fuzzing: numbers that no integer can hold were converted, and a speed whose reciprocal
// is no number promised nothing.
TEST(DenseProfile, RefusesNumbersBeyondSense) {
    for (const char* number : {"1e300", "1000.5", "18446744073709551615", "true"})
        EXPECT_EQ(
            dense_refusal(changed_dense("\"rows\": 1000", std::string("\"rows\": ") + number)),
            "field 'rows' is missing or of another type");
    EXPECT_EQ(dense_refusal(changed_dense("\"threads\": 0", "\"threads\": -1")),
              "field 'threads' is missing or of another type");
    for (const char* number : {"1e-320", "1e300"})
        EXPECT_EQ(dense_refusal(changed_dense("0.25", number)),
                  "field 'gflops' has a number that is no speed");
}

TEST(DenseProfile, KeepsSpeedsThatAreSlow) {
    DenseProfile p = dense_sample();
    p.classes[0].gflops[0][0] = 1.25e-6;  // the SIMT executor's
    EXPECT_EQ(parse_dense_profile(to_json(p)), p);
}

TEST(DenseProfile, TakesNoPartOfAText) {
    const std::string text = to_json(dense_sample());
    for (std::size_t length = 0; length + 2 < text.size(); length += 7)
        EXPECT_EQ(dense_refusal(text.substr(0, length)), "it is not JSON") << length;
}

class ProfileFiles : public testing::Test {
  protected:
    ProfileFiles() {
        std::string pattern = std::filesystem::temp_directory_path() / "spmvgen-tuning-XXXXXX";
        folder_ = mkdtemp(pattern.data());
    }
    ~ProfileFiles() override { std::filesystem::remove_all(folder_); }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
    }
    std::vector<ReadDenseProfile> files() const {
        return read_dense_profiles(tuning_files_of(folder_, "dense-"));
    }
    std::filesystem::path folder_;
};

TEST_F(ProfileFiles, AreFoundByDeviceAndThreads) {
    write("dense-a.json", to_json(dense_sample("cpu", 1)));
    write("dense-b.json", to_json(dense_sample("cpu", 2)));
    write("dense-c.json", to_json(dense_sample("gpu")));
    EXPECT_EQ(find_dense_profile(files(), "cpu", 2).file, "dense-b.json");
    EXPECT_EQ(find_dense_profile(files(), "cpu", 8).file, "dense-a.json");
    EXPECT_EQ(find_dense_profile(files(), "gpu", 0).profile, dense_sample("gpu"));
    const FoundProfile none = find_dense_profile(files(), "other", 0);
    EXPECT_FALSE(none.profile);
    EXPECT_EQ(none.warning, "");
}

TEST_F(ProfileFiles, OfTheDirectoryComeBeforeThoseThatShip) {
    const TuningFile own{"own/dense-a.json", to_json(dense_sample("cpu", 1))};
    const TuningFile shipped{"share/dense-b.json", to_json(dense_sample("cpu", 2)),
                             TuningPlace::shipped};
    const auto both = read_dense_profiles(std::vector{own, shipped});
    const auto one = read_dense_profiles(std::vector{shipped});
    EXPECT_EQ(find_dense_profile(both, "cpu", 2).file, "dense-a.json");
    EXPECT_FALSE(find_dense_profile(both, "cpu", 2).shipped);
    EXPECT_EQ(find_dense_profile(one, "cpu", 2).file, "dense-b.json");
    EXPECT_TRUE(find_dense_profile(one, "cpu", 2).shipped);
    const auto broken = read_dense_profiles(std::vector<TuningFile>{
        {"own/dense-a.json", ""},
        {"own/dense-c.json.gz", "", TuningPlace::given, "the gzip data is truncated"},
        shipped});
    EXPECT_EQ(find_dense_profile(broken, "cpu", 2).file, "dense-b.json");
    EXPECT_EQ(find_dense_profile(broken, "cpu", 2).warning,
              "own/dense-a.json is passed over: it is empty; own/dense-c.json.gz is passed over: "
              "the gzip data is truncated");
}

// The one way in, for a file of each kind: with an environment that names a directory, and without.
TEST_F(ProfileFiles, OfEveryKindComeTheSameWay) {
    for (const std::string kind : {"csr-k-", "dense-", "device-", "records-"}) {
        const auto shipped = tuning_files(kind);
        ASSERT_FALSE(shipped.empty()) << kind;
        for (auto& file : shipped) EXPECT_TRUE(file.shipped()) << file.name;
        const std::string name = kind + "own.json";
        write(name, "text");
        setenv("SPMVGEN_TUNING_DB", folder_.c_str(), 1);
        const auto files = tuning_files(kind);
        unsetenv("SPMVGEN_TUNING_DB");
        ASSERT_EQ(files.size(), shipped.size() + 1);
        EXPECT_EQ(files[0].name, (folder_ / name).string());
        EXPECT_EQ(files[0].text, "text");
        EXPECT_FALSE(files[0].shipped());
        EXPECT_EQ(files[1].text, shipped[0].text);
    }
}

TEST_F(ProfileFiles, ThatShipAreWhole) {
    const auto all = read_dense_profiles(tuning_files("dense-"));
    for (auto& file : tuning_files("dense-")) {
        const DenseProfile profile = parse_dense_profile(file.text);
        EXPECT_EQ(profile_file_name(profile).substr(0, 6), "dense-");
        EXPECT_EQ(find_dense_profile(all, profile.device, profile.threads).profile, profile);
        EXPECT_EQ(find_dense_profile(profile.device, profile.threads).profile, profile);
    }
}

TEST_F(ProfileFiles, ThatAreBrokenArePassedOverWithAWarning) {
    write("dense-a.json", "nonsense");
    write("dense-b.json", to_json(dense_sample("cpu", 1)));
    write("csr-k-c.json", "of no concern");
    write("dense-d.txt", "of no concern");
    const FoundProfile found = find_dense_profile(files(), "cpu", 1);
    EXPECT_EQ(found.file, "dense-b.json");
    EXPECT_EQ(found.warning,
              (folder_ / "dense-a.json").string() + " is passed over: it is not JSON");
}

/// A handle: the size comes from the file that the environment names, and the reason says so.
TEST_F(ProfileFiles, DecideWhatAHandleDoes) {
    DenseProfile p = dense_sample(to_string(parse_target("native")), 1);
    for (auto& c : p.classes) {
        for (auto& row : c.gflops) row.fill(1);
        c.gflops[1][4] = 1000;
    }
    write("dense-a.json", to_json(p));
    setenv("SPMVGEN_TUNING_DB", folder_.c_str(), 1);
    const std::vector<int> row_ptr{0, 2, 4}, col_idx{0, 1, 0, 1};
    const std::vector<double> values{1, 2, 3, 4}, x{10, 100};
    Options options;
    options.format = "bcsr";
    options.threads = 1;
    options.cache = CacheMode::memory;
    options.strict = true;
    const Handle handle(2, 2, row_ptr.data(), col_idx.data(), values.data(), options);
    unsetenv("SPMVGEN_TUNING_DB");
    EXPECT_EQ(handle.info().format, "bcsr");
    EXPECT_EQ(handle.info().stored, 10);
    EXPECT_EQ(handle.info().reason,
              "the one kernel of format bcsr; blocks 2x5: fill 2.50 (exact), 400.00 GFLOP/s "
              "expected against 1.00 in 1x1, from dense-a.json (made with other kernels)");
    std::vector<double> y(2);
    handle.apply(1.0, x.data(), 0.0, y.data());
    EXPECT_EQ(y, (std::vector<double>{210, 430}));
}

TEST_F(ProfileFiles, ThatAreBrokenAreLoggedOnce) {
    write("dense-a.json", "nonsense");
    setenv("SPMVGEN_TUNING_DB", folder_.c_str(), 1);
    const std::vector<int> row_ptr{0, 1}, col_idx{0};
    const std::vector<double> values{1};
    Options options;
    options.format = "bcsr";
    options.cache = CacheMode::memory;
    ::testing::internal::CaptureStderr();
    for (int i = 0; i < 2; ++i) {
        const Handle handle(1, 1, row_ptr.data(), col_idx.data(), values.data(), options);
        EXPECT_EQ(handle.info().format, "bcsr");
    }
    const std::string log = ::testing::internal::GetCapturedStderr();
    unsetenv("SPMVGEN_TUNING_DB");
    const std::string warning = "dense-a.json is passed over: it is not JSON";
    EXPECT_NE(log.find(warning), std::string::npos) << log;
    EXPECT_EQ(log.find(warning), log.rfind(warning)) << log;
}

}  // namespace
}  // namespace spmvgen
