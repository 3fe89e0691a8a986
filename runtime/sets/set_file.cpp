#include "sets/set_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "sets/trust.hpp"
#include "spmvgen/error.hpp"
#include "store/entry.hpp"
#include "store/files.hpp"
#include "store/key.hpp"

namespace spmvgen {
namespace {

using nlohmann::json;

constexpr std::string_view magic = "SPMVSET\n";
constexpr std::size_t checksum_at = 32;

std::uint64_t aligned(std::uint64_t offset) {
    return (offset + set_alignment - 1) / set_alignment * set_alignment;
}

std::string little_endian(std::uint64_t number, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xff);
    return text;
}

std::uint64_t number_at(std::string_view bytes, std::size_t at, int count) {
    std::uint64_t number = 0;
    for (int i = 0; i < count; ++i)
        number |= std::uint64_t{static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)])}
                  << (8 * i);
    return number;
}

int value_of(char digit) {
    return digit >= '0' && digit <= '9'   ? digit - '0'
           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                                          : -1;
}

/// The 32 bytes that 64 digits stand for.
std::string from_hex(std::string_view digits) {
    std::string bytes;
    bool good = digits.size() == 2 * sha256_bytes;
    for (std::size_t i = 0; good && i < digits.size(); i += 2) {
        const int high = value_of(digits[i]), low = value_of(digits[i + 1]);
        good = high >= 0 && low >= 0;
        bytes += static_cast<char>(16 * high + low);
    }
    if (!good) throw Error(ErrorCode::internal, fmt::format("'{}' is no digest of a key", digits));
    return bytes;
}

std::string header_text(const SetHeader& h) {
    const json object{{"launch_abi", h.launch_abi},
                      {"targets", h.targets},
                      {"generator", h.maker.generator},
                      {"compiler", h.maker.compiler},
                      {"compiler_series", h.maker.compiler_series},
                      {"version", h.version},
                      {"name", h.name}};
    std::string text = object.dump();
    text.resize(aligned(text.size() + 1) - 1, ' ');
    return text + "\n";
}

SetHeader read_header(std::string_view bytes) {
    try {
        const json h = json::parse(bytes);
        const auto text = [&](const char* name) -> const std::string& {
            return h.at(name).get_ref<const std::string&>();
        };
        if (!h.at("launch_abi").is_number_integer()) throw BadSet("launch_abi is not an integer");
        SetHeader header{{text("generator"), text("compiler"), text("compiler_series")},
                         h.at("launch_abi").get<std::int64_t>(),
                         text("version"),
                         text("name"),
                         {}};
        for (auto& target : h.at("targets"))
            header.targets.push_back(target.get_ref<const std::string&>());
        return header;
    } catch (const json::exception& e) {
        throw BadSet(fmt::format("bad header: {}", e.what()));
    }
}

/// What the checksum in the preamble covers: all in front of the entries but itself.
std::string checksum_of(std::string_view preamble, std::string_view header_and_index) {
    return sha256(std::string(preamble.substr(0, checksum_at)) + std::string(header_and_index));
}

struct Lengths {
    std::uint64_t header = 0, entries = 0;
};

/// Checks magic, version, and the lengths against the size of the file.
Lengths read_preamble_of_set(std::string_view first, std::uint64_t size) {
    if (first.size() < set_preamble_bytes)
        throw BadSet(fmt::format("{} bytes are too few for a kernel set", size));
    if (!first.starts_with(magic)) throw BadSet("it does not begin as a kernel set does");
    const auto version = number_at(first, 8, 4);
    if (version > set_format)
        throw BadSet(
            fmt::format("its format version is {}, this spmvgen reads {}", version, set_format));
    if (version != set_format) throw BadSet(fmt::format("no format version {}", version));
    const Lengths l{number_at(first, 12, 4), number_at(first, 16, 8)};
    if (number_at(first, 24, 8) != size)
        throw BadSet(
            fmt::format("it has {} bytes, but was written with {}", size, number_at(first, 24, 8)));
    // Each term is bounded before the sum is taken: it cannot wrap.
    const std::uint64_t rest = size - set_preamble_bytes;
    if (l.header > max_header_bytes || l.header % set_alignment != 0 || l.header > rest ||
        l.entries > (rest - l.header) / set_index_bytes)
        throw BadSet(fmt::format("{} bytes do not hold what its lengths add up to", size));
    return l;
}

class BytesInMemory final : public SetBytes {
  public:
    explicit BytesInMemory(std::string bytes) : bytes_(std::move(bytes)) {}
    std::uint64_t size() const override { return bytes_.size(); }
    std::string read(std::uint64_t offset, std::uint64_t count) const override {
        return offset < bytes_.size() ? bytes_.substr(offset, count) : "";
    }

  private:
    std::string bytes_;
};

/// Read by position instead of mapped: a file that somebody cuts short would end a process that
/// has mapped it.
class BytesInFile final : public SetBytes {
  public:
    explicit BytesInFile(File file)
        : file_(std::move(file)), size_(static_cast<std::uint64_t>(status(file_).st_size)) {}
    std::uint64_t size() const override { return size_; }
    std::string read(std::uint64_t offset, std::uint64_t count) const override {
        return read_bytes(file_, count, offset);
    }

  private:
    File file_;
    std::uint64_t size_;
};

}  // namespace

