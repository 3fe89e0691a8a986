#include "tuner/records/record_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "matrix/features/features_fields.hpp"
#include "record_samples.hpp"
#include "tuner/records/signature_name.hpp"

namespace spmvgen {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string text_of(std::vector<TuningRecord> records) {
    return to_json(records);
}

/// Why the one record of the text is rejected.
std::string rejection(const std::string& text) {
    const ReadRecords read = parse_tuning_records(text);
    EXPECT_THAT(read.records, IsEmpty());
    EXPECT_EQ(read.rejected.size(), 1u);
    if (read.rejected.empty()) return "accepted";
    const RejectedRecord& r = read.rejected.front();
    return r.record.empty() ? "file: " + r.reason : r.reason;
}

/// The same of the sample with one change of its text.
std::string rejection(const std::string& from, const std::string& to) {
    return rejection(with(text_of({sample_record()}), from, to));
}

TEST(RecordJson, SurvivesItsText) {
    const std::vector<TuningRecord> records{sample_record(), gpu_record()};
    const ReadRecords read = parse_tuning_records(to_json(records));
    EXPECT_THAT(read.rejected, IsEmpty());
    EXPECT_THAT(read.records, testing::UnorderedElementsAreArray(records));
    EXPECT_EQ(to_json(read.records), to_json(records));
}

TEST(RecordJson, AllOfTheQuestionSurvives) {
    TuningRecord r = gpu_record();
    r.question = {.value = ValueType::f32,
                  .storage = ValueType::bf16,
                  .accumulator = ValueType::f64,
                  .num_rhs = 4,
                  .op = Op::none,
                  .deterministic = true};
    r.kernels = {
        {"csr_classical_f32_sbf16_accf64_i32_o64_a1_b0_k4_block256_subwarp4_unroll4", 1, 1, 1}};
    EXPECT_THAT(parse_tuning_records(text_of({r})).records, ElementsAre(r));
    EXPECT_EQ(to_string(r.question),
              "f32 stored as bf16 summed in f64, 4 right-hand sides, op N, deterministic");
    EXPECT_EQ(to_string(sample_record().question), "f64, 1 right-hand side, op N, 2 threads");
}

// A value of its own in each field.
TEST(RecordJson, AllFeaturesSurvive) {
    TuningRecord r = sample_record();
    Features& f = r.features;
    std::int64_t next = 5;
    for_each_field(f, [&](const std::string& name, auto& field, Presence) {
        using T = std::remove_reference_t<decltype(field)>;
        const bool checked = name == "rows" || name == "nnz" || name == "min_row" ||
                             name == "max_row" || name == "mean_row" || name == "row_histogram";
        if constexpr (std::is_same_v<T, bool>)
            field = next++ % 2 == 0;
        else if constexpr (std::is_same_v<T, ValueType>)
            field = ValueType::c32;
        else if constexpr (std::is_arithmetic_v<T>)
            field = checked ? field : static_cast<T>(next++) / T{4};
        else if (!checked)
            for (auto& element : field) element = 0.1 * static_cast<double>(next++);
    });
    const ReadRecords read = parse_tuning_records(text_of({r}));
    ASSERT_EQ(read.records.size(), 1u) << read.rejected.front().reason;
    EXPECT_EQ(read.records[0].features, f);
}

TEST(RecordJson, TheTextDoesNotDependOnTheOrder) {
    const TuningRecord a = sample_record("a"), b = sample_record("b"), c = gpu_record("a");
    EXPECT_EQ(text_of({a, b, c}), text_of({c, b, a}));
    EXPECT_EQ(text_of({}),
              "{\n \"kind\": \"tuning-records\",\n \"schema\": 1,\n \"records\": [\n ]\n}\n");
}

TEST(RecordJson, AKernelALine) {
    EXPECT_THAT(
        text_of({sample_record()}),
        HasSubstr("   \"kernels\": [\n"
                  "    {\"kernel\":\"csr_vector_f64_i32_o32_a1_b0_k1_lanes4_prefetch0_unroll1\","
                  "\"us\":1.5,\"low_us\":1.25,\"high_us\":1.75},\n"
                  "    {\"kernel\":\"csr_rows_f64_i32_o32_a1_b0_k1\","
                  "\"us\":2.5,\"low_us\":2.25,\"high_us\":2.75}\n"
                  "   ]\n"));
}

TEST(RecordJson, AFilesNameNeedNotBeUtf8) {
    const ReadRecords read = parse_tuning_records(text_of({sample_record("caf\xe9.mtx")}));
    ASSERT_EQ(read.records.size(), 1u);
    EXPECT_EQ(read.records[0].matrix, "caf\xef\xbf\xbd.mtx");
}

TEST(RecordJson, NamesAreFitForATerminal) {
    const ReadRecords read = parse_tuning_records(text_of({sample_record("a\nb\x1b[2J")}));
    ASSERT_EQ(read.records.size(), 1u);
    EXPECT_EQ(read.records[0].matrix, "a?b?[2J");
}

TEST(RecordJson, KernelsAreSortedByTime) {
    const std::string text = with(text_of({sample_record()}), "\"us\":2.5,\"low_us\":2.25",
                                  "\"us\":0.5,\"low_us\":0.25");
    const ReadRecords read = parse_tuning_records(text);
    ASSERT_EQ(read.records.size(), 1u);
    EXPECT_EQ(read.records[0].kernels.front().kernel, csr_rows_name);
}

TEST(RecordJson, SaysWhyAFileIsNotRead) {
    EXPECT_EQ(rejection(""), "file: it is not JSON");
    EXPECT_EQ(rejection("\xff\xfe garbage"), "file: it is not JSON");
    EXPECT_EQ(rejection("[]"), "file: it is no tuning-records");
    EXPECT_EQ(rejection("{\"kind\": 3}"), "file: it is no tuning-records");
    EXPECT_EQ(rejection("tuning-records", "device-profile"), "file: it is no tuning-records");
    EXPECT_EQ(rejection("\"schema\": 1", "\"schema\": 0"),
              "file: its schema is 0, but this version reads 1");
    EXPECT_EQ(rejection("\"schema\": 1", "\"schema\": 99"),
              "file: its schema is 99, but this version reads 1: a newer spmvgen wrote it");
    EXPECT_EQ(rejection("\"schema\"", "\"scheme\""),
              "file: field 'schema' is missing or no number");
    EXPECT_EQ(rejection("\"records\"", "\"record\""),
              "file: field 'records' is missing or no list");
    EXPECT_EQ(rejection(std::string(100000, '[')),
              "file: it nests too deeply for a file of tuning_db");
}

// A broken disk, or a copy that was interrupted.
TEST(RecordJson, NoCutOfAFileIsAccepted) {
    const std::string whole = text_of({sample_record()});
    for (std::size_t length = 0; length + 2 < whole.size(); length += 7)
        EXPECT_EQ(rejection(whole.substr(0, length)), "file: it is not JSON") << length;
}

TEST(RecordJson, SaysWhyARecordIsNotRead) {
    EXPECT_EQ(rejection("\"matrix\"", "\"motrix\""), "field 'matrix' is missing");
    EXPECT_EQ(rejection("\"group\": \"stencil\"", "\"group\": 5"), "field 'group' is no text");
    EXPECT_EQ(rejection("\"method\": \"exhaustive\"", "\"method\": \"\""),
              "field 'method' is empty");
    EXPECT_EQ(rejection("2026-11-21", "21.11.2026"), "field 'date' is no date like 2026-11-21");
    EXPECT_EQ(rejection("\"arch\":\"x86-64-v4\"", "\"arch\":\"m68k\"").substr(0, 14),
              "field 'arch': ");
    EXPECT_EQ(rejection("\"op\":\"N\"", "\"op\":\"X\"").substr(0, 12), "field 'op': ");
    EXPECT_EQ(rejection("\"num_rhs\":1", "\"num_rhs\":0"),
              "field 'num_rhs' is not a whole number of 1…64");
    EXPECT_EQ(rejection("\"threads\":2", "\"threads\":-2"),
              "field 'threads' is not a whole number of 0…65536");
    EXPECT_EQ(rejection("\"threads\":2", "\"threads\":0"),
              "field 'threads' is 0 on x86-64-v4: it is 0 for GPUs only");
    EXPECT_EQ(rejection("\"deterministic\":false", "\"deterministic\":0"),
              "field 'deterministic' is neither true nor false");
    EXPECT_EQ(rejection("\"us\":1.5", "\"us\":0"),
              "field 'us' is not a positive number up to 1000000000000");
    EXPECT_EQ(rejection("\"us\":1.5", "\"us\":null"),
              "field 'us' is not a positive number up to 1000000000000");
    EXPECT_EQ(rejection("\"us\":1.5", "\"us\":1e300"),
              "field 'us' is not a positive number up to 1000000000000");
    EXPECT_EQ(rejection("\"us\":1.5", "\"us\":1e999"), "file: it is not JSON");
    EXPECT_EQ(rejection("\"us\":1.5", "\"us\":1"),
              "the quartiles 1.25 and 1.75 do not enclose the median 1");
    EXPECT_EQ(rejection("\"kernels\": [", "\"kernels\": 1, \"others\": ["),
              "field 'kernels' is no list, or empty");
    EXPECT_EQ(rejection("\"kernels\": [", "\"kernels\": [], \"others\": ["),
              "field 'kernels' is no list, or empty");
}

TEST(RecordJson, SaysWhyFeaturesAreNotRead) {
    EXPECT_EQ(rejection("\"features\": {", "\"features\": 1, \"other\": {"),
              "field 'features' is missing or of another type");
    EXPECT_EQ(rejection("\"nnz\"", "\"nonzeros\""), "field 'features.nnz' is missing");
    const char* out_of_range = "field 'features.cols' is of another type or out of range";
    EXPECT_EQ(rejection("\"cols\":1000", "\"cols\":-1"), out_of_range);
    EXPECT_EQ(rejection("\"cols\":1000", "\"cols\":10.5"), out_of_range);
    EXPECT_EQ(rejection("\"cols\":1000", "\"cols\":9007199254740993"), out_of_range);
    EXPECT_EQ(rejection("\"cols\":1000", "\"cols\":18446744073709551615"), out_of_range);
    EXPECT_EQ(rejection("\"block_fill\":[0.75,", "\"block_fill\":["),
              "field 'features.block_fill' is of another type or out of range");
    EXPECT_EQ(rejection("\"ell_padding\":1.0", "\"ell_padding\":-1"),
              "field 'features.ell_padding' is of another type or out of range");
    EXPECT_EQ(rejection("\"rows\":1000", "\"rows\":1001"),
              "features.row_histogram has 1000 rows, the matrix has 1001");
    EXPECT_EQ(rejection("\"nnz\":3000", "\"nnz\":4000"),
              "features.mean_row is 3, 4000 entries in 1000 rows are 4");
    EXPECT_EQ(rejection("\"min_row\":3", "\"min_row\":4"),
              "features.min_row 4 and max_row 3 do not go with 3000 entries");
}

TEST(RecordJson, KernelsThatAreNotMadeToday) {
    // Of another version: the record still has another kernel.
    const std::string other =
        with(text_of({sample_record()}), "prefetch0_unroll1", "prefetch0_unroll3");
    const ReadRecords read = parse_tuning_records(other);
    ASSERT_EQ(read.records.size(), 1u);
    EXPECT_EQ(read.records[0].kernels.size(), 2u) << "what is not known stays in the record";
    TuningRecord unknown = sample_record();
    unknown.kernels = {{"csr_magic_f64_i32_o32_a1_b0_k1", 1, 1, 1}};
    EXPECT_EQ(rejection(text_of({unknown})),
              "none of its kernels is made by this version for x86-64-v4; the fastest is "
              "csr_magic_f64_i32_o32_a1_b0_k1");
    unknown.kernels = {{csr_rows_name, 1, 1, 1}};
    unknown.question.value = ValueType::f32;
    EXPECT_EQ(rejection(text_of({unknown})),
              "kernel csr_rows_f64_i32_o32_a1_b0_k1 does not answer the question: f32 stored as "
              "f64, 1 right-hand side, op N, 2 threads");
    unknown = sample_record();
    unknown.kernels.push_back(unknown.kernels.front());
    EXPECT_EQ(rejection(text_of({unknown})), "kernel " + csr_vector_name + " is there twice");
}

TEST(RecordJson, ABrokenRecordCostsNoOther) {
    std::string text = text_of({sample_record("a"), sample_record("b"), sample_record("c")});
    text = with(text, "\"b\",\n   \"group\": \"stencil\"", "\"b\",\n   \"group\": 7");
    text = with(text, "\"matrix\": \"c\"", "\"matrix\": 4");
    const ReadRecords read = parse_tuning_records(text);
    EXPECT_THAT(read.records, ElementsAre(sample_record("a")));
    EXPECT_THAT(read.rejected,
                ElementsAre(RejectedRecord{"record 2 (b)", "field 'group' is no text"},
                            RejectedRecord{"record 3", "field 'matrix' is no text"}));
}

TEST(RecordJson, DigestsTellRecordsApart) {
    EXPECT_EQ(digest(sample_record()), digest(sample_record()));
    EXPECT_EQ(digest(sample_record()).size(), 64u);
    TuningRecord slower = sample_record();
    slower.kernels.front().us = 1.51;
    EXPECT_NE(digest(slower), digest(sample_record()));
}

TEST(KernelName, IsReadForATarget) {
    const auto s = parse_kernel_name(csr_vector_name, parse_target("x86-64-v3"));
    ASSERT_TRUE(s.has_value());
    EXPECT_EQ(kernel_name(*s), csr_vector_name);
    EXPECT_EQ(s->target.arch, "x86-64-v3");
    EXPECT_EQ(parse_kernel_name(csr_vector_name, parse_target("sm_90")), std::nullopt);
    EXPECT_EQ(parse_kernel_name(csr_vector_name, {.arch = "m68k"}), std::nullopt);
    const std::string wide = "csr_classical_f64_i32_o32_a1_b0_k1_block256_subwarp64_unroll4";
    EXPECT_NE(parse_kernel_name(wide, parse_target("gfx90a")), std::nullopt);
    EXPECT_EQ(parse_kernel_name(wide, parse_target("sm_90")), std::nullopt) << "wider than a warp";
    for (const char* name :
         {"", "csr_rows", "csr_rows_f64", "csr_rows_f65_i32_o32_a1_b0_k1",
          "csr_rows_f64_i32_o32_a1_b0_k1_lanes2",
          "csr_rows_f64_i32_o32_a1_b0_k99999999999999999999",
          "csr_vector_f64_i32_o32_a1_b0_k1_lanes4_", "csr_vector_f64_i32_o32_a1_b0_k1_lanes",
          "csr_vector_f64_i32_o32_a1_b0_k1_unroll1_lanes4"})
        EXPECT_EQ(parse_kernel_name(name, parse_target("x86-64-v4")), std::nullopt) << name;
}

}  // namespace
}  // namespace spmvgen
