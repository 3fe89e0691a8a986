// Every generator with its presets: the same bytes on any number of threads and on any machine.
#include <gtest/gtest.h>
#include <omp.h>
#include <zlib.h>

#include <map>
#include <string>

#include "matrix/suites/gallery.hpp"

namespace spmvgen {
namespace {

struct Checksums {
    std::int64_t nnz = 0;
    unsigned long row_ptr = 0, col_idx = 0, values = 0;
    bool operator==(const Checksums&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Checksums& c) {
    return out << std::dec << '{' << c.nnz << std::hex << ", 0x" << c.row_ptr << ", 0x" << c.col_idx
               << ", 0x" << c.values << '}' << std::dec;
}

unsigned long crc(const Buffer& buffer) {
    return crc32_z(0, static_cast<const Bytef*>(buffer.data()), buffer.bytes());
}

Checksums checksums(const CsrMatrix& a) {
    return {a.nnz, crc(a.row_ptr), crc(a.col_idx), crc(a.values)};
}

const std::map<std::string_view, Checksums> golden{
    {"stencil5", {1010700, 0x7c09e049, 0xd299355b, 0xb453f076}},
    {"stencil7", {1025285, 0x92247a24, 0xdd4a3abf, 0x8d4e51fb}},
    {"stencil9", {1006009, 0xc847d61, 0x6013ad75, 0xdee83ee3}},
    {"stencil27", {1000000, 0x10057e8, 0x81990003, 0x5292a0a1}},
    {"fem", {968256, 0xea3c0d92, 0xc213191b, 0x25491bab}},
    {"fem_tri", {1007762, 0x451564d3, 0xffcab7df, 0x424abfea}},
    {"rmat", {955604, 0x5fa60f38, 0x73371352, 0x5c859b81}},
    {"debruijn", {1048570, 0xbc9dbde9, 0xabb60462, 0x835f72a2}},
    {"random", {1000000, 0x9d6f9057, 0x8d69c23d, 0x260c7ae2}},
    {"banded", {1049890, 0xd3c1f01, 0x6eb76195, 0x79e1f205}},
    {"arrow", {1000000, 0x5437b1a5, 0x1023795a, 0x675667ca}},
    {"diagonal", {1000000, 0x3c7db76, 0x5e23cd49, 0xca5b44bf}},
    {"powerlaw", {912912, 0xdb6098ac, 0xded7cdb1, 0x8a5fa944}},
    {"circuit", {1050366, 0xc6195003, 0x5a61268a, 0x128cfc5d}},
    {"curl_curl", {1020780, 0x7d5ccfa5, 0x553d35d9, 0xa0d17e99}},
    {"mesh3d", {990904, 0xdfdc2e3e, 0x8bd91207, 0xb14cafd4}},
    {"delaunay", {1046904, 0x75544e99, 0xc01be1e6, 0xe96f3fb}},
    {"dual", {1013414, 0x20aa0561, 0x1c02e2bd, 0x4180f194}},
    {"rgg", {995712, 0x6076f94d, 0x895f8aa8, 0x60bcbe7f}},
    {"near", {998853, 0xf8e2bf22, 0x754c1c92, 0x3b9d21a8}},
    {"web", {1035814, 0x2814717b, 0x2cc68412, 0xff535a89}},
    {"citations", {1055201, 0xcf462ad7, 0xede97693, 0xce8eabb5}},
    {"road", {1004480, 0xc6f1f286, 0xc9fbc50a, 0x4ba1a84f}},
};

class GalleryPresets : public ::testing::TestWithParam<std::string> {
  protected:
    void TearDown() override { omp_set_num_threads(threads_); }

  private:
    int threads_ = omp_get_max_threads();
};

TEST_P(GalleryPresets, bytesAreTheRecordedOnes) {
    const CsrMatrix a = make_gallery_matrix(GetParam());
    const auto recorded = golden.find(GetParam());
    EXPECT_EQ(checksums(a), recorded == golden.end() ? Checksums{} : recorded->second);
    EXPECT_GT(a.nnz, 800'000);
    EXPECT_LT(a.nnz, 1'200'000);
}

TEST_P(GalleryPresets, rowsAscendWithoutDuplicates) {
    const CsrMatrix a = make_gallery_matrix(GetParam());
    validate(a.view());
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t k = a.view().row_begin(i) + 1; k < a.view().row_begin(i + 1); ++k)
            ASSERT_LT(a.view().col(k - 1), a.view().col(k)) << "row " << i;
}

TEST_P(GalleryPresets, threadsDoNotMatter) {
    // Smaller than preset where that is quicker; still more chunks than threads.
    const std::map<std::string, std::string> smaller{
        {"rmat", ":scale=12"}, {"debruijn", ":k=14"}, {"circuit", ":n=30000"}};
    const auto found = smaller.find(GetParam());
    const std::string specification = GetParam() + (found == smaller.end() ? "" : found->second);
    omp_set_num_threads(1);
    const Checksums one = checksums(make_gallery_matrix(specification));
    for (const int threads : {2, 3, 7}) {
        omp_set_num_threads(threads);
        EXPECT_EQ(checksums(make_gallery_matrix(specification)), one) << threads << " threads";
    }
}

std::vector<std::string> names() {
    std::vector<std::string> result;
    for (const GalleryEntry& entry : gallery()) result.emplace_back(entry.name);
    return result;
}

INSTANTIATE_TEST_SUITE_P(All, GalleryPresets, ::testing::ValuesIn(names()),
                         [](const auto& name) { return name.param; });

class GallerySymmetry : public ::testing::TestWithParam<const char*> {};

TEST_P(GallerySymmetry, everyEntryHasItsMirror) {
    const CsrMatrix a = make_gallery_matrix(GetParam());
    const bool values_too = std::string_view(GetParam()).substr(0, 7) != "circuit";
    std::map<std::pair<std::int64_t, std::int64_t>, double> entries;
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t k = a.view().row_begin(i); k < a.view().row_begin(i + 1); ++k)
            entries[{i, a.view().col(k)}] = a.values.as<double>()[static_cast<std::size_t>(k)];
    for (const auto& [place, value] : entries) {
        const auto mirror = entries.find({place.second, place.first});
        ASSERT_NE(mirror, entries.end()) << place.first << ", " << place.second;
        if (values_too) {
            ASSERT_EQ(mirror->second, value) << place.first << ", " << place.second;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, GallerySymmetry,
    ::testing::Values("stencil5:nx=20,ny=30", "stencil7:nx=5,ny=6,nz=7", "stencil9:nx=20,ny=30",
                      "stencil27:nx=5,ny=6,nz=7", "fem:nx=6,ny=5,nz=4,dofs=3",
                      "fem_tri:nx=20,ny=30,dofs=2", "rmat:scale=8,symmetric=1", "debruijn:k=8",
                      "arrow:n=50,width=3,random_values=0", "circuit:n=500,dense_length=100",
                      "road:nx=30,ny=20", "delaunay:n=300,dofs=2", "dual:n=300", "rgg:n=300",
                      "mesh3d:nx=5,ny=4,nz=3,keep=0.8", "curl_curl:nx=3,ny=4,nz=5,keep=0.8",
                      "road:nx=30,ny=20,long_rows=3,longest=200"));

}  // namespace
}  // namespace spmvgen
