#include "gallery/gallery_suite.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>

#include "matrix/memory_limit.hpp"
#include "matrix/suites/suites.hpp"
#include "options/operands.hpp"
#include "spmvgen/error.hpp"
#include "text/interrupt.hpp"
#include "text/output.hpp"
#include "text/progress.hpp"

namespace spmvgen::cli {
namespace {

/// Memory that making a large twin takes, with its triangulation.
constexpr double bytes_a_job = 5e9;

/// What --suite names. A wrong name is UsageError.
std::vector<SuiteMatrix> members(const std::string& suite, const SuiteRequest& request) {
    try {
        return expand_suite(suite, request);
    } catch (const Error& error) {
        throw UsageError(error.what());
    }
}

std::int64_t longest_row(const CsrView& a) {
    std::int64_t longest = 0;
    for (std::int64_t i = 0; i < a.rows; ++i)
        longest = std::max(longest, a.row_begin(i + 1) - a.row_begin(i));
    return longest;
}

Json original_of(const Twin& twin) {
    Json original{{"rows", twin.rows}, {"nnz", twin.nnz}};
    if (twin.longest > 0) original["max_row"] = twin.longest;
    return original;
}

/// Makes one after another, each matrix by one of several workers.
class Maker {
  public:
    Maker(std::vector<SuiteMatrix> todo, std::filesystem::path directory, Streams& streams)
        : todo_(std::move(todo)),
          made_(Json::array_t(todo_.size())),
          directory_(std::move(directory)),
          out_(streams.out),
          progress_(streams.err, "matrices", todo_.size()) {
        for (std::size_t k = 0; k < todo_.size(); ++k) order_.push_back(k);
        // The largest first, so that none is left for the end.
        std::ranges::stable_sort(order_, {}, [&](std::size_t k) { return todo_[k].nnz; });
    }

    /// What was made, in the order of the suite.
    Json run(int workers) {
        const int threads = std::max(omp_get_max_threads() / workers, 1);
        {
            std::vector<std::jthread> team;
            for (int i = 0; i < workers; ++i)
                team.emplace_back([this, threads] {
                    omp_set_num_threads(threads);
                    while (make_next()) {
                    }
                });
        }
        if (failure_) std::rethrow_exception(failure_);
        if (Interrupt::came())
            throw Error(ErrorCode::io, "gallery: interrupted: the files that are there are whole");
        return made_;
    }

  private:
    bool make_next() {
        std::size_t next = 0;
        {
            const std::lock_guard lock(mutex_);
            if (order_.empty() || failure_ || Interrupt::came()) return false;
            next = order_.back();
            order_.pop_back();
        }
        try {
            make(next);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
        }
        return true;
    }

    void make(std::size_t k) {
        const SuiteMatrix& wanted = todo_[k];
        const SourcedMatrix source = load_matrix(wanted.source);
        const CsrView matrix = source.matrix.view();
        const std::string file = wanted.name + ".csr";
        save_matrix(directory_ / file, MatrixFile::csr_binary, matrix, out_);
        Json report{{"name", wanted.name},      {"structure", wanted.structure},
                    {"source", wanted.source},  {"file", file},
                    {"rows", matrix.rows},      {"cols", matrix.cols},
                    {"nnz", matrix.nnz},        {"max_row", longest_row(matrix)},
                    {"seconds", source.seconds}};
        if (wanted.twin != nullptr) report["original"] = original_of(*wanted.twin);
        const std::lock_guard lock(mutex_);
        made_[k] = std::move(report);
        progress_.step(wanted.name);
    }

    std::vector<SuiteMatrix> todo_;
    std::vector<std::size_t> order_;  ///< those left, the next one last
    Json made_;
    std::filesystem::path directory_;
    std::ostream& out_;
    Progress progress_;
    std::mutex mutex_;
    std::exception_ptr failure_;
};

int workers_for(const SuiteOptions& o) {
    if (o.jobs > 0) return o.jobs;
    const double fit = static_cast<double>(available_memory()) / (bytes_a_job * o.scale);
    return static_cast<int>(std::clamp(fit, 1.0, static_cast<double>(omp_get_max_threads())));
}

}  // namespace

void list_suite(const std::string& suite, bool json, std::ostream& out) {
    Json list = Json::array();
    for (const SuiteMatrix& matrix : members(suite, {})) {
        Json row{{"name", matrix.name}, {"structure", matrix.structure}, {"source", matrix.source}};
        std::string text =
            fmt::format("{} ({}): {}\n", matrix.name, matrix.structure, matrix.source);
        if (const Twin* twin = matrix.made() ? matrix.twin : nullptr; twin != nullptr) {
            row.update({{"suite", twin->suite},
                        {"original", original_of(*twin)},
                        {"specification", twin->specification},
                        {"difference", twin->difference}});
            text = fmt::format(
                "{} ({}, {}): {:.4g} rows, {:.4g} nonzeros, {:.4g} a row, longest {}\n"
                "    {}\n    {}\n",
                twin->name, twin->suite, twin->structure, twin->rows, twin->nnz,
                twin->nnz / twin->rows,
                twin->longest > 0 ? fmt::format("{:.4g}", twin->longest) : "unknown",
                twin->specification, twin->difference);
        }
        json ? list.push_back(std::move(row)) : void(out << text);
    }
    if (json) print_json(out, {{"matrices", list}});
}

void make_suite(const SuiteOptions& o, Streams& streams) {
    std::vector<SuiteMatrix> todo =
        members(o.suite, {.scale = o.scale, .random_values = o.values == "random"});
    if (o.max_nnz > 0)
        std::erase_if(todo, [&](const SuiteMatrix& matrix) { return matrix.nnz > o.max_nnz; });
    std::error_code trouble;
    std::filesystem::create_directories(o.directory, trouble);
    if (trouble) throw Error(ErrorCode::io, o.directory + ": cannot make it: " + trouble.message());
    const int workers =
        std::min(workers_for(o), static_cast<int>(std::max<std::size_t>(todo.size(), 1)));
    const Interrupt interrupt;
    const Json made = Maker(std::move(todo), o.directory, streams).run(workers);
    write_file(std::filesystem::path(o.directory) / "suite.json",
               Json{{"matrices", made}}.dump(2) + "\n", streams.out);
}

}  // namespace spmvgen::cli
