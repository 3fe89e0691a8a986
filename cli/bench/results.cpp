#include "bench/results.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "spmvgen/error.hpp"
#include "text/units.hpp"

namespace spmvgen::cli {
namespace {

bool has_text(const Json& line, const char* field) {
    return line.is_object() && line.contains(field) && line[field].is_string();
}

bool is_header(const Json& line) {
    return has_text(line, "kind") && line["kind"] == bench_kind;
}

/// Whether an unfinished line, or a finished one, begins as a header does.
bool may_be_header(std::string_view line) {
    const std::string kind = Json{{"kind", bench_kind}}.dump();
    const std::string_view begin = std::string_view(kind).substr(0, kind.size() - 1);
    return line.substr(0, begin.size()) == begin.substr(0, line.size());
}

bool is_row(const Json& line) {
    return has_text(line, "matrix") && has_text(line, "value") && has_text(line, "case");
}

/// The first thing in which results that are compared must agree, and do not; "" = none.
std::string difference(const Json& there, const Json& here) {
    for (const char* field : {"schema", "device", "machine", "versions", "method"}) {
        const Json before = there.value(field, Json()), now = here.value(field, Json());
        if (before == now) continue;
        if (!before.is_object() || !now.is_object())
            return fmt::format("{} {}, not {}", field, before.dump(), now.dump());
        for (auto& [name, value] : now.items())
            if (before.value(name, Json()) != value)
                return fmt::format("{} {} {}, not {}", field, name,
                                   before.value(name, Json()).dump(), value.dump());
        return fmt::format("other fields of {}", field);
    }
    return "";
}

}  // namespace

ResultFile::ResultFile(const std::string& path, const Json& header, bool resume, Streams& streams)
    : path_(path), to_(is_standard_output(path) ? streams.out : file_) {
    if (path_.empty()) return;
    if (is_standard_output(path_)) {
        write(header);
        return;
    }
    std::error_code unknown;
    const bool there = std::filesystem::is_regular_file(path_, unknown) &&
                       std::filesystem::file_size(path_, unknown) > 0;
    if (there && !resume)
        throw Error(ErrorCode::invalid_argument,
                    path_ + ": is there already: add --resume to go on with it, or name another");
    if (there) read(header, streams.err);
    file_.open(path_, std::ios::app);
    if (!file_) throw Error(ErrorCode::io, path_ + ": cannot be written");
    write(header);
}

void ResultFile::read(const Json& header, std::ostream& err) {
    std::ifstream file(path_);
    if (!file) throw Error(ErrorCode::io, path_ + ": cannot be read");
    std::uintmax_t sound = 0;  // bytes of whole lines
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        const bool whole = !file.eof();
        const Json json = Json::parse(line, nullptr, false);
        const auto refuse = [&](const std::string& what) {
            throw Error(ErrorCode::invalid_argument,
                        fmt::format("{}:{}: {}: name another file", path_, number, what));
        };
        if (number == 1 && !may_be_header(line)) refuse("is no result of spmvgen bench");
        if (!whole) {
            err << fmt::format("spmvgen: {}:{}: the last line is torn and is dropped\n", path_,
                               number);
            break;
        }
        if (is_header(json)) {
            if (const std::string other = difference(json, header); !other.empty())
                refuse("was measured with " + other);
        } else if (number == 1 || !is_row(json)) {
            refuse("is no result of spmvgen bench");
        } else {
            // Older files have no numbers but the matrices' own.
            keys_.insert(
                {json["matrix"], json["value"], json.value("numbers", "own"), json["case"]});
            wrong_ += json.contains("wrong");
        }
        sound += line.size() + 1;
    }
    file.close();
    std::filesystem::resize_file(path_, sound);
}

void ResultFile::add(const Json& row) {
    if (!path_.empty()) write(row);
}

void ResultFile::write(const Json& line) {
    to_ << line.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n' << std::flush;
    if (!to_) throw Error(ErrorCode::io, path_ + ": cannot be written");
}

}  // namespace spmvgen::cli
