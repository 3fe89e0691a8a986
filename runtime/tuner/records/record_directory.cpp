#include "tuner/records/record_directory.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <optional>
#include <system_error>

#include "spmvgen/error.hpp"
#include "store/files.hpp"
#include "store/key.hpp"
#include "tuner/records/matrix_print.hpp"
#include "tuner/records/record_json.hpp"

namespace spmvgen {
namespace {

constexpr std::string_view record_prefix = "record-", suffix = ".json";

[[noreturn]] void fail(const Location& place, const std::string& why) {
    throw Error(ErrorCode::io,
                fmt::format("tuning records cannot be kept in {}: {}; $SPMVGEN_RECORDS_DIR names "
                            "another directory",
                            place.path.empty() ? "a home directory" : place.path, why));
}

}  // namespace

std::string keep_own_file(const std::string& name, std::string_view text, const Location& place) {
    if (place.path.empty()) fail(place, "there is none");
    try {
        make_directories(place.path);
        const File directory = open_directory(place.path);
        if (!directory) fail(place, std::generic_category().message(errno));
        if (const auto why = why_unsafe(status(directory), place.given); !why.empty())
            fail(place, why);
        publish_file(directory.get(), name, text, true);
        return place.path + "/" + name;
    } catch (const std::system_error& error) {
        fail(place, error.what());
    }
}

std::string keep_record(const TuningRecord& record, const Location& place) {
    return keep_own_file(record_file_name(record), to_json(std::span(&record, 1)), place);
}

std::string record_file_name(const TuningRecord& record) {
    constexpr std::size_t digits = 16;
    return fmt::format("{}{}-{}{}", record_prefix,
                       to_hex(sha256(record_key(record))).substr(0, digits),
                       digest(record).substr(0, 2 * digits), suffix);
}

}  // namespace spmvgen
