#include "report/bench_lines.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>

#include "bench/results.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::cli {
namespace {

constexpr std::size_t longest_line = 64 << 20;
/// 1 called the clock of products back to back "hot".
constexpr int first_schema = 1, last_schema = 2;

[[noreturn]] void unreadable(const std::string& path, const std::string& why) {
    throw Error(ErrorCode::io, path + ": cannot be read: " + why);
}

[[noreturn]] void wrong(const std::string& where, const std::string& what) {
    throw Error(ErrorCode::invalid_input, where + ": " + what);
}

/// The lines of a file, gzipped or not.
class LineReader {
  public:
    explicit LineReader(const std::string& path) : path_(path) {
        std::error_code unknown;
        if (std::filesystem::is_directory(path, unknown)) unreadable(path, "it is a directory");
        errno = 0;
        file_.reset(gzopen(path.c_str(), "rb"));
        if (!file_) unreadable(path, errno != 0 ? std::strerror(errno) : "not enough memory");
    }

    /// The next line, without its end; `whole` tells whether it has one. False after the last.
    bool next(std::string& line, bool& whole) {
        line.clear();
        while (true) {
            const auto end = std::find(buffer_.begin() + begin_, buffer_.begin() + end_, '\n');
            line.append(buffer_.begin() + begin_, end);
            if (line.size() > longest_line)
                wrong(path_, fmt::format("a line has more than {} MB", longest_line >> 20));
            whole = end != buffer_.begin() + end_;
            begin_ = end - buffer_.begin() + (whole ? 1 : 0);
            if (whole) return true;
            if (!fill()) return !line.empty();
        }
    }

  private:
    bool fill() {
        const int got = gzread(file_.get(), buffer_.data(), static_cast<unsigned>(buffer_.size()));
        int code = Z_OK;
        const char* const message = gzerror(file_.get(), &code);
        if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
            unreadable(path_, code == Z_ERRNO ? std::strerror(errno)
                              : code == Z_BUF_ERROR
                                  ? "the gzip data is truncated"
                                  : std::string("the gzip data is damaged: ") + message);
        begin_ = 0;
        end_ = got;
        return got > 0;
    }

    struct Close {
        void operator()(gzFile file) const { gzclose(file); }
    };
    std::string path_;
    std::unique_ptr<std::remove_pointer_t<gzFile>, Close> file_;
    std::array<char, 1 << 16> buffer_{};
    std::ptrdiff_t begin_ = 0, end_ = 0;
};

void check_first(const BenchLine& line) {
    const Json& json = line.json;
    if (!json.contains("kind") || json["kind"] != bench_kind)
        wrong(line.where, "is no header of spmvgen bench: give files that bench --json wrote");
}

void check_schema(const BenchLine& line) {
    const Json schema = line.json.value("schema", Json());
    if (schema != first_schema && schema != last_schema)
        wrong(line.where, fmt::format("schema: {} is not known; this spmvgen reads {} and {}",
                                      schema.dump(), first_schema, last_schema));
}

}  // namespace

std::vector<BenchLine> read_bench_lines(const std::string& path, std::vector<std::string>& notes) {
    LineReader reader(path);
    std::vector<BenchLine> lines;
    std::string text;
    bool whole = true;
    for (int number = 1; reader.next(text, whole); ++number) {
        BenchLine line{fmt::format("{}:{}", path, number), Json::parse(text, nullptr, false)};
        if (line.json.is_discarded() && !whole && number > 1) {
            notes.push_back(line.where + ": the last line is torn and is left out");
            break;
        }
        if (!line.json.is_object()) wrong(line.where, "is no JSON object");
        if (lines.empty()) check_first(line);
        if (line.json.contains("kind")) check_schema(line);
        lines.push_back(std::move(line));
    }
    if (lines.empty()) wrong(path, "is empty: spmvgen bench --json writes what can be shown");
    return lines;
}

Fields::Fields(const Json& object, std::string where, std::string prefix)
    : object_(object), where_(std::move(where)), prefix_(std::move(prefix)) {}

void Fields::refuse(std::string_view name, std::string_view expected) const {
    std::string found = "is missing";
    if (has(name)) {
        found = object_.at(std::string(name)).dump(-1, ' ', false, Json::error_handler_t::replace);
        if (found.size() > 60) found = found.substr(0, 60) + "…";
        found = fmt::format("must be {}, not {}", expected, found);
    }
    wrong(where_, fmt::format("{}{}: {}", prefix_, name, found));
}

const Json& Fields::at(std::string_view name) const {
    static const Json none;
    const auto found = object_.find(std::string(name));
    return found == object_.end() ? none : *found;
}

std::string Fields::text(std::string_view name) const {
    if (!at(name).is_string()) refuse(name, "text");
    return at(name).get<std::string>();
}

std::int64_t Fields::count(std::string_view name) const {
    const Json& value = at(name);
    const bool fits =
        value.is_number_integer() &&
        (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
    if (!fits || value.get<std::int64_t>() < 0) refuse(name, "a whole number from 0");
    return value.get<std::int64_t>();
}

double Fields::number(std::string_view name) const {
    const Json& value = at(name);
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0)
        refuse(name, "a number from 0");
    return value.get<double>();
}

double Fields::time(std::string_view name) const {
    const Json& value = at(name);
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() <= 0)
        refuse(name, "a number of microseconds above 0");
    return value.get<double>();
}

Fields Fields::part(std::string_view name) const {
    if (!at(name).is_object()) refuse(name, "an object");
    return {at(name), where_, prefix_ + std::string(name) + "."};
}

}  // namespace spmvgen::cli
