// $SPMVGEN_CAPTURE: what of an application's matrices is written, and what never is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "any_matrix.hpp"
#include "devices/device.hpp"
#include "matrix/features/features.hpp"
#include "matrix/read/reader.hpp"
#include "matrix/suites/gallery.hpp"
#include "spmvgen/handle_pair.hpp"
#include "tuner/records/capture.hpp"

namespace spmvgen {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

std::string file_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class CaptureTest : public testing::Test {
  protected:
    CaptureTest() {
        std::string pattern = fs::temp_directory_path() / "spmvgen-capture-XXXXXX";
        directory_ = mkdtemp(pattern.data());
        capture_to(there());
    }
    ~CaptureTest() override {
        unsetenv("SPMVGEN_CAPTURE");
        unsetenv("SPMVGEN_CAPTURE_PATTERN");
        fs::remove_all(directory_);
    }

    std::string there() const { return directory_ / "captures"; }
    static void capture_to(const std::string& path) { setenv("SPMVGEN_CAPTURE", path.c_str(), 1); }
    static void want_patterns(const char* word = "1") {
        setenv("SPMVGEN_CAPTURE_PATTERN", word, 1);
    }
    std::vector<std::string> files() const {
        std::vector<std::string> names;
        if (fs::exists(there()))
            for (auto& entry : fs::directory_iterator(there()))
                names.push_back(entry.path().filename());
        std::ranges::sort(names);
        return names;
    }
    CapturedMatrix only() const {
        const CaptureList list = read_captures(there());
        EXPECT_THAT(list.warnings, testing::IsEmpty());
        EXPECT_EQ(list.captures.size(), 1u);
        return list.captures.at(0);
    }

    fs::path directory_;
};

Options plain(int threads = 1) {
    Options options = off_options();
    options.threads = threads;
    options.all_threads = true;
    return options;
}

TEST_F(CaptureTest, nothingUnlessAskedFor) {
    const CsrMatrix a = make_gallery_matrix("stencil5:nx=9,ny=9");
    unsetenv("SPMVGEN_CAPTURE");
    want_patterns();
    Handle(a.view(), plain());
    capture_to("");
    Handle(a.view(), plain());
    EXPECT_FALSE(fs::exists(there()));
    EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(CaptureTest, bothOfAPair) {
    const CsrMatrix a = make_gallery_matrix("powerlaw:n=300,max_row=100");
    const HandlePair pair = make_handle_pair(a.view(), plain());
    std::vector<std::string> ops;
    for (auto& captured : read_captures(there()).captures)
        ops.push_back(to_string(captured.capture.question.op));
    EXPECT_THAT(ops, testing::UnorderedElementsAre("N", "T"));
}

TEST_F(CaptureTest, featuresAndTheQuestion) {
    const CsrMatrix a = make_gallery_matrix("powerlaw:n=300,max_row=100");
    Options options = plain();
    options.num_rhs = 4;
    const Handle handle(a.view(), options);
    const CapturedMatrix captured = only();
    EXPECT_EQ(captured.capture.features, analyse(a.view()));
    EXPECT_EQ(captured.capture.question, (Question{.num_rhs = 4, .threads = 1}));
    EXPECT_EQ(captured.capture.kernel, "generic_csr");
    EXPECT_EQ(captured.capture.device.arch, handle.info().target);
    EXPECT_EQ(captured.pattern, "");
    ASSERT_EQ(files().size(), 1u);
    EXPECT_THAT(files()[0], testing::MatchesRegex("[0-9a-f]{16}-[0-9a-f]{8}.capture.json"));
}

TEST_F(CaptureTest, oneFileForAMatrixAndAQuestion) {
    CsrMatrix a = make_gallery_matrix("stencil5:nx=9,ny=9,random_values=1");
    const Handle first(a.view(), plain());
    const auto made = fs::last_write_time(there() + "/" + files().at(0));
    a.values.as<double>()[3] = 7;
    const Handle second(a.view(), plain());
    EXPECT_EQ(files().size(), 1u);
    EXPECT_EQ(fs::last_write_time(there() + "/" + files().at(0)), made);
    Options options = plain();
    options.op = "T";
    const Handle other_question(a.view(), options);
    const CsrMatrix narrow = convert_values(a.view(), ValueType::f32);
    const Handle other_type(narrow.view(), plain());
    EXPECT_EQ(files().size(), 3u);
    const CsrMatrix b = make_gallery_matrix("stencil5:nx=9,ny=10");
    const Handle other_matrix(b.view(), plain());
    EXPECT_EQ(files().size(), 4u);
}

TEST_F(CaptureTest, widthOfIndicesAndOrderOfEntriesMakeNoDifference) {
    const std::vector<std::int64_t> rows64{0, 2, 3}, cols64{0, 2, 1};
    const std::vector<std::int32_t> rows32{0, 2, 3}, cols32{0, 2, 1};
    const std::vector<double> values{1, 2, 3};
    const Handle wide(csr_view(2, 3, 3, rows64.data(), cols64.data(), values.data()), plain());
    const Handle narrow(csr_view(2, 3, 3, rows32.data(), cols32.data(), values.data()), plain());
    const std::vector<std::int32_t> row_idx{1, 0, 0}, col_idx{1, 2, 0};
    const Handle list(coo_view(2, 3, 3, row_idx.data(), col_idx.data(), values.data()), plain());
    const Handle vectors(2, 3, std::vector<int>{0, 2, 3}, std::vector<int>{0, 2, 1},
                         std::vector<double>{1, 2, 3}, plain());
    EXPECT_EQ(files().size(), 1u);
}

TEST_F(CaptureTest, patternOnlyWhenOptedInAndNeverAValue) {
    CsrMatrix a = make_gallery_matrix("circuit:n=400,dense_length=90");
    a.values.as<double>()[5] = 0.123456789;
    const Handle first(a.view(), plain());
    ASSERT_EQ(files().size(), 1u);
    const std::string text = file_bytes(there() + "/" + files()[0]);
    EXPECT_THAT(text, testing::Not(HasSubstr("0.1234")));
    EXPECT_THAT(text, testing::Not(HasSubstr(fs::current_path().string())));
    want_patterns();
    const Handle second(a.view(), plain());
    ASSERT_EQ(files().size(), 2u);
    EXPECT_THAT(files()[1], testing::MatchesRegex("[0-9a-f]{16}.csr"));
    const CsrMatrix file = read_matrix(there() + "/" + files()[1]);
    for (const float value : file.values.as<float>()) ASSERT_EQ(value, 1);
    EXPECT_EQ(fs::status(there() + "/" + files()[1]).permissions(),
              fs::perms::owner_read | fs::perms::owner_write);

    const CapturedMatrix captured = only();
    const CsrMatrix loaded = load_pattern(captured);
    EXPECT_EQ(loaded.value_type, ValueType::f64);
    EXPECT_EQ(pattern_digest(loaded.view()), pattern_digest(a.view()));
}

TEST_F(CaptureTest, aReorderedMatrixIsTheCallers) {
    const CsrMatrix a = make_gallery_matrix("road:nx=12,ny=9");
    Options options = options_for("host");
    options.reorder = "rcm";
    options.format = "csr";
    const Handle handle(a.view(), options);
    EXPECT_EQ(only().capture.pattern, pattern_digest(a.view()));
}

TEST_F(CaptureTest, arraysOfADevice) {
    want_patterns();
    const auto device = open_device("simt:sm_90");
    const AnyMatrix<double> a;
    const auto put = [&](const auto& from) {
        auto memory = device->allocate(from.size() * sizeof from[0]);
        device->copy_to_device(memory->data(), from.data(), memory->bytes());
        return memory;
    };
    const auto row_ptr = put(a.row_ptr), row_idx = put(a.row_idx), col_idx = put(a.col_idx),
               values = put(a.values);
    Options options = options_for("simt:sm_90");
    options.device_arrays = true;
    options.format = "csr";
    CsrView view = a.view();
    view.row_ptr = row_ptr->data(), view.col_idx = col_idx->data(), view.values = values->data();
    const Handle handle(view, options);
    const CapturedMatrix captured = only();
    EXPECT_EQ(captured.capture.pattern, pattern_digest(a.view()));
    EXPECT_EQ(captured.capture.question.threads, 0);
    EXPECT_EQ(captured.capture.device, (RecordDevice{"SIMT executor", "sm_90", simulated_vendor}));
    EXPECT_NE(captured.pattern, "");
    CooView list = a.entries();
    list.row_idx = row_idx->data(), list.col_idx = col_idx->data(), list.values = values->data();
    const Handle of_list(list, options);  // entries at the same place become one
    EXPECT_EQ(files().size(), 4u);
}

TEST_F(CaptureTest, duplicatedEntriesAndUnsortedRows) {
    want_patterns();
    const std::vector<int> row_ptr{0, 3, 4}, col_idx{2, 0, 2, 1};
    const std::vector<double> values{1, 2, 3, 4};
    const Handle handle(csr_view(2, 3, 4, row_ptr.data(), col_idx.data(), values.data()), plain());
    const CapturedMatrix captured = only();
    EXPECT_TRUE(captured.capture.features.duplicates);
    EXPECT_EQ(load_pattern(captured).nnz, 3);
}

TEST_F(CaptureTest, emptyMatrices) {
    want_patterns();
    const std::vector<int> none{0};
    const double* const nothing = nullptr;
    const Handle handle(csr_view(0, 3, 0, none.data(), none.data(), nothing), plain());
    EXPECT_EQ(load_pattern(only()).cols, 3);
}

/// What is written to standard error while `work` runs.
template <typename Work>
std::string said_by(Work&& work) {
    testing::internal::CaptureStderr();
    work();
    return testing::internal::GetCapturedStderr();
}

void multiply_two(const Options& options) {
    for (const char* size : {"stencil5:nx=5,ny=5", "stencil5:nx=6,ny=6"}) {
        const CsrMatrix a = make_gallery_matrix(size);
        const std::vector<double> x(static_cast<std::size_t>(a.cols), 1);
        std::vector<double> y(x.size(), 77);
        const Handle handle(a.view(), options);
        handle.apply(1.0, x.data(), 0.0, y.data());
        EXPECT_EQ(y[0], 2);  // the corner of a Laplacian: 4 - 1 - 1
    }
}

TEST_F(CaptureTest, directoryThatCannotBeMadeIsOneWarning) {
    std::ofstream(directory_ / "file") << "x";
    const std::string path = directory_ / "file" / "below";
    capture_to(path);
    EXPECT_EQ(said_by([] { multiply_two(plain()); }), "spmvgen: warning: SPMVGEN_CAPTURE=" + path +
                                                          ": a matrix is not captured: mkdir " +
                                                          path + ": Not a directory\n");
}

TEST_F(CaptureTest, fullDiskIsOneWarningAndLeavesNothing) {
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{600, before.rlim_max};  // room for the warning
    for (const char* pattern : {"0", "1"}) {
        want_patterns(pattern);
        const std::string path = there() + pattern;
        capture_to(path);
        testing::internal::CaptureStderr();
        ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
        multiply_two(plain());
        ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
        const std::string said = testing::internal::GetCapturedStderr();
        EXPECT_THAT(said, testing::StartsWith("spmvgen: warning: SPMVGEN_CAPTURE=" + path +
                                              ": a matrix is not captured: "));
        EXPECT_THAT(said, EndsWith("File too large\n"));
        EXPECT_EQ(std::ranges::count(said, '\n'), 1);
        EXPECT_TRUE(fs::is_empty(path));
    }
    std::signal(SIGXFSZ, handler);
}

TEST_F(CaptureTest, wrongWordIsAWarningAndNoPattern) {
    want_patterns("yes");
    EXPECT_EQ(said_by([] { multiply_two(plain()); }),
              "spmvgen: warning: SPMVGEN_CAPTURE_PATTERN=yes: use 0 or 1; patterns are not "
              "captured\n");
    EXPECT_EQ(files().size(), 2u);
}

void make_handles() {
    for (int n = 3; n < 11; ++n) {
        const CsrMatrix a = make_gallery_matrix("stencil5:nx=20,ny=" + std::to_string(n));
        const Handle handle(a.view(), plain());
    }
}

TEST_F(CaptureTest, threadsAndProcessesWriteTheSameFiles) {
    want_patterns();
    {
        std::vector<std::jthread> team;
        for (int t = 0; t < 4; ++t) team.emplace_back(make_handles);
        const std::string self = fs::read_symlink("/proc/self/exe");
        const std::string child = self +
                                  " --gtest_filter=CaptureChild.DISABLED_makesHandles "
                                  "--gtest_also_run_disabled_tests >/dev/null";
        EXPECT_EQ(
            std::system(
                ("(" + child + ") & a=$!; (" + child + ") & b=$!; wait $a && wait $b").c_str()),
            0);
    }
    EXPECT_EQ(files().size(), 16u);
    const CaptureList list = read_captures(there());
    EXPECT_THAT(list.warnings, testing::IsEmpty());
    ASSERT_EQ(list.captures.size(), 8u);
    for (auto& captured : list.captures)
        EXPECT_EQ(load_pattern(captured).nnz, captured.capture.features.nnz);
}

// Run by the test above, in processes of its own.
TEST(CaptureChild, DISABLED_makesHandles) {
    make_handles();
}

}  // namespace
}  // namespace spmvgen
