#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "store/files.hpp"

namespace spmvgen {

/// Lines of text in a file of a store's directory, which all processes that use the directory add
/// to. What cannot be read is empty, and what cannot be written is left out; nothing throws for
/// what is on the disk. For one thread at a time.
class SharedLines {
  public:
    /// Bytes of the file that are read, the last ones. A file that is larger is cut to half of it.
    static constexpr std::size_t most_bytes = 256 << 10;

    /// No file: nothing to read, and nothing is kept.
    SharedLines() = default;
    /// The file `name`, below a directory that is judged as a store's.
    SharedLines(Location directory, std::string name, bool writable);

    /// The lines, each with its end; one that others are just writing may be cut.
    std::string read();
    /// Adds a line, which has its end; makes directory and file where there are none.
    void append(std::string_view line);

  private:
    File open_directory_of_it() const;

    Location directory_;
    std::string name_;
    bool writable_ = false;
    File file_;  ///< open to append, once something was
};

}  // namespace spmvgen
