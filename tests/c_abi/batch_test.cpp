// spmvgen.h: batches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "c_fixture.hpp"

namespace spmvgen {
namespace {

/// A batch of Tiny and its first two rows; destroyed with the object.
class CBatch {
  public:
    explicit CBatch(int32_t layout = SPMVGEN_CONCATENATED) {
        const Tiny tiny;
        spmvgen_matrix systems[] = {tiny.view(), tiny.view()};
        systems[1].rows = 2;
        systems[1].nnz = 3;
        status_ = told(spmvgen_batch_create(systems, 2, COptions(), layout, &batch_));
    }
    CBatch(const CBatch&) = delete;
    CBatch& operator=(const CBatch&) = delete;
    ~CBatch() { spmvgen_batch_destroy(batch_); }
    operator spmvgen_batch*() const { return batch_; }
    const std::string& status() const { return status_; }

  private:
    spmvgen_batch* batch_ = nullptr;
    std::string status_;
};

TEST(CBatch, Multiplies) {
    const CBatch batch;
    ASSERT_EQ(batch.status(), "ok");
    std::int64_t systems = 0, x_size = 0, y_size = 0;
    ASSERT_EQ(told(spmvgen_batch_sizes(batch, &systems, &x_size, &y_size)), "ok");
    EXPECT_EQ(systems, 2);
    EXPECT_EQ(x_size, 4);
    ASSERT_EQ(y_size, 5);
    const std::vector<double> x{10, 20, 1, 1};
    std::vector<double> y(5);
    EXPECT_EQ(told(spmvgen_batch_prepare(batch, SPMVGEN_ONE, SPMVGEN_ZERO, nullptr)), "ok");
    EXPECT_EQ(
        told(spmvgen_batch_apply(batch, SPMVGEN_F64, &one, x.data(), &zero, y.data(), nullptr)),
        "ok");
    EXPECT_EQ(y, (std::vector<double>{50, 60, 40, 3, 3}));
    spmvgen_batch_place place{sizeof place, 0, 0, 0, 0};
    ASSERT_EQ(told(spmvgen_batch_place_of(batch, 1, &place)), "ok");
    EXPECT_EQ(place.x_offset, 2);
    EXPECT_EQ(place.x_stride, 1);
    EXPECT_EQ(place.y_offset, 3);
    EXPECT_EQ(place.y_stride, 1);
}

TEST(CBatch, RepeatsOneMatrixInterleaved) {
    const Tiny tiny;
    const spmvgen_matrix matrix = tiny.view();
    spmvgen_batch* batch = nullptr;
    ASSERT_EQ(
        told(spmvgen_batch_create_repeated(&matrix, 2, COptions(), SPMVGEN_INTERLEAVED, &batch)),
        "ok");
    const std::vector<double> x{10, 1, 20, 1};
    std::vector<double> y(6);
    EXPECT_EQ(
        told(spmvgen_batch_apply(batch, SPMVGEN_F64, &one, x.data(), &zero, y.data(), nullptr)),
        "ok");
    EXPECT_EQ(y, (std::vector<double>{50, 3, 60, 3, 40, 4}));
    spmvgen_batch_destroy(batch);
}

TEST(CBatch, TellsWhatItDoes) {
    const CBatch batch;
    const auto json = nlohmann::json::parse(text_of([&](char* b, std::size_t s, std::size_t* n) {
        return spmvgen_batch_info(batch, b, s, n);
    }));
    EXPECT_EQ(json.at("nnz"), 7);
    EXPECT_EQ(text_of([&](char* b, std::size_t s, std::size_t* n) {
                  return spmvgen_batch_info_field(batch, "rows", b, s, n);
              }),
              "5");
    EXPECT_THAT(text_of([&](char* b, std::size_t s, std::size_t* n) {
                    return spmvgen_batch_source(batch, b, s, n);
                }),
                testing::StartsWith("// batch_csr_rows_f64_"));
}

TEST(CBatch, MayBeEmpty) {
    spmvgen_batch* batch = nullptr;
    ASSERT_EQ(told(spmvgen_batch_create(nullptr, 0, nullptr, SPMVGEN_CONCATENATED, &batch)), "ok");
    EXPECT_EQ(told(spmvgen_batch_apply(batch, SPMVGEN_F64, &one, nullptr, &zero, nullptr, nullptr)),
              "ok");
    spmvgen_batch_destroy(batch);
}

TEST(CBatch, SaysWhatIsWrong) {
    const Tiny tiny;
    spmvgen_matrix systems[] = {tiny.view(), tiny.view()};
    spmvgen_batch* batch = nullptr;
    const auto made = [&](std::int64_t count, int32_t layout) {
        return told(spmvgen_batch_create(systems, count, COptions(), layout, &batch));
    };
    EXPECT_EQ(made(2, 0),
              "invalid_argument: layout is 0: use SPMVGEN_CONCATENATED or SPMVGEN_INTERLEAVED");
    EXPECT_EQ(made(-1, SPMVGEN_CONCATENATED), "invalid_argument: count is -1: use 0 or more");
    systems[1].index_type = 0;
    EXPECT_EQ(made(2, SPMVGEN_CONCATENATED),
              "invalid_argument: system 1: matrix.index_type is 0: use SPMVGEN_I32 or "
              "SPMVGEN_I64");
    systems[1].layout = SPMVGEN_COO;
    EXPECT_EQ(made(2, SPMVGEN_CONCATENATED),
              "invalid_argument: system 1: matrix.layout is SPMVGEN_COO: batches take "
              "SPMVGEN_CSR");
    systems[1].struct_size = 3;
    EXPECT_EQ(made(2, SPMVGEN_CONCATENATED),
              "invalid_argument: system 1: matrix.struct_size is 3, but " +
                  std::to_string(sizeof(spmvgen_matrix)) + " in system 0");
    EXPECT_EQ(told(spmvgen_batch_create(nullptr, 1, nullptr, SPMVGEN_CONCATENATED, &batch)),
              "invalid_argument: systems is NULL");
    EXPECT_EQ(
        told(spmvgen_batch_create_repeated(nullptr, 1, nullptr, SPMVGEN_CONCATENATED, &batch)),
        "invalid_argument: matrix is NULL");
    EXPECT_EQ(told(spmvgen_batch_sizes(nullptr, nullptr, nullptr, nullptr)),
              "invalid_argument: batch is NULL");
    const CBatch good;
    EXPECT_EQ(told(spmvgen_batch_place_of(good, 0, nullptr)), "invalid_argument: place is NULL");
    spmvgen_batch_place place{};
    EXPECT_EQ(told(spmvgen_batch_place_of(good, 0, &place)),
              "invalid_argument: place.struct_size is 0: set it to sizeof(spmvgen_batch_place)");
    place.struct_size = sizeof place;
    EXPECT_THAT(told(spmvgen_batch_place_of(good, 2, &place)),
                testing::StartsWith("invalid_argument: "));
    spmvgen_batch_destroy(nullptr);
}

}  // namespace
}  // namespace spmvgen
