#include "matrix/files/inflater.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr int gzip_only = 15 + 16;  ///< zlib's window bits: the largest, and gzip's header
constexpr std::size_t input_bytes = std::size_t{1} << 18;

}  // namespace

Inflater::Inflater(Source source) : source_(std::move(source)), input_(input_bytes) {
    if (inflateInit2(&stream_, gzip_only) != Z_OK) throw std::bad_alloc();
}

Inflater::~Inflater() {
    inflateEnd(&stream_);
}

std::size_t Inflater::read(char* to, std::size_t bytes) {
    std::size_t done = 0;
    while (done < bytes && !ended_) done += step(to + done, bytes - done);
    return done;
}

std::size_t Inflater::step(char* to, std::size_t bytes) {
    if (stream_.avail_in == 0) refill();
    if (stream_.avail_in == 0) {
        stop(between_members_ ? "" : "the gzip data is truncated");
        return 0;
    }
    if (between_members_ && !start_member()) return 0;
    const uInt room = static_cast<uInt>(std::min(bytes, std::size_t{1} << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = room;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END)
        between_members_ = true;
    else if (status != Z_OK && status != Z_BUF_ERROR)
        stop(std::string("the gzip data is corrupt: ") +
             (stream_.msg != nullptr ? stream_.msg : "unknown format"));
    return room - stream_.avail_out;
}

void Inflater::refill() {
    stream_.avail_in = static_cast<uInt>(source_(input_.data(), input_.size()));
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
}

/// After a member: another one, or zero bytes that pad the file (as gzip itself allows).
bool Inflater::start_member() {
    if (*stream_.next_in == 0x1f) {
        between_members_ = false;
        inflateReset(&stream_);
        return true;
    }
    for (; stream_.avail_in > 0; ++stream_.next_in, --stream_.avail_in)
        if (*stream_.next_in != 0) {
            stop("other data follow the end of the gzip data");
            return false;
        }
    return false;
}

void Inflater::stop(std::string damage) {
    ended_ = true;
    damage_ = std::move(damage);
}

std::string inflate_all(std::string_view gzip, std::size_t most) {
    const auto refuse = [](const std::string& why) { throw Error(ErrorCode::invalid_input, why); };
    Inflater inflater([rest = gzip](char* to, std::size_t bytes) mutable {
        const std::size_t some = std::min(bytes, rest.size());
        std::memcpy(to, rest.data(), some);
        rest.remove_prefix(some);
        return some;
    });
    std::string text;
    constexpr std::size_t block = std::size_t{1} << 20;
    for (std::size_t got = block; got == block;) {
        const std::size_t had = text.size();
        const std::size_t room = std::min(block, most - had + 1);
        text.resize(had + room);
        got = inflater.read(text.data() + had, room);
        text.resize(had + got);
        if (text.size() > most) refuse(fmt::format("it inflates to more than {} bytes", most));
    }
    if (!inflater.damage().empty()) refuse(inflater.damage());
    return text;
}

std::string deflate_all(std::string_view text) {
    z_stream stream{};
    constexpr int memory = 9;
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_only, memory,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    std::string gzip(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.next_out = reinterpret_cast<Bytef*>(gzip.data());
    // zlib counts in 32 bits: parts of what is left on both sides.
    std::size_t unread = text.size(), room = gzip.size();
    int status = Z_OK;
    while (status == Z_OK) {
        constexpr std::size_t most = std::numeric_limits<uInt>::max();
        const auto in = static_cast<uInt>(std::min(unread, most));
        const auto out = static_cast<uInt>(std::min(room, most));
        stream.avail_in = in;
        stream.avail_out = out;
        status = deflate(&stream, in == unread ? Z_FINISH : Z_NO_FLUSH);
        unread -= in - stream.avail_in;
        room -= out - stream.avail_out;
    }
    deflateEnd(&stream);
    gzip.resize(gzip.size() - room);
    return gzip;
}

}  // namespace spmvgen
