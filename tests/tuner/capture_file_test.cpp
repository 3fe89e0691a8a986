// The files of captures: what is read back, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "matrix/read/reader.hpp"
#include "matrix/suites/gallery.hpp"
#include "spmvgen/error.hpp"
#include "tuner/records/capture.hpp"

namespace spmvgen {
namespace {

namespace fs = std::filesystem;

Capture capture_of(const CsrMatrix& a) {
    return {.pattern = pattern_digest(a.view()),
            .features = analyse(a.view()),
            .question = {.storage = ValueType::f32, .num_rhs = 2, .op = Op::transpose},
            .device = {"NVIDIA H200", "sm_90", "nvidia"},
            .kernel = "csr_scalar_gpu"};
}

std::string error_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const Error& error) {
        return std::string(to_string(error.code())) + ": " + error.what();
    }
    return "no error";
}

class CaptureFiles : public testing::Test {
  protected:
    CaptureFiles() {
        std::string pattern = fs::temp_directory_path() / "spmvgen-captures-XXXXXX";
        directory_ = mkdtemp(pattern.data());
    }
    ~CaptureFiles() override { fs::remove_all(directory_); }

    void put(const std::string& name, const std::string& text) const {
        std::ofstream(directory_ / name) << text;
    }
    std::string path(const std::string& name = "") const {
        return name.empty() ? directory_ : directory_ / name;
    }

    fs::path directory_;
    const CsrMatrix matrix_ = make_gallery_matrix("stencil5:nx=7,ny=6");
};

TEST_F(CaptureFiles, textReadsBack) {
    const Capture capture = capture_of(matrix_);
    EXPECT_EQ(parse_capture(to_json(capture)), capture);
}

TEST_F(CaptureFiles, digestIsOfThePlacesOnly) {
    const std::string digest = pattern_digest(matrix_.view());
    EXPECT_EQ(digest.size(), 64u);
    const CsrMatrix other_values = make_gallery_matrix("stencil5:nx=7,ny=6,random_values=1");
    EXPECT_EQ(pattern_digest(other_values.view()), digest);
    EXPECT_NE(pattern_digest(make_gallery_matrix("stencil5:nx=6,ny=7").view()), digest);
    CsrView wider = matrix_.view();
    wider.cols += 1;
    EXPECT_NE(pattern_digest(wider), digest);
    // More than one part of what is digested.
    const CsrMatrix large = make_gallery_matrix("diagonal:n=600000");
    const std::string of_large = pattern_digest(large.view());
    omp_set_num_threads(1);
    EXPECT_EQ(pattern_digest(large.view()), of_large);
}

TEST_F(CaptureFiles, refusals) {
    const auto json = nlohmann::ordered_json::parse(to_json(capture_of(matrix_)));
    const auto changed = [&](const char* field, const nlohmann::ordered_json& value) {
        auto copy = json;
        if (value.is_discarded())
            copy.erase(field);
        else
            copy[field] = value;
        const std::string text = copy.dump();
        return error_of([&] { parse_capture(text); });
    };
    const nlohmann::ordered_json gone(nlohmann::ordered_json::value_t::discarded);
    EXPECT_EQ(error_of([] { parse_capture("{"); }), "invalid_input: it is not JSON");
    EXPECT_EQ(error_of([] { parse_capture("[]"); }), "invalid_input: it is no capture");
    EXPECT_EQ(changed("kind", "tuning-records"), "invalid_input: it is no capture");
    EXPECT_EQ(changed("schema", 2),
              "invalid_input: its schema is not 1: capture again with this version");
    EXPECT_EQ(changed("schema", gone),
              "invalid_input: its schema is not 1: capture again with this version");
    EXPECT_EQ(changed("pattern", "../../etc/passwd"),
              "invalid_input: field 'pattern' is no digest");
    EXPECT_EQ(changed("pattern", gone), "invalid_input: field 'pattern' is missing or no text");
    EXPECT_EQ(changed("kernel", 3), "invalid_input: field 'kernel' is missing or no text");
    EXPECT_EQ(changed("question", 3), "invalid_input: field 'question' is missing or no object");
    EXPECT_EQ(changed("features", nlohmann::ordered_json::object()),
              "invalid_input: field 'features.rows' is missing");
    EXPECT_EQ(changed("unknown", 3), "no error");
}

TEST_F(CaptureFiles, directoryIsRead) {
    const Capture capture = capture_of(matrix_);
    keep_capture(path(), capture, matrix_.view(), true);
    Capture other = capture_of(make_gallery_matrix("stencil5:nx=6,ny=7"));
    keep_capture(path("below") + "/deep", other, matrix_.view(), false);
    fs::rename(
        path("below/deep/") + capture_file_name(other.pattern, ValueType::f64, other.question),
        path("z.capture.json"));
    put("broken.capture.json", "{");
    put("notes.json", "{");
    put("large.capture.json", std::string((1 << 20) + 1, ' '));
    fs::create_symlink(path("broken.capture.json"), path("link.capture.json"));
    const CaptureList list = read_captures(path());
    ASSERT_EQ(list.captures.size(), 2u);
    EXPECT_EQ(list.captures[0].capture, capture);
    EXPECT_EQ(load_pattern(list.captures[0]).nnz, matrix_.nnz);
    EXPECT_EQ(list.captures[1].capture, other);
    EXPECT_EQ(list.captures[1].pattern, "");
    EXPECT_THAT(list.warnings,
                testing::ElementsAre(
                    "capture " + path("broken.capture.json") + " is left out: it is not JSON",
                    "capture " + path("large.capture.json") +
                        " is left out: it has 1048577 bytes, a capture has no more than 1048576",
                    "capture " + path("link.capture.json") + " is left out: " +
                        path("link.capture.json") + ": Too many levels of symbolic links"));
    EXPECT_EQ(read_captures(path("z.capture.json")).captures.at(0).capture, other);
    EXPECT_EQ(read_captures(path("broken.capture.json")).warnings.size(), 1u);
}

TEST_F(CaptureFiles, nothingToRead) {
    EXPECT_EQ(error_of([&] { read_captures(path()); }),
              "invalid_input: " + path() + " holds no capture: no file *.capture.json");
    EXPECT_EQ(error_of([&] { read_captures(path("none")); }),
              "io: " + path("none") + ": No such file or directory");
}

TEST_F(CaptureFiles, patternsThatCannotBeLoaded) {
    const Capture capture = capture_of(matrix_);
    keep_capture(path(), capture, matrix_.view(), false);
    CapturedMatrix captured = read_captures(path()).captures.at(0);
    EXPECT_EQ(error_of([&] { load_pattern(captured); }),
              "invalid_input: " + captured.file +
                  ": there is no pattern beside it; capture with SPMVGEN_CAPTURE_PATTERN=1");
    const CsrMatrix other = make_gallery_matrix("stencil5:nx=6,ny=7");
    const std::string file = path(pattern_file_name(capture.pattern));
    write_csr_binary(file, other.view());
    captured = read_captures(path()).captures.at(0);
    EXPECT_EQ(error_of([&] { load_pattern(captured); }),
              "invalid_input: " + file + ": it is not the pattern of " + captured.file);
    std::ofstream(file) << "rubbish";
    EXPECT_THAT(error_of([&] { load_pattern(captured); }),
                testing::StartsWith("invalid_input: " + file));
}

}  // namespace
}  // namespace spmvgen
