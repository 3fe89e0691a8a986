#pragma once
#include <fstream>
#include <iterator>

#include "bench_fixture.hpp"
#include "control.hpp"

namespace spmvgen::cli {

/// cuSPARSE and CUDA's driver stood in for. By events a kernel takes 2 µs, and what enqueues one or
/// a graph 3 µs.
class CusparseTest : public BenchTest {
  protected:
    static constexpr double kernel_us = 2, enqueue_us = 3;

    CusparseTest() {
        setenv("SPMVGEN_CUDA_LIBRARY", CUDA_STANDIN_LIBRARY, 1);
        setenv("SPMVGEN_CUSPARSE_LIBRARY", CUSPARSE_STANDIN_LIBRARY, 1);
        reset();
    }
    ~CusparseTest() override {
        for (const char* name :
             {"SPMVGEN_CUDA_LIBRARY", "SPMVGEN_CUSPARSE_LIBRARY", "CUSPARSE_STANDIN"})
            unsetenv(name);
    }
    /// Whatever happened, nothing was misused and nothing is left on the device.
    void TearDown() override {
        EXPECT_EQ(spmvgen_standin_cuda()->misuse(), "");
        EXPECT_EQ(spmvgen_standin_cuda()->alive(), "");
    }
    static void reset(std::size_t memory_bytes = std::size_t{1} << 30) {
        std::ifstream file(VECTOR_UPDATE_KERNEL, std::ios::binary);
        spmvgen_standin_cuda()->reset({.archs = {"sm_90"},
                                       .memory_bytes = memory_bytes,
                                       .kernel_us = kernel_us,
                                       .enqueue_us = enqueue_us,
                                       .compiled_ptx{std::istreambuf_iterator<char>(file), {}}});
    }
    static json row_of(const std::string& name) {
        for (auto& row : rows())
            if (row["case"] == name) return row;
        return {};
    }
    static constexpr const char* line =
        "gallery:fem:nx=6,ny=5 --device cuda:0 --kernels none --json R.jsonl ";
    static constexpr const char* peer = "cusparse 12.9.77/";
};

}  // namespace spmvgen::cli
