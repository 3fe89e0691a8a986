#include "gallery_suite.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>

#include "matrix/gallery.hpp"
#include "matrix/gallery/suites.hpp"
#include "matrix/memory_limit.hpp"
#include "output.hpp"
#include "units.hpp"

namespace spmvgen::cli {
namespace {

/// Memory that making a large twin takes, with its triangulation.
constexpr double bytes_a_job = 5e9;

std::vector<const Twin*> twins_of(const std::string& suite) {
    std::vector<const Twin*> found;
    for (auto& twin : twins())
        if (suite == "all" || twin.suite == suite) found.push_back(&twin);
    if (found.empty())
        throw UsageError("--suite " + suite +
                         ": there is no such suite; use csr-k, gospmv, lightspmv or all");
    return found;
}

std::string specification_of(const Twin& twin, const SuiteOptions& o) {
    return fmt::format("{}:scale={}{}", twin.name, o.scale,
                       o.values == "random" ? ",random_values=1" : "");
}

/// Makes one after another, each matrix by one of several workers.
class Maker {
  public:
    Maker(std::vector<const Twin*> todo, const SuiteOptions& options, Streams& streams)
        : todo_(std::move(todo)), options_(options), streams_(streams), count_(todo_.size()) {
        // The largest first, so that none is left for the end.
        std::ranges::sort(todo_, {}, [](const Twin* twin) { return twin->nnz; });
    }

    void run(int workers) {
        const int threads = std::max(omp_get_max_threads() / workers, 1);
        std::vector<std::jthread> team;
        for (int i = 0; i < workers; ++i)
            team.emplace_back([this, threads] {
                omp_set_num_threads(threads);
                while (make_next()) {
                }
            });
        team.clear();
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    bool make_next() {
        const Twin* twin = nullptr;
        {
            const std::lock_guard lock(mutex_);
            if (todo_.empty() || failure_) return false;
            twin = todo_.back();
            todo_.pop_back();
        }
        try {
            make(*twin);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
        }
        return true;
    }

    void make(const Twin& twin) {
        const CsrMatrix matrix = make_gallery_matrix(specification_of(twin, options_));
        const auto path =
            std::filesystem::path(options_.directory) / fmt::format("{}.csr", twin.name);
        save_matrix(path, MatrixFile::csr_binary, matrix.view());
        const std::lock_guard lock(mutex_);
        streams_.err << fmt::format("spmvgen: {} of {}: {}, {} rows, {}\n", ++done_, count_,
                                    path.string(), matrix.rows, plural(matrix.nnz, "nonzero"));
    }

    std::vector<const Twin*> todo_;
    const SuiteOptions& options_;
    Streams& streams_;
    std::size_t count_, done_ = 0;
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
    for (const Twin* twin : twins_of(suite)) {
        if (json)
            list.push_back(
                {{"name", twin->name},
                 {"suite", twin->suite},
                 {"original",
                  {{"rows", twin->rows}, {"nnz", twin->nnz}, {"max_row", twin->longest}}},
                 {"specification", twin->specification},
                 {"difference", twin->difference}});
        else
            out << fmt::format(
                "{} ({}): {:.4g} rows, {:.4g} nonzeros, {:.4g} a row, longest {}\n"
                "    {}\n    {}\n",
                twin->name, twin->suite, twin->rows, twin->nnz, twin->nnz / twin->rows,
                twin->longest > 0 ? fmt::format("{:.4g}", twin->longest) : "unknown",
                twin->specification, twin->difference);
    }
    if (json) print_json(out, {{"twins", list}});
}

void make_suite(const SuiteOptions& o, Streams& streams) {
    std::vector<const Twin*> todo = twins_of(o.suite);
    if (!(o.scale > 0 && o.scale <= 1))
        throw UsageError(fmt::format("--scale {}: use a number above 0, at most 1", o.scale));
    if (o.max_nnz > 0)
        std::erase_if(todo, [&](const Twin* twin) { return twin->nnz * o.scale > o.max_nnz; });
    std::filesystem::create_directories(o.directory);
    const int workers =
        std::min(workers_for(o), static_cast<int>(std::max<std::size_t>(todo.size(), 1)));
    Maker(std::move(todo), o, streams).run(workers);
}

}  // namespace spmvgen::cli
