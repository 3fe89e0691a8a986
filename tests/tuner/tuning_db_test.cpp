#include "tuner/records/tuning_db.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "../store/samples.hpp"  // TemporaryDirectory
#include "record_samples.hpp"
#include "spmvgen/error.hpp"
#include "tuner/records/matrix_print.hpp"
#include "tuner/records/record_json.hpp"

namespace spmvgen {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TuningDb db_of(std::vector<TuningRecord> records) {
    std::vector<SourcedRecord> sourced;
    for (auto& record : records) sourced.push_back({std::move(record), "records-test.json"});
    return TuningDb(std::move(sourced));
}

const RecordDevice h200{"NVIDIA H200", "sm_90", "nvidia"};
const RecordDevice v100{"Tesla V100", "sm_70", "nvidia"};
const RecordDevice mi250{"AMD Instinct MI250X", "gfx90a:sramecc+:xnack-", "amd"};

TuningRecord on(const RecordDevice& device, std::string matrix = "m", std::int64_t rows = 1000) {
    TuningRecord r = gpu_record(std::move(matrix), rows);
    r.device = device;
    return r;
}

std::vector<std::string> names(const std::vector<FoundRecord>& found) {
    std::vector<std::string> texts;
    for (auto& f : found) texts.push_back(f.source->record.matrix);
    return texts;
}

/// Of a matrix with these row lengths on an H200.
std::vector<FoundRecord> asked(const TuningDb& db, const RowFeatures& features) {
    return db.look_up(features, gpu_record().question, h200);
}

// ---- which record

TEST(TuningDb, TheSameDeviceThenItsArchitectureThenItsVendor) {
    const RecordDevice h100{"NVIDIA H100 PCIe", "sm_90", "nvidia"};
    const TuningDb db = db_of({on(v100, "vendor"), on(mi250, "another's"), on(h100, "architecture"),
                               on(h200, "device", 1001)});
    const auto found = asked(db, sample_features());
    EXPECT_THAT(names(found), ElementsAre("device", "architecture", "vendor"));
    EXPECT_EQ(to_string(found[0]),
              "recorded on NVIDIA H200, this device, for a matrix like it, at distance 0.00 "
              "(device; exhaustive, 2026-11-21)");
    EXPECT_EQ(to_string(found[1]),
              "recorded on NVIDIA H100 PCIe, the same architecture (sm_90), for a matrix of the "
              "same row lengths (architecture; exhaustive, 2026-11-21)");
    EXPECT_EQ(to_string(found[2]),
              "recorded on Tesla V100, the same vendor (nvidia), for a matrix of the same row "
              "lengths (vendor; exhaustive, 2026-11-21)");
}

TEST(TuningDb, SettingsOfAGpuAreNoOtherArchitecture) {
    const TuningDb db = db_of({on(mi250)});
    const auto found = db.look_up(sample_features(), gpu_record().question,
                                  {"AMD Instinct MI210", "gfx90a", "amd"});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].device, DeviceMatch::architecture);
}

TEST(TuningDb, ACpuIsToldByItsModel) {
    TuningRecord r = sample_record();
    r.device = {"x86-64-v4:tune=sapphirerapids", "x86-64-v4:tune=sapphirerapids", "x86-64"};
    const TuningDb db = db_of({r});
    const auto device_of = [&](const char* target) {
        const auto found =
            db.look_up(sample_features(), r.question, record_device(parse_target(target), ""));
        return found.empty() ? -1 : static_cast<int>(found[0].device);
    };
    EXPECT_EQ(device_of("x86-64-v4:tune=sapphirerapids"), static_cast<int>(DeviceMatch::same));
    EXPECT_EQ(device_of("x86-64-v4:tune=znver4"), static_cast<int>(DeviceMatch::architecture));
    EXPECT_EQ(device_of("x86-64-v3"), static_cast<int>(DeviceMatch::vendor));
    EXPECT_EQ(device_of("aarch64"), -1);
}

