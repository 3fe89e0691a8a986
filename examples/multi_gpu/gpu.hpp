#pragma once
// A GPU with its block of rows, its vectors, and the steps of an iteration of conjugate gradient.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <spmvgen/distributed.hpp>
#include <string>
#include <vector>

#define CHECK(call)                                                          \
    if (const cudaError_t status = (call); status != cudaSuccess) {          \
        std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status)); \
        std::exit(1);                                                        \
    }

using spmvgen::Handle;
using spmvgen::Part;
using spmvgen::PartHandle;
using spmvgen::Scale;

inline spmvgen::Options on_gpu(int number, const std::string& epilogue = "") {
    spmvgen::Options options;
    options.device = "cuda:" + std::to_string(number);
    options.epilogue = epilogue;
    options.updatable = false;
    return options;
}

// A matrix without entries: its epilogue alone, for vectors.
inline Handle for_vectors(std::int64_t n, int number, const std::string& epilogue) {
    const std::vector<int> row_ptr(n + 1);
    const int* no_columns = nullptr;
    const double* no_values = nullptr;
    return Handle(n, n, row_ptr.data(), no_columns, no_values, on_gpu(number, epilogue));
}

/// Elements of the GPU that is current.
template <typename T = double>
T* elements(std::size_t n) {
    T* v = nullptr;
    CHECK(cudaMalloc(&v, std::max<std::size_t>(n, 1) * sizeof(T)));
    CHECK(cudaMemset(v, 0, std::max<std::size_t>(n, 1) * sizeof(T)));
    return v;
}

/// A GPU with its part of everything.
struct Gpu {
    int number;
    std::int64_t n, first;
    PartHandle a;
    Handle dot, update, turn;
    cudaStream_t compute, travel;
    cudaEvent_t begun, turned, arrived, summed;
    double *x, *p, *q, *r, *halo, *send;
    double *own_pq, *own_rr;  ///< sums of its rows
    double *pq, *rr[2];       ///< of all: p·q, and r·r before the iteration and after it
    bool alone;               ///< the same, for there is no other GPU

    Gpu(int number_of, const Part& part, bool only)
        : number(number_of),
          n(part.rows()),
          first(part.first_row),
          a(part, on_gpu(number)),
          dot(for_vectors(n, number, "pq += p[row] * value; value")),
          update(for_vectors(n, number,
                             "alpha = pq > 0 ? rr / pq : 0; x[row] = x[row] + alpha * p[row]; "
                             "t = value - alpha * q[row]; next += t * t; t")),
          turn(for_vectors(n, number, "r[row] + (rr > 0 ? next / rr : 0) * value")),
          alone(only) {
        CHECK(cudaSetDevice(number));
        CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
        // What travels does not wait until the local product leaves multiprocessors.
        CHECK(cudaStreamCreateWithPriority(&travel, cudaStreamNonBlocking, -5));
        for (auto* event : {&begun, &turned, &arrived, &summed})
            CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
        for (auto** v : {&x, &p, &q, &r}) *v = elements(n);
        halo = elements(part.halo_columns.size());
        send = elements(part.send_elements.size());
        for (auto** v : {&own_pq, &own_rr, &pq, &rr[0], &rr[1]}) *v = elements(1);
        // Nothing is loaded or allocated later, when a graph is captured.
        a.prepare(Scale::one, Scale::zero, {compute});
        for (const Handle* handle : {&dot, &update, &turn})
            handle->prepare(Scale::zero, Scale::one, {compute});
    }
    Gpu(const Gpu&) = delete;
    ~Gpu() {
        CHECK(cudaSetDevice(number));
        for (double* v : {x, p, q, r, halo, send, own_pq, own_rr, pq, rr[0], rr[1]})
            CHECK(cudaFree(v));
        for (auto event : {begun, turned, arrived, summed}) CHECK(cudaEventDestroy(event));
        for (auto stream : {compute, travel}) CHECK(cudaStreamDestroy(stream));
    }

    // Steps of an iteration, on the stream that computes.
    void multiply(const double* halo_there) {
        a.multiply_local(1.0, p, 0.0, q, {compute});  // while the halo travels
        CHECK(cudaStreamWaitEvent(compute, arrived));
        a.multiply_halo(1.0, halo_there, q, {compute});
        const double *of_p = p, *nothing = nullptr;
        dot.apply_with(0.0, nothing, 1.0, q, {{"p", of_p}, {"pq", alone ? pq : own_pq}}, {compute});
        CHECK(cudaEventRecord(summed, compute));
    }
    void descend(int even) {
        const double *of_p = p, *of_q = q, *old = rr[even], *of_all = pq, *nothing = nullptr;
        update.apply_with(0.0, nothing, 1.0, r,
                          {{"rr", old},
                           {"pq", of_all},
                           {"x", x},
                           {"p", of_p},
                           {"q", of_q},
                           {"next", alone ? rr[1 - even] : own_rr}},
                          {compute});
        CHECK(cudaEventRecord(summed, compute));
    }
    void change_direction(int even) {
        const double *of_r = r, *old = rr[even], *next = rr[1 - even], *nothing = nullptr;
        turn.apply_with(0.0, nothing, 1.0, p, {{"r", of_r}, {"rr", old}, {"next", next}},
                        {compute});
        CHECK(cudaEventRecord(turned, compute));
    }
};
