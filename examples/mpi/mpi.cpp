// Conjugate gradient over the ranks of an MPI job. One rank compiles the kernel, all others receive
// it: no storm of compilers, no shared directory.  usage: mpirun -n RANKS mpi [GRID]
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <spmvgen/kernels.hpp>
#include <spmvgen/spmvgen.hpp>
#include <string>
#include <vector>

#include "laplacian.hpp"

using Vector = std::vector<double>;

// Rank 0's bytes, on every rank.
std::string broadcast(std::string bytes) {
    unsigned long long size = bytes.size();
    MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    bytes.resize(size);
    MPI_Bcast(bytes.data(), static_cast<int>(size), MPI_BYTE, 0, MPI_COMM_WORLD);
    return bytes;
}

// Sum over all ranks of x·y.
double dot(const Vector& x, const Vector& y) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    // Each rank has as many rows of the matrix as the others (what does not fit is left out).
    const Csr csr = laplacian(argc > 1 ? std::atoi(argv[1]) : 128);
    const int rows = csr.rows / ranks, first = rank * rows, all = rows * ranks;
    std::vector<int> row_ptr{0}, col_idx;
    Vector values;
    for (int i = first; i < first + rows; ++i) {
        for (int k = csr.row_ptr[static_cast<std::size_t>(i)];
             k < csr.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
            if (csr.col_idx[static_cast<std::size_t>(k)] >= all) continue;
            col_idx.push_back(csr.col_idx[static_cast<std::size_t>(k)]);
            values.push_back(csr.values[static_cast<std::size_t>(k)]);
        }
        row_ptr.push_back(static_cast<int>(col_idx.size()));
    }
    // All ranks are to run one kernel, so it is named: one for short rows, without parameters. (By
    // itself a rank may get another for its own rows, and compiles that.)
    spmvgen::Options options;
    options.kernel = "csr_rows";
    const auto make_handle = [&] {
        return std::make_unique<spmvgen::Handle>(rows, all, row_ptr.data(), col_idx.data(),
                                                 values.data(), options);
    };

    // Rank 0 makes its handle, and with it the kernel. The others take that in before they make
    // theirs.
    std::unique_ptr<spmvgen::Handle> a;
    if (rank == 0) a = make_handle();
    const std::string kernels = broadcast(rank == 0 ? spmvgen::export_kernels() : "");
    if (rank != 0) {
        const spmvgen::ImportReport report = spmvgen::import_kernels(kernels);
        for (const std::string& reason : report.reasons)
            std::fprintf(stderr, "rank %d: a kernel is rejected: %s\n", rank, reason.c_str());
        a = make_handle();
    }

    // b = A·(1, …, 1). A product needs all of p, so it is gathered first.
    const auto n = static_cast<std::size_t>(rows);
    Vector whole(static_cast<std::size_t>(all), 1.0), x(n, 0.0), r(n), q(n);
    a->apply(1.0, whole.data(), 0.0, r.data());
    Vector p = r;
    double rr = dot(r, r);
    const double goal = 1e-20 * rr;
    int iterations = 0;
    for (; rr > goal && iterations < 5000; ++iterations) {
        MPI_Allgather(p.data(), rows, MPI_DOUBLE, whole.data(), rows, MPI_DOUBLE, MPI_COMM_WORLD);
        a->apply(1.0, whole.data(), 0.0, q.data());
        const double alpha = rr / dot(p, q);
        for (std::size_t i = 0; i < n; ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        const double previous = rr;
        rr = dot(r, r);
        for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + rr / previous * p[i];
    }

    double error = 0;
    for (const double value : x) error = std::fmax(error, std::fabs(value - 1));
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);

    // Who compiled?
    const auto own = static_cast<long long>(spmvgen::kernel_counters().compiles_started);
    std::vector<long long> compiled(static_cast<std::size_t>(ranks));
    MPI_Gather(&own, 1, MPI_LONG_LONG, compiled.data(), 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        std::printf("%d ranks of %d rows, kernel %s, %d iterations, largest error %.1e\n", ranks,
                    rows, a->info().kernel.c_str(), iterations, error);
        std::printf("compiled by rank:");
        for (const long long count : compiled) std::printf(" %lld", count);
        std::printf("\n%s\n", error < 1e-6 ? "solved" : "not solved");
    }
    MPI_Finalize();
    return error < 1e-6 ? 0 : 1;
}
