#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "samples.hpp"

namespace spmvgen {

namespace fs = std::filesystem;

/// A store in a directory of its own that does not exist yet.
class StoreTest : public testing::Test {
  protected:
    std::string directory() const { return (temporary_.path() / "cache").string(); }
    Store open(bool writable = true) {
        StoreOptions options = sample_options(directory(), warnings_);
        options.writable = writable;
        return Store(options);
    }
    std::string path() { return open().path_of(sample_signature()); }
    bool finds(Store& store) {
        const auto found = store.find(sample_signature());
        EXPECT_TRUE(!found || same(*found, sample_binary()));
        return found.has_value();
    }
    static void set_mtime(const fs::path& file, std::int64_t seconds) {
        const timespec times[2] = {{seconds, 0}, {seconds, 0}};
        ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
    }

    TemporaryDirectory temporary_;
    Warnings warnings_;
};

}  // namespace spmvgen
