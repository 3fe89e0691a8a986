#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "matrix/random.hpp"
#include "options/options.hpp"
#include "registry.hpp"
#include "text/output.hpp"
#include "tune/block_bench.hpp"
#include "tune/tune.hpp"
#include "tuner/profiles/dense_profile.hpp"

namespace spmvgen::cli {
namespace {

struct DenseOptions {
    bool asked = false;
    std::vector<std::int64_t> entries{30'000, 100'000, 300'000, 1'000'000, 4'000'000};
    std::vector<std::int64_t> columns{12, 96};
    std::shared_ptr<const TuneOptions> common;
};

std::vector<std::string> values_of(const DenseOptions& o) {
    return o.common->values.empty() ? std::vector<std::string>{"f32", "f64"} : o.common->values;
}

/// A matrix of that many rows and columns without a zero.
CsrMatrix dense_matrix(std::int64_t rows, std::int64_t cols, ValueType type) {
    CsrMatrix a;
    a.rows = rows;
    a.cols = cols;
    a.nnz = rows * cols;
    a.row_ptr = make_buffer<std::int32_t>(rows + 1);
    a.col_idx = make_buffer<std::int32_t>(a.nnz);
    a.values = make_buffer<double>(a.nnz);
    const auto row_ptr = a.row_ptr.as<std::int32_t>();
    const auto col_idx = a.col_idx.as<std::int32_t>();
    const auto values = a.values.as<double>();
    const generators::Random random(1, generators::Purpose::value);
    for (std::int64_t i = 0; i <= rows; ++i)
        row_ptr[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i * cols);
    for (std::int64_t k = 0; k < a.nnz; ++k) {
        col_idx[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(k % cols);
        values[static_cast<std::size_t>(k)] = 0.5 + random.unit(k);
    }
    return convert_values(a.view(), type);
}

/// GFLOP/s on the stored elements, those beyond the matrix' edge included.
double gflops(const BlockTime& time, ValueType value) {
    const double operations = is_complex(value) ? 8 : 2;
    return operations * static_cast<double>(time.stored) / time.seconds / 1e9;
}

DenseClass measure(const DenseOptions& o, const std::shared_ptr<Device>& device, ValueType value,
                   std::int64_t entries, std::int64_t columns) {
    // Whole blocks of most heights.
    constexpr std::int64_t unit = 24;
    const double side = std::sqrt(static_cast<double>(entries));
    DenseClass c;
    c.value = value;
    c.cols = columns > 0 ? columns : std::max<std::int64_t>(1, std::llround(side / unit)) * unit;
    c.rows = std::max<std::int64_t>(1, std::llround(static_cast<double>(entries) /
                                                    static_cast<double>(c.cols * unit))) *
             unit;
    const BlockBench bench(fmt::format("dense matrix of {} rows", c.rows),
                           dense_matrix(c.rows, c.cols, value),
                           {o.common->device, o.common->threads, o.common->time_ms}, device);
    // All sizes in turn, so that what else the machine does meets all of them.
    for (int round = 0; round < o.common->rounds; ++round)
        for (int r = 1; r <= most_block; ++r)
            for (int col = 1; col <= most_block; ++col) {
                double& best =
                    c.gflops[static_cast<std::size_t>(r - 1)][static_cast<std::size_t>(col - 1)];
                best = std::max(best, gflops(bench.time_blocks(r, col), value));
            }
    return c;
}

std::string command_of(const DenseOptions& o) {
    const auto joined = [](const auto& list) { return fmt::format("{}", fmt::join(list, ",")); };
    return fmt::format(
        "spmvgen tune --dense-profile --device {} --threads {} --value {} --entries {} --columns "
        "{} --rounds {} --time {}",
        o.common->device, o.common->threads, joined(values_of(o)), joined(o.entries),
        joined(o.columns), o.common->rounds, o.common->time_ms);
}

void tune_dense(const DenseOptions& o, Streams& streams) {
    const std::shared_ptr<Device> device = parse_device(o.common->device);
    if (device != nullptr && o.common->threads > 0)
        throw UsageError("--threads: is for this CPU; drop it with --device");
    DenseProfile profile;
    profile.device = device != nullptr ? device->facts().name : to_string(parse_target("native"));
    profile.threads = device != nullptr       ? 0
                      : o.common->threads > 0 ? o.common->threads
                                              : omp_get_max_threads();
    profile.generator = generator_digest();
    profile.version = version();
    profile.command = command_of(o);
    profile.note = o.common->note;
    for (auto& text : values_of(o)) {
        const ValueType value = parse_computed_type("--value", text);
        for (const std::int64_t entries : o.entries)
            for (const std::int64_t columns : o.columns) {
                profile.classes.push_back(measure(o, device, value, entries, columns));
                const DenseClass& made = profile.classes.back();
                streams.err << fmt::format("spmvgen: {}, {} x {}: 64 block sizes\n", text,
                                           made.rows, made.cols);
            }
    }
    write_file(o.common->output, to_json(profile), streams.out);
    streams.err << "spmvgen: in a tuning_db it is named " << profile_file_name(profile) << "\n";
}

}  // namespace

Tuning add_tune_dense(CLI::App& verb, std::shared_ptr<const TuneOptions> common) {
    auto o = std::make_shared<DenseOptions>();
    o->common = std::move(common);
    verb.add_flag("--dense-profile", o->asked,
                  "what a dense matrix in blocked CSR reaches with each block size");
    verb.add_option("--entries", o->entries,
                    "dense profile: nonzeros of the size classes (default 3e4, 1e5, 3e5, 1e6, 4e6)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(whole_between(1, std::int64_t{1} << 30))
        ->type_name("N,…");
    verb.add_option("--columns", o->columns,
                    "dense profile: columns of the dense matrices (default 12,96); 0 = as many as "
                    "rows")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("N,…")
        ->check(whole_between(0, std::int64_t{1} << 20));
    return {"--dense-profile",
            [o] { return o->asked; },
            [o](Streams& streams) { tune_dense(*o, streams); },
            {"--rounds", "--time", "--note", "--value", "--entries", "--columns"}};
}

}  // namespace spmvgen::cli
