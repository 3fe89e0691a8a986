#include "tuner/records/capture.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <random>
#include <system_error>

#include "kernel/refuse.hpp"
#include "matrix/chunks.hpp"
#include "matrix/read/reader.hpp"
#include "spmvgen/error.hpp"
#include "store/files.hpp"
#include "store/key.hpp"
#include "tuner/records/record_features.hpp"
#include "tuner/records/record_json.hpp"

namespace spmvgen {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kind = "capture";
constexpr int schema = 1;
constexpr std::size_t digest_digits = 2 * sha256_bytes, file_digits = 16, question_digits = 8;
constexpr std::int64_t most_capture_bytes = 1 << 20;
constexpr std::int64_t numbers_a_part = 1 << 18;

/// Digests of parts of number(0) … number(count - 1), each as 64 bits, one behind the other.
template <typename Number>
std::string digests_of(std::int64_t count, Number&& number) {
    const std::int64_t parts = (count + numbers_a_part - 1) / numbers_a_part;
    std::string all(static_cast<std::size_t>(parts) * sha256_bytes, '\0');
    for_parts(count, numbers_a_part, 0, [&](std::int64_t begin, std::int64_t end, int) {
        std::vector<std::int64_t> numbers(static_cast<std::size_t>(end - begin));
        for (std::int64_t k = begin; k < end; ++k)
            numbers[static_cast<std::size_t>(k - begin)] = number(k);
        const std::string digest =
            sha256({reinterpret_cast<const char*>(numbers.data()), 8 * numbers.size()});
        std::ranges::copy(digest, all.begin() + begin / numbers_a_part *
                                                    static_cast<std::ptrdiff_t>(sha256_bytes));
    });
    return all;
}

std::string captured_text(const Json& json, const char* name) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_string())
        refuse_input(fmt::format("field '{}' is missing or no text", name));
    return found->get<std::string>();
}

const Json& object_field(const Json& json, const char* name) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_object())
        refuse_input(fmt::format("field '{}' is missing or no object", name));
    return *found;
}

bool is_digest(std::string_view text) {
    return text.size() == digest_digits &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

[[noreturn]] void fail(const std::string& path, const std::string& why) {
    throw Error(ErrorCode::io, fmt::format("{}: {}", path, why));
}

std::string text_of(const std::string& path) {
    const File file = open_file(AT_FDCWD, path);
    if (!file) fail(path, std::generic_category().message(errno));
    const auto bytes = static_cast<std::int64_t>(status(file).st_size);
    if (bytes > most_capture_bytes)
        refuse_input(fmt::format("it has {} bytes, a capture has no more than {}", bytes,
                                 most_capture_bytes));
    return read_bytes(file, static_cast<std::uint64_t>(bytes));
}

CapturedMatrix read_capture(const std::filesystem::path& file) {
    CapturedMatrix captured{parse_capture(text_of(file.string())), file.string(), {}};
    const auto pattern = file.parent_path() / pattern_file_name(captured.capture.pattern);
    std::error_code none;
    if (std::filesystem::is_regular_file(pattern, none)) captured.pattern = pattern.string();
    return captured;
}

std::vector<std::filesystem::path> capture_files(const std::filesystem::path& directory) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
         entry.increment(error))
        if (is_capture_name(entry->path().string())) files.push_back(entry->path());
    if (error) fail(directory.string(), error.message());
    if (files.empty())
        refuse_input(
            fmt::format("{} holds no capture: no file *{}", directory.string(), capture_ending));
    std::ranges::sort(files);
    return files;
}

/// A name that no other process gives to a file in the making.
std::string temporary_beside(const std::string& path) {
    std::random_device random;
    return fmt::format("{}.{:08x}{:08x}.tmp", path, random(), random());
}

/// The same places, each with a one.
void write_pattern(const std::string& path, CsrView matrix) {
    Buffer ones = make_buffer<float>(matrix.nnz);
    std::ranges::fill(ones.as<float>(), 1.0F);
    matrix.value_type = ValueType::f32;
    matrix.values = ones.data();
    const std::string temporary = temporary_beside(path);
    write_csr_binary(temporary, matrix);
    std::error_code error;
    std::filesystem::permissions(
        temporary, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, error);
    if (!error) std::filesystem::rename(temporary, path, error);
    if (!error) return;
    ::unlink(temporary.c_str());
    throw std::system_error(error, "rename");
}

}  // namespace