std::string encode_set(const SetHeader& header, const SetEntries& entries) {
    const std::string text = header_text(header);
    std::uint64_t end = set_preamble_bytes + text.size() + set_index_bytes * entries.size();
    std::string front = text;
    for (auto& [digest, bytes] : entries) {
        const std::uint64_t offset = aligned(end);
        front += from_hex(digest) + little_endian(offset, 8) + little_endian(bytes.size(), 8);
        end = offset + bytes.size();
    }
    std::string set(magic);
    set += little_endian(set_format, 4) + little_endian(text.size(), 4) +
           little_endian(entries.size(), 8) + little_endian(end, 8);
    set += checksum_of(set, front);
    set.reserve(end);
    set += front;
    for (auto& [digest, bytes] : entries) {
        set.resize(aligned(set.size()), '\0');
        set += bytes;
    }
    return set;
}

KernelSet::KernelSet(std::unique_ptr<SetBytes> bytes) : bytes_(std::move(bytes)) {
    const std::string first = bytes_->read(0, set_preamble_bytes);
    const Lengths lengths = read_preamble_of_set(first, bytes_->size());
    entries_at_ = set_preamble_bytes + lengths.header + set_index_bytes * lengths.entries;
    const std::string front = bytes_->read(set_preamble_bytes, entries_at_ - set_preamble_bytes);
    if (front.size() != entries_at_ - set_preamble_bytes ||
        checksum_of(first, front) != first.substr(checksum_at, sha256_bytes))
        throw BadSet("the checksum of its index does not match");
    header_ = read_header(std::string_view(front).substr(0, lengths.header));
    index_ = front.substr(lengths.header);
    count_ = lengths.entries;
    check_index();
}

KernelSet::Place KernelSet::place(std::size_t i) const {
    const std::string_view row = std::string_view(index_).substr(i * set_index_bytes);
    return {row.substr(0, sha256_bytes), number_at(row, sha256_bytes, 8),
            number_at(row, sha256_bytes + 8, 8)};
}

void KernelSet::check_index() const {
    std::uint64_t end = entries_at_;
    for (std::size_t i = 0; i < count_; ++i) {
        const Place p = place(i);
        if (i > 0 && p.digest <= place(i - 1).digest) throw BadSet("its index is not sorted");
        if (p.offset != aligned(end) || p.length > max_entry_bytes ||
            p.offset + p.length > bytes_->size())
            throw BadSet(fmt::format("its index gives entry {} a wrong place", i));
        end = p.offset + p.length;
    }
    if (end != bytes_->size())
        throw BadSet(
            fmt::format("it has {} bytes, but its entries end at {}", bytes_->size(), end));
}

std::string KernelSet::digest(std::size_t i) const {
    return to_hex(place(i).digest);
}

std::uint64_t KernelSet::entry_bytes(std::size_t i) const {
    return place(i).length;
}

std::string KernelSet::entry(std::size_t i) const {
    const Place p = place(i);
    return bytes_->read(p.offset, p.length);
}

std::optional<KernelBinary> KernelSet::find(const Key& key) const {
    const std::string wanted = from_hex(key.digest());
    std::size_t first = 0, last = count_;
    while (first < last) {
        const std::size_t middle = first + (last - first) / 2;
        if (place(middle).digest < wanted)
            first = middle + 1;
        else
            last = middle;
    }
    if (first == count_ || place(first).digest != wanted) return {};
    return decode_entry(entry(first), key);
}

std::vector<std::string> KernelSet::problems() const {
    std::vector<std::string> found;
    std::uint64_t end = entries_at_;
    for (std::size_t i = 0; i < count_; ++i) try {
            const Place p = place(i);
            const std::string between = bytes_->read(end, p.offset - end);
            end = p.offset + p.length;
            if (between.find_first_not_of('\0') != std::string::npos)
                throw BadEntry("the bytes in front of it are not zero");
            const std::string bytes = entry(i);
            const Summary s = summary_of_entry(bytes);
            if (s.key.digest() != digest(i))
                throw BadEntry("its place in the index is not the digest of its key");
            if (!is_made_by(header_.maker, s.key))
                throw BadEntry("its key names another maker than the set's header");
            decode_entry(bytes, s.key);
        } catch (const std::runtime_error& e) {
            found.push_back(fmt::format("entry {} ({}): {}", i, digest(i), e.what()));
        }
    return found;
}

Summary summary_of_entry(std::string_view entry) {
    const Preamble parts = read_preamble(entry.substr(0, preamble_bytes), entry.size());
    return read_summary(entry.substr(preamble_bytes, parts.header_bytes));
}

bool is_made_by(const Maker& maker, const Key& key) {
    const auto is = [&](const char* name, const std::string& value) {
        const auto it = key.fields.find(name);
        const auto* text = it != key.fields.end() ? std::get_if<std::string>(&it->second) : nullptr;
        return text != nullptr && *text == value;
    };
    return is("generator", maker.generator) && is("compiler", maker.compiler) &&
           is("compiler_series", maker.compiler_series);
}

KernelSet set_from_bytes(std::string bytes) {
    return KernelSet(std::make_unique<BytesInMemory>(std::move(bytes)));
}

KernelSet open_set(const std::string& path) {
    // Links are followed: /opt/…/current is one. O_NONBLOCK: a FIFO must not stop us.
    File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file) throw std::system_error(errno, std::generic_category(), "open");
    const struct stat s = status(file);
    if (!S_ISREG(s.st_mode)) throw BadSet("it is no regular file");
    if (const std::string why = why_untrusted(s); !why.empty()) throw BadSet(why);
    return KernelSet(std::make_unique<BytesInFile>(std::move(file)));
}

}  // namespace spmvgen