TEST(TuningDb, TimesOfTheExecutorAnswerForNothingElse) {
    const RecordDevice simulated = record_device(parse_target("sm_90"), "SIMT executor");
    EXPECT_THAT(asked(db_of({on(simulated)}), sample_features()), IsEmpty());
    const TuningDb db = db_of({on(h200), on(simulated, "simulated")});
    EXPECT_THAT(names(db.look_up(sample_features(), gpu_record().question, simulated)),
                ElementsAre("simulated", "m"));
}

TEST(TuningDb, AnotherQuestionIsNoAnswer) {
    const TuningDb db = db_of({on(h200)});
    const Question question = on(h200).question;
    EXPECT_EQ(db.look_up(sample_features(), question, h200).size(), 1u);
    const auto none = [&](auto&& change) {
        Question other = question;
        change(other);
        return db.look_up(sample_features(), other, h200).empty();
    };
    EXPECT_TRUE(none([](Question& q) { q.value = ValueType::f32; }));
    EXPECT_TRUE(none([](Question& q) { q.storage = ValueType::f32; }));
    EXPECT_TRUE(none([](Question& q) { q.accumulator = ValueType::f64; }));
    EXPECT_TRUE(none([](Question& q) { q.num_rhs = 2; }));
    EXPECT_TRUE(none([](Question& q) { q.op = Op::transpose; }));
    EXPECT_TRUE(none([](Question& q) { q.deterministic = true; }));
    EXPECT_TRUE(none([](Question& q) { q.threads = 2; }));
}

TEST(TuningDb, TheMatrixThenTheNearestThenNone) {
    const TuningDb db = db_of({on(h200, "nearer", 1100), on(h200, "far", 1300),
                               on(h200, "it", 1000), on(h200, "near", 1150)});
    const auto found = asked(db, sample_features());
    EXPECT_THAT(names(found), ElementsAre("it", "nearer", "near"));
    EXPECT_EQ(found[0].matrix, MatrixMatch::same_rows);
    EXPECT_EQ(found[1].matrix, MatrixMatch::alike);
    EXPECT_NEAR(found[1].distance, std::log(1.1), 1e-3);
    EXPECT_THAT(asked(db, sample_features(5000)), IsEmpty());
}

TEST(TuningDb, ColumnsTellMatricesApartWhenTheyAreKnown) {
    TuningRecord banded = on(h200, "banded"), scattered = on(h200, "scattered");
    scattered.features.bandwidth = 990;
    scattered.features.mean_distance = 300;
    scattered.features.warp_sectors.fill(0.5);
    const TuningDb db = db_of({banded, scattered});
    EXPECT_EQ(asked(db, banded.features).size(), 2u) << "by row lengths alone";
    const auto found = db.look_up(scattered.features, scattered.question, h200);
    EXPECT_THAT(names(found), ElementsAre("scattered"));
    EXPECT_EQ(to_string(found[0]),
              "recorded on NVIDIA H200, this device, for this matrix (scattered; exhaustive, "
              "2026-11-21)");
}

TEST(TuningDb, ValuesAreNoPartOfAMatrix) {
    Features other = sample_features();
    other.value_type = ValueType::f32;
    other.all_equal = other.exact_int8 = true;
    EXPECT_EQ(matrix_print(other), matrix_print(sample_features()));
    EXPECT_EQ(distance(other, sample_features()), 0);
}

TEST(Distance, IsTheLargestDifference) {
    const Features a = sample_features();
    Features b = a;
    b.nnz = 3300;
    EXPECT_NEAR(distance(a, b), std::log(1.1), 1e-3);
    b.sell_padding[1] = 1.25;
    EXPECT_NEAR(distance(a, b), std::log(1.25), 1e-12);
    b.row_histogram[2] = 600;
    b.row_histogram[3] = 400;
    EXPECT_NEAR(distance(a, b), 0.4, 1e-12) << "a part of the rows is longer";
    b.variance_row = 9;
    EXPECT_NEAR(distance(a, b), 1, 1e-12) << "standard deviation over the mean";
    EXPECT_EQ(distance(b, a), distance(a, b));
    EXPECT_EQ(distance(Features{}, Features{}), 0) << "no rows";
}