std::string pattern_digest(const CsrView& a) {
    std::string all = fmt::format("{} {} {};", a.rows, a.cols, a.nnz);
    if (a.rows > 0) all += digests_of(a.rows + 1, [&](std::int64_t i) { return a.row_begin(i); });
    all += digests_of(a.nnz, [&](std::int64_t k) { return a.col(k); });
    return to_hex(sha256(all));
}

std::string to_json(const Capture& c) {
    return fmt::format(
        "{{\n \"kind\": \"{}\",\n \"schema\": {},\n \"version\": \"{}\",\n \"pattern\": \"{}\",\n "
        "\"question\": {},\n \"device\": {},\n \"kernel\": {},\n \"features\": {}\n}}\n",
        kind, schema, SPMVGEN_VERSION, c.pattern, to_json(c.question), to_json(c.device),
        Json(c.kernel).dump(), to_json(c.features));
}

Capture parse_capture(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) refuse_input("it is not JSON");
    if (!json.is_object() || json.value("kind", Json()) != kind)
        refuse_input(fmt::format("it is no {}", kind));
    if (json.value("schema", Json()) != schema)
        refuse_input(fmt::format("its schema is not {}: capture again with this version", schema));
    Capture c;
    c.pattern = captured_text(json, "pattern");
    if (!is_digest(c.pattern)) refuse_input("field 'pattern' is no digest");
    c.question = parse_question(object_field(json, "question"));
    c.device = parse_record_device(object_field(json, "device"));
    c.kernel = captured_text(json, "kernel");
    c.features = parse_features(object_field(json, "features"));
    return c;
}

std::string capture_file_name(const std::string& pattern, ValueType values, const Question& q) {
    const std::string asked = fmt::format("{} {}", to_string(values), to_json(q));
    return fmt::format("{}-{}{}", pattern.substr(0, file_digits),
                       to_hex(sha256(asked)).substr(0, question_digits), capture_ending);
}

std::string pattern_file_name(const std::string& pattern) {
    return pattern.substr(0, file_digits) + ".csr";
}

CaptureList read_captures(const std::filesystem::path& path) {
    std::error_code none;
    const bool directory = std::filesystem::is_directory(path, none);
    CaptureList list;
    for (auto& file : directory ? capture_files(path) : std::vector{path}) {
        try {
            list.captures.push_back(read_capture(file));
        } catch (const std::runtime_error& error) {  // Error or std::system_error
            const auto* known = dynamic_cast<const Error*>(&error);
            if (!directory && (known == nullptr || known->code() == ErrorCode::io))
                throw Error(ErrorCode::io, error.what());
            list.warnings.push_back(
                fmt::format("capture {} is left out: {}", file.string(), error.what()));
        }
    }
    return list;
}

CsrMatrix load_pattern(const CapturedMatrix& captured) {
    if (captured.pattern.empty())
        refuse_input(
            fmt::format("{}: there is no pattern beside it; capture with "
                        "SPMVGEN_CAPTURE_PATTERN=1",
                        captured.file));
    const CsrMatrix ones = read_matrix(captured.pattern);
    const Features& f = captured.capture.features;
    // A reader sorts rows and adds up what is doubled: then the digest is another one.
    const bool as_written = f.sorted && !f.duplicates;
    const bool same = as_written ? pattern_digest(ones.view()) == captured.capture.pattern
                                 : ones.rows == f.rows && ones.cols == f.cols && ones.nnz <= f.nnz;
    if (!same)
        refuse_input(
            fmt::format("{}: it is not the pattern of {}", captured.pattern, captured.file));
    return convert_values(ones.view(), f.value_type);
}

void keep_capture(const std::string& directory, const Capture& capture, const CsrView& matrix,
                  bool with_pattern) {
    make_directories(directory);
    const File place = open_directory(directory);
    if (!place) throw std::system_error(errno, std::generic_category(), "open");
    const std::string pattern = directory + "/" + pattern_file_name(capture.pattern);
    // The pattern first: who sees a capture sees the whole of it.
    if (with_pattern && !std::filesystem::exists(pattern)) write_pattern(pattern, matrix);
    publish_file(place.get(),
                 capture_file_name(capture.pattern, capture.features.value_type, capture.question),
                 to_json(capture), false);
}

}  // namespace spmvgen
