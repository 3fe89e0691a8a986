#include "store/shared_lines.hpp"

#include <system_error>
#include <utility>

namespace spmvgen {

SharedLines::SharedLines(Location directory, std::string name, bool writable)
    : directory_(std::move(directory)), name_(std::move(name)), writable_(writable) {}

File SharedLines::open_directory_of_it() const {
    if (directory_.path.empty()) return {};
    File directory = open_directory(directory_.path);
    if (!directory || !why_unsafe(status(directory), directory_.given).empty()) return {};
    return directory;
}

std::string SharedLines::read() try {
    const File directory = open_directory_of_it();
    const File file = directory ? open_file(directory.get(), name_) : File();
    if (!file || !why_unsafe_entry(status(file)).empty()) return "";
    const auto size = static_cast<std::size_t>(status(file).st_size);
    if (size <= most_bytes) return read_bytes(file, size);
    std::string last = read_bytes(file, most_bytes / 2, size - most_bytes / 2);
    last.erase(0, last.find('\n') + 1);
    if (writable_) publish_file(directory.get(), name_, last, false);
    return last;
} catch (const std::system_error&) {
    return "";
}

void SharedLines::append(std::string_view line) try {
    if (!writable_ || directory_.path.empty()) return;
    if (file_ && status(file_).st_nlink == 0) file_ = File();  // others have cut or removed it
    if (!file_) {
        make_directories(directory_.path);
        const File directory = open_directory_of_it();
        if (directory) file_ = open_to_append(directory.get(), name_);
        if (!file_ || !why_unsafe_entry(status(file_)).empty()) {
            file_ = File();
            writable_ = false;
            return;
        }
    }
    append_to(file_, line);
} catch (const std::system_error&) {
    writable_ = false;
}

}  // namespace spmvgen