TEST(TuningDb, OfTheSameMatrixTheBetterMeasuredCounts) {
    TuningRecord older = on(h200, "older"), newer = on(h200, "newer");
    newer.date = "2026-12-01";
    EXPECT_THAT(names(asked(db_of({older, newer}), sample_features())), ElementsAre("newer"));
    older.method = "exhaustive";
    newer.method = "measure, budget 1000 ms";
    EXPECT_THAT(names(asked(db_of({older, newer}), sample_features())), ElementsAre("older"));
    older.generator = "of another version";
    EXPECT_THAT(names(asked(db_of({older, newer}), sample_features())), ElementsAre("newer"));
    EXPECT_TRUE(is_better(newer, older));
    EXPECT_FALSE(is_better(older, newer));
    EXPECT_FALSE(is_better(newer, newer));
}

TEST(TuningDb, SaysWhyNothingIsChosen) {
    const Question question = gpu_record().question;
    const auto why = [&](const TuningDb& db, std::span<const FoundRecord> found = {}) {
        return why_not_recorded(db, found, question, h200);
    };
    EXPECT_EQ(why(db_of({})), "nothing is recorded");
    EXPECT_EQ(why(db_of({on(mi250), sample_record()})),
              "none of 2 records is of f64, 1 right-hand side, op N on NVIDIA H200 or a device of "
              "its vendor");
    EXPECT_EQ(why(db_of({on(h200), on(v100, "m", 2000)})),
              "none of 2 records of f64, 1 right-hand side, op N on NVIDIA H200 or its like is of "
              "a matrix like this one");
    const TuningDb db = db_of({on(h200)});
    EXPECT_EQ(why(db, asked(db, sample_features())),
              "recorded on NVIDIA H200, this device, for a matrix of the same row lengths (m; "
              "exhaustive, 2026-11-21), but with no kernel that can be used here");
}

// ---- which kernel

class Recorded : public testing::Test {
  protected:
    Recorded() {
        request_.target = parse_target("x86-64-v4");
        request_.threads = 2;
    }
    std::optional<Choice> chosen(const TuningRecord& record) {
        const TuningDb db = db_of({record});
        const Features features = sample_features();
        const auto found = db.look_up(features, question_of(request_, features.value_type),
                                      record_device(request_.target, ""));
        return choose_recorded(found, request_,
                               [&](const Request& r) { return choose(features, r); });
    }
    Request request_;
};

TEST_F(Recorded, TheFastestKernelWithItsReason) {
    const auto choice = chosen(sample_record());
    ASSERT_TRUE(choice.has_value());
    EXPECT_EQ(kernel_name(choice->signature), csr_vector_name);
    EXPECT_EQ(choice->signature.target, request_.target);
    EXPECT_EQ(choice->reason,
              "recorded on x86-64-v4, this device, for this matrix (gallery:tridiagonal; "
              "exhaustive, 2026-11-21): csr_vector, 1.50 µs there");
}

TEST_F(Recorded, AKernelThatIsNotMadeTodayGivesWayToTheNext) {
    TuningRecord r = sample_record();
    r.kernels.front().kernel = "csr_vector_f64_i32_o32_a1_b0_k1_lanes4_prefetch0_unroll1_magic7";
    const auto choice = chosen(r);
    ASSERT_TRUE(choice.has_value());
    EXPECT_EQ(kernel_name(choice->signature), csr_rows_name);
    EXPECT_THAT(choice->reason,
                testing::EndsWith(": csr_rows, 2.50 µs there, the fastest that can be used here"));
    r.kernels.resize(1);
    EXPECT_EQ(chosen(r), std::nullopt);
}

