#include "store/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "store/key.hpp"
#include "store_fixture.hpp"

namespace spmvgen {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(StoreTest, FindsWhatWasPut) {
    Store store = open();
    EXPECT_FALSE(finds(store));
    EXPECT_FALSE(fs::exists(directory())) << "looking must make nothing";
    EXPECT_TRUE(store.put(sample_binary()));
    EXPECT_TRUE(finds(store));
    Store another = open();
    EXPECT_TRUE(finds(another));
    const auto c = store.counters();
    EXPECT_EQ(c.hits, 1);
    EXPECT_EQ(c.misses, 1);
    EXPECT_EQ(c.rejected, 0);
    EXPECT_EQ(c.written, 1);
    EXPECT_EQ(c.write_failures, 0);
    EXPECT_THAT(warnings_.texts(), IsEmpty());
}

TEST_F(StoreTest, OneFileAnEntryNamedByTheDigest) {
    Store store = open();
    ASSERT_TRUE(store.put(sample_binary()));
    ASSERT_TRUE(store.put(sample_binary()));
    const std::string digest =
        key_of(sample_signature(), BinaryKind::shared_object, sample_maker()).digest();
    EXPECT_THAT(files_below(directory()), ElementsAre(fs::path(directory()) / digest.substr(0, 2) /
                                                      (digest.substr(2) + ".spmvk")));
    EXPECT_EQ(files_below(directory())[0], store.path_of(sample_signature()));
    EXPECT_THAT(read_file(path()), HasSubstr("// y = αAx + βy\nint row;\n")) << "not for people";
}

TEST_F(StoreTest, KindsDoNotMix) {
    Store store = open();
    KernelBinary object = sample_binary();
    object.kind = BinaryKind::object;
    object.bytes = "an object";
    ASSERT_TRUE(store.put(object));
    EXPECT_FALSE(finds(store));
    ASSERT_TRUE(store.put(sample_binary()));
    EXPECT_TRUE(finds(store));
    EXPECT_TRUE(same(*store.find(sample_signature(), BinaryKind::object), object));
}

TEST_F(StoreTest, NothingIsReadableByOthers) {
    const mode_t before = ::umask(0);
    Store store = open();
    const bool put = store.put(sample_binary());
    ::umask(before);
    ASSERT_TRUE(put);
    struct stat s{};
    for (const fs::path& made : {fs::path(directory()), fs::path(path()).parent_path()}) {
        ASSERT_EQ(::stat(made.c_str(), &s), 0);
        EXPECT_EQ(s.st_mode & 07777, 0700u) << made;
    }
    ASSERT_EQ(::stat(path().c_str(), &s), 0);
    EXPECT_EQ(s.st_mode & 07777, 0600u);
}

TEST_F(StoreTest, GeneratorsShareADirectoryWithoutMixing) {
    Store store = open();
    StoreOptions options = sample_options(directory(), warnings_);
    options.maker.generator = std::string(64, 'f');
    Store other(options);
    KernelBinary binary = sample_binary();
    binary.bytes = "made from other templates";
    ASSERT_TRUE(store.put(sample_binary()));
    EXPECT_FALSE(other.find(sample_signature()));
    ASSERT_TRUE(other.put(binary));
    EXPECT_TRUE(finds(store));
    EXPECT_TRUE(same(*other.find(sample_signature()), binary));
    const auto entries = store.list();
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_NE(entries[0].current, entries[1].current);
}

TEST_F(StoreTest, EveryFlippedByteOnDiskIsAMissAndMended) {
    ASSERT_TRUE(open().put(sample_binary()));
    const std::string sound = read_file(path());
    for (std::size_t i = 0; i < sound.size(); ++i) {
        std::string flipped = sound;
        flipped[i] = static_cast<char>(~flipped[i]);
        write_file(path(), flipped);
        Store store = open();
        ASSERT_FALSE(store.find(sample_signature())) << i;
        ASSERT_EQ(store.counters().rejected, 1) << i;
        const bool version = i >= 8 && i < 12;  // which then is that of a later format
        ASSERT_EQ(fs::exists(path()), version) << i;
    }
    Store store = open();
    EXPECT_TRUE(store.put(sample_binary()));
    EXPECT_TRUE(finds(store));
}

/// A single bit is harder to see than a whole byte: each of the numbers before the header, one of
/// each byte after them.
TEST_F(StoreTest, FlippedBitsAreMisses) {
    ASSERT_TRUE(open().put(sample_binary()));
    const std::string sound = read_file(path());
    Store store = open(false);
    std::int64_t tried = 0;
    for (std::size_t bit = 0; bit < 8 * sound.size(); ++bit) {
        if (bit >= 8 * 32 && bit % 8 != bit / 8 % 8) continue;
        std::string flipped = sound;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
        write_file(path(), flipped);
        ASSERT_FALSE(store.find(sample_signature())) << bit;
        ++tried;
    }
    EXPECT_EQ(store.counters().rejected, tried);
}

TEST_F(StoreTest, TruncatedEntryIsAMissAtEveryLength) {
    ASSERT_TRUE(open().put(sample_binary()));
    const std::string sound = read_file(path());
    for (std::size_t length = 0; length < sound.size(); ++length) {
        write_file(path(), sound.substr(0, length));
        Store store = open();
        ASSERT_FALSE(store.find(sample_signature())) << length;
        ASSERT_FALSE(fs::exists(path())) << length;
    }
}

TEST_F(StoreTest, DamageIsWarnedOfOnceAndSaysWhere) {
    Store store = open(false);
    ASSERT_TRUE(open().put(sample_binary()));
    write_file(path(), read_file(path()).replace(100, 1, "?"));
    EXPECT_FALSE(finds(store));
    EXPECT_FALSE(finds(store));
    EXPECT_THAT(warnings_.texts(),
                ElementsAre("kernel cache entry " + path() +
                            " is damaged (its checksum does not match): left there, the kernel is "
                            "made again"));
    EXPECT_TRUE(fs::exists(path())) << "a store that is not writable removed a file";
    Store writable = open();
    EXPECT_FALSE(finds(writable));
    EXPECT_EQ(warnings_.texts().back(),
              "kernel cache entry " + path() +
                  " is damaged (its checksum does not match): removed, the kernel is made again");
    EXPECT_FALSE(fs::exists(path()));
}

TEST_F(StoreTest, EntryThatOthersMayWriteToIsNotUsed) {
    Store store = open();
    ASSERT_TRUE(store.put(sample_binary()));
    ASSERT_EQ(::chmod(path().c_str(), 0620), 0);
    EXPECT_FALSE(finds(store));
    EXPECT_EQ(store.list().at(0).problem, "its group may write to it (mode 0620)");
    EXPECT_THAT(warnings_.texts(),
                ElementsAre("kernel cache entry " + path() +
                            " is not used: its group may write to it (mode 0620); the kernel is "
                            "made again"));
    EXPECT_TRUE(store.put(sample_binary())) << "and is then replaced";
    EXPECT_TRUE(finds(store));
}

TEST_F(StoreTest, EntryOfAnotherUserIsNotUsed) {
    if (::geteuid() != 0) GTEST_SKIP() << "[SKIP] only root can give a file away";
    Store store = open();
    ASSERT_TRUE(store.put(sample_binary()));
    ASSERT_EQ(::chown(path().c_str(), 1, 1), 0);
    EXPECT_FALSE(finds(store));
    EXPECT_TRUE(fs::exists(path()));
    EXPECT_EQ(store.counters().rejected, 1);
}

TEST_F(StoreTest, EntryOfALaterFormatIsLeftThere) {
    ASSERT_TRUE(open().put(sample_binary()));
    std::string later = read_file(path());
    later[8] = 3;
    write_file(path(), later);
    Store store = open();
    EXPECT_FALSE(finds(store));
    EXPECT_EQ(read_file(path()), later);
    EXPECT_THAT(warnings_.texts(), IsEmpty());
    EXPECT_EQ(store.list().at(0).problem, "its format version is 3, this spmvgen reads 2");
}

TEST_F(StoreTest, RenamedEntryOfAnotherSignatureIsRefused) {
    KernelBinary other = sample_binary();
    other.signature.num_rhs = 1;
    Store store = open();
    ASSERT_TRUE(store.put(other));
    fs::create_directories(fs::path(path()).parent_path());
    fs::rename(store.path_of(other.signature), path());
    EXPECT_EQ(store.list().at(0).problem, "its name is not the digest of its key");
    EXPECT_FALSE(finds(store));
    EXPECT_FALSE(fs::exists(path()));
    EXPECT_THAT(warnings_.texts(), ElementsAre(HasSubstr("it is the entry of another kernel")));
}

TEST_F(StoreTest, HugeSparseFileIsNotReadIntoMemory) {
    write_file(path(), read_file(SPMVGEN_GOLDEN "/entry_v1.spmvk"));
    if (::truncate(path().c_str(), off_t{1} << 42) != 0)
        GTEST_SKIP() << "[SKIP] this file system has no sparse file of 4 TiB";
    ::chmod(directory().c_str(), 0700);
    Store store = open();
    EXPECT_FALSE(finds(store));
    EXPECT_FALSE(fs::exists(path()));
}

TEST_F(StoreTest, ThingsThatAreNoFilesAreMisses) {
    Store store = open();
    fs::create_directories(path());
    EXPECT_FALSE(finds(store));
    EXPECT_FALSE(store.put(sample_binary()));
    EXPECT_TRUE(fs::is_directory(path()));
    EXPECT_EQ(store.clear(), 0);
    fs::remove(path());
    ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
    EXPECT_FALSE(finds(store)) << "and does not hang";
    fs::remove(path());
    write_file(temporary_.path() / "elsewhere", read_file(SPMVGEN_GOLDEN "/entry_v1.spmvk"));
    fs::create_symlink(temporary_.path() / "elsewhere", path());
    EXPECT_FALSE(finds(store)) << "links are not followed";
    EXPECT_EQ(store.clear(), 0);
    EXPECT_TRUE(fs::exists(temporary_.path() / "elsewhere"));
    EXPECT_EQ(warnings_.texts().size(), 2u);  // one for reading, one for writing
}

TEST_F(StoreTest, LinksBelowTheDirectoryAreNotFollowed) {
    Store store = open();
    ASSERT_TRUE(store.put(sample_binary()));
    const fs::path shard = fs::path(path()).parent_path(), moved = temporary_.path() / "moved";
    fs::rename(shard, moved);
    fs::create_directory_symlink(moved, shard);
    EXPECT_FALSE(finds(store));
    EXPECT_FALSE(store.put(sample_binary()));
    EXPECT_THAT(store.list(), IsEmpty());
    EXPECT_EQ(store.clear(), 0);
    EXPECT_EQ(files_below(moved).size(), 1u);
}

TEST_F(StoreTest, FailedPutLeavesNothingBehind) {
    Store store = open();
    fs::create_directories(fs::path(path()) / "in the way");
    EXPECT_FALSE(store.put(sample_binary()));
    EXPECT_FALSE(store.put(sample_binary()));
    EXPECT_THAT(files_below(directory()), IsEmpty());
    EXPECT_EQ(store.counters().write_failures, 2);
    EXPECT_THAT(warnings_.texts(), ElementsAre("kernel cache " + directory() +
                                               ": kernels are not kept: rename: Is a directory"));
}

TEST_F(StoreTest, BinaryThatContradictsItselfIsNotKept) {
    Store store = open();
    KernelBinary binary = sample_binary();
    binary.source_digest = "0";
    EXPECT_FALSE(store.put(binary));
    EXPECT_FALSE(fs::exists(directory()));
    EXPECT_THAT(warnings_.texts(),
                ElementsAre("kernel cache " + directory() +
                            ": kernels are not kept: the source digest is not the digest of the "
                            "source"));
}

TEST_F(StoreTest, DirectoryThatIsAFile) {
    write_file(directory(), "not a directory");
    Store store = open();
    EXPECT_FALSE(finds(store));
    EXPECT_FALSE(store.put(sample_binary()));
    EXPECT_THAT(store.list(), IsEmpty());
    EXPECT_EQ(store.clear(), 0);
    EXPECT_EQ(store.problem(), "Not a directory");
    EXPECT_EQ(read_file(directory()), "not a directory");
}

TEST_F(StoreTest, ReadOnlyStoreNeverWrites) {
    Store store = open(false);
    EXPECT_FALSE(store.put(sample_binary()));
    EXPECT_FALSE(fs::exists(directory()));
    EXPECT_THAT(warnings_.texts(), IsEmpty()) << "the caller asked for it";
    ASSERT_TRUE(open().put(sample_binary()));
    EXPECT_TRUE(finds(store));
    EXPECT_EQ(store.clear(), 0);
    EXPECT_TRUE(finds(store));
    EXPECT_THAT(warnings_.texts(), ElementsAre("kernel cache " + directory() +
                                               " is not cleared: it is open for reading only"));
}

TEST_F(StoreTest, ClocksDoNotDecideWhatIsFound) {
    StoreOptions options = sample_options(directory(), warnings_);
    for (std::int64_t now : {std::int64_t{0}, std::int64_t{32503680000}}) {  // 1970 and 3000
        options.clock = [now] { return now; };
        Store store(options);
        ASSERT_TRUE(store.put(sample_binary()));
        for (std::int64_t mtime : {std::int64_t{1}, std::int64_t{32503680000}}) {
            set_mtime(path(), mtime);
            EXPECT_TRUE(finds(store));
        }
    }
    EXPECT_THAT(warnings_.texts(), IsEmpty());
}

TEST_F(StoreTest, FsyncIsAnOptionAndAnEnvironmentVariable) {
    StoreOptions options = sample_options(directory(), warnings_);
    options.sync = true;
    EXPECT_TRUE(Store(options).put(sample_binary()));
    options.sync.reset();
    ::setenv("SPMVGEN_CACHE_FSYNC", "1", 1);
    EXPECT_TRUE(Store(options).put(sample_binary()));
    EXPECT_THAT(warnings_.texts(), IsEmpty());
    ::setenv("SPMVGEN_CACHE_FSYNC", "yes", 1);
    EXPECT_TRUE(Store(options).put(sample_binary()));
    EXPECT_THAT(warnings_.texts(),
                ElementsAre("SPMVGEN_CACHE_FSYNC is 'yes': use 0 or 1; 0 is taken"));
    ::unsetenv("SPMVGEN_CACHE_FSYNC");
}

TEST_F(StoreTest, WarningsGoToStandardErrorUnlessQuiet) {
    write_file(directory(), "not a directory");
    for (const char* log : {"", "quiet"}) {
        ::setenv("SPMVGEN_LOG", log, 1);
        testing::internal::CaptureStderr();
        EXPECT_FALSE(Store(directory()).find(sample_signature()));
        EXPECT_EQ(testing::internal::GetCapturedStderr(),
                  *log ? ""
                       : "spmvgen: warning: kernel cache " + directory() +
                             " is not used: Not a directory\n");
    }
    ::unsetenv("SPMVGEN_LOG");
}

TEST_F(StoreTest, PathsWithSpacesAndUnicode) {
    for (const char* name : {"with space", "ünïcödé 漢字", "new\nline", "'\"$(x);*", "-n"}) {
        StoreOptions options =
            sample_options((temporary_.path() / name / "deep er").string(), warnings_);
        Store store(options);
        EXPECT_TRUE(store.put(sample_binary())) << name;
        EXPECT_TRUE(finds(store)) << name;
        EXPECT_EQ(store.clear(), 1) << name;
    }
    EXPECT_THAT(warnings_.texts(), IsEmpty());
}

TEST_F(StoreTest, PathThatIsTooLong) {
    StoreOptions options =
        sample_options((temporary_.path() / std::string(300, 'x')).string(), warnings_);
    Store store(options);
    EXPECT_FALSE(finds(store));
    EXPECT_FALSE(store.put(sample_binary()));
    EXPECT_EQ(warnings_.texts().size(), 2u);
}

TEST_F(StoreTest, RemovedWhileInUse) {
    Store store = open();
    ASSERT_TRUE(store.put(sample_binary()));
    fs::remove_all(directory());
    EXPECT_FALSE(finds(store));
    EXPECT_TRUE(store.put(sample_binary()));
    EXPECT_TRUE(finds(store));
    EXPECT_THAT(warnings_.texts(), IsEmpty());
}

}  // namespace
}  // namespace spmvgen
