#pragma once
#include <zlib.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace spmvgen {

/// What gzip data of one or more members inflates to, in order. For one thread at a time.
class Inflater {
  public:
    /// Puts the next bytes of the data into a buffer of that size; returns how many, 0 at the end.
    using Source = std::function<std::size_t(char* to, std::size_t bytes)>;

    explicit Inflater(Source source);
    ~Inflater();
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    /// Inflates up to `bytes`; fewer only at the end or before damage, which `damage()` then names.
    /// Throws what the source throws.
    std::size_t read(char* to, std::size_t bytes);

    const std::string& damage() const { return damage_; }

  private:
    std::size_t step(char* to, std::size_t bytes);
    void refill();
    bool start_member();
    void stop(std::string damage);

    Source source_;
    std::vector<char> input_;
    z_stream stream_{};
    bool between_members_ = false;
    bool ended_ = false;
    std::string damage_;
};

/// Whether a file that begins like this is one of gzip.
constexpr bool is_gzip(std::string_view begin) {
    return begin.starts_with("\x1f\x8b");
}

/// All that gzip data inflates to. Throws Error(invalid_input) when it is damaged or when that are
/// more than `most` bytes, of which no more are ever held.
std::string inflate_all(std::string_view gzip, std::size_t most);

/// A file of gzip, packed as small as zlib can, without name and time: equal texts, equal bytes.
std::string deflate_all(std::string_view text);

}  // namespace spmvgen
