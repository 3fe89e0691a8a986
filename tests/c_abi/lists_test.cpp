// Lists of elements in C.
#include <gtest/gtest.h>

#include "c_fixture.hpp"

namespace spmvgen {
namespace {

class CLists : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, CLists, testing::Values("host", "simt:sm_90"));

TEST_P(CLists, MoveElements) {
    const COptions options{{"device", GetParam()}};
    const int32_t numbers[] = {2, 0};
    spmvgen_list* list = nullptr;
    ASSERT_EQ(told(spmvgen_list_create(SPMVGEN_F64, numbers, 2, options, &list)), "ok");
    const std::vector<double> x{1, 2, 3};
    std::vector<double> packed(2), y{10, 20, 30};
    EXPECT_EQ(told(spmvgen_list_gather(list, SPMVGEN_F64, x.data(), packed.data(), nullptr)), "ok");
    EXPECT_EQ(packed, (std::vector<double>{3, 1}));
    EXPECT_EQ(told(spmvgen_list_add(list, SPMVGEN_F64, packed.data(), y.data(), nullptr)), "ok");
    EXPECT_EQ(y, (std::vector<double>{11, 20, 33}));
    EXPECT_EQ(told(spmvgen_list_scatter(list, SPMVGEN_F64, packed.data(), y.data(), nullptr)),
              "ok");
    EXPECT_EQ(y, (std::vector<double>{1, 20, 3}));
    EXPECT_EQ(told(spmvgen_list_gather(list, SPMVGEN_F32, x.data(), packed.data(), nullptr)),
              "invalid_argument: the list is of f64 elements, but the vectors are f32");
    spmvgen_list_destroy(list);
    spmvgen_list_destroy(nullptr);
}

TEST(CListErrors, SayWhatIsWrong) {
    const COptions options;
    const int32_t number = 0;
    spmvgen_list* list = nullptr;
    EXPECT_EQ(told(spmvgen_list_create(SPMVGEN_F64, &number, -1, options, &list)),
              "invalid_argument: count is -1: use 0 or more");
    EXPECT_EQ(told(spmvgen_list_create(SPMVGEN_F64, &number, INT64_C(1) << 62, options, &list)),
              "invalid_argument: count is 4611686018427387904: the list is larger than any memory");
    EXPECT_EQ(told(spmvgen_list_create(SPMVGEN_F64, nullptr, 1, options, &list)),
              "invalid_argument: list is NULL");
    EXPECT_EQ(told(spmvgen_list_create(SPMVGEN_F64, nullptr, 0, options, nullptr)),
              "invalid_argument: made is NULL");
    EXPECT_EQ(told(spmvgen_list_gather(nullptr, SPMVGEN_F64, nullptr, nullptr, nullptr)),
              "invalid_argument: list is NULL");
    int32_t can = 7;
    EXPECT_EQ(told(spmvgen_enable_peer_access("simt:sm_90", "simt:sm_90", &can)), "ok");
    EXPECT_EQ(can, 1);
    EXPECT_EQ(told(spmvgen_enable_peer_access("simt:sm_90", nullptr, &can)),
              "invalid_argument: other is NULL");
    EXPECT_EQ(can, 0);
}

}  // namespace
}  // namespace spmvgen