TEST_F(Recorded, WhatTheRequestFixesIsHonoured) {
    request_.kernel = "csr_rows";
    EXPECT_EQ(kernel_name(chosen(sample_record())->signature), csr_rows_name);
    request_.kernel = "auto";
    request_.params = {{"lanes", 4}};
    EXPECT_EQ(kernel_name(chosen(sample_record())->signature), csr_vector_name);
    request_.params = {{"lanes", 8}};
    EXPECT_EQ(chosen(sample_record()), std::nullopt);
    request_.params = {};
    request_.format = "sell";
    EXPECT_EQ(chosen(sample_record()), std::nullopt);
}

// Row lengths tell nothing of blocks: they may all be half empty.
TEST_F(Recorded, BlocksAreTakenWhenColumnsWereCompared) {
    const std::string bcsr = "bcsr_f64_i32_o32_a1_b0_k1_block_cols2_block_rows2";
    TuningRecord r = sample_record();
    r.kernels.front().kernel = bcsr;
    const TuningDb db = db_of({r});
    const auto choose_by = [&](const auto& features) {
        const auto found = db.look_up(features, r.question, r.device);
        return kernel_name(choose_recorded(found, request_, [&](const Request& q) {
                               return choose(sample_features(), q);
                           })->signature);
    };
    Features matrix = sample_features();
    EXPECT_EQ(choose_by(static_cast<const RowFeatures&>(matrix)), csr_rows_name);
    EXPECT_EQ(choose_by(matrix), bcsr);
    matrix.bandwidth = 2;
    EXPECT_EQ(choose_by(matrix), bcsr) << "alike";
    matrix.block_fill[1] /= 2;
    EXPECT_EQ(choose_by(matrix), csr_rows_name);
}

TEST_F(Recorded, TheCallersIndexTypesAreTaken) {
    request_.csr_index = request_.csr_offset = IndexType::i64;
    const auto choice = chosen(sample_record());
    ASSERT_TRUE(choice.has_value());
    EXPECT_EQ(choice->signature.index, IndexType::i64);
    EXPECT_EQ(choice->signature.offset, IndexType::i64);
}

TEST_F(Recorded, AskedForIsWhatTheRequestTells) {
    request_.vectors = ValueType::f64;
    request_.storage = ValueType::f32;
    request_.num_rhs = 3;
    request_.deterministic = true;
    EXPECT_EQ(question_of(request_, ValueType::f32), (Question{.value = ValueType::f64,
                                                               .storage = ValueType::f32,
                                                               .num_rhs = 3,
                                                               .deterministic = true,
                                                               .threads = 2}));
    request_.target = parse_target("sm_90");
    EXPECT_EQ(question_of(request_, ValueType::f32).threads, 0);
}

// ---- files

TEST(RecordFiles, WhatCannotBeReadIsLeftOutWithOneWarningEach) {
    const std::string two = to_json(std::vector{sample_record("a"), sample_record("b")});
    const std::vector<TuningFile> files{
        {"/a/records-1.json", "{"},
        {"/a/records-2.json", with(two, "\"method\": \"exhaustive\"", "\"method\": 1")},
        {"/a/records-3.json", with(two, "\"schema\": 1", "\"schema\": 99")},
        {"/a/records-4.json", with(two, "\"num_rhs\":1", "\"num_rhs\":0")},
    };
    std::vector<std::string> warnings;
    const auto records = read_record_files(files, warnings);
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[0].record.matrix, "b");
    EXPECT_EQ(records[0].file, "/a/records-2.json");
    EXPECT_THAT(
        warnings,
        ElementsAre("tuning file /a/records-1.json is left out: it is not JSON",
                    "tuning file /a/records-2.json: 1 of 2 records left out: record 1 (a): field "
                    "'method' is no text",
                    "tuning file /a/records-3.json is left out: its schema is 99, but this version "
                    "reads 1: a newer spmvgen wrote it",
                    "tuning file /a/records-4.json: 1 of 2 records left out: record 1 (a): field "
                    "'num_rhs' is not a whole number of 1…64"));
}

}  // namespace
}  // namespace spmvgen
