#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sets/set_file.hpp"

/// Where kernel sets are, and looking in them.
namespace spmvgen {

/// What could be opened of a path, or why it is of no use here.
struct NamedSet {
    std::string path;
    std::shared_ptr<const KernelSet> set;  ///< null when the file cannot be read
    std::string problem;                   ///< "" = it is searched
};

/// The files of a list of files and folders that are separated by ':', in order; of a folder its
/// *.spmvset by name. A path that is not there is in the list as it is.
std::vector<std::string> set_files(const std::string& list);

/// The sets that are searched for a handle with that options.kernel_sets, the first first: those of
/// the option, those of $SPMVGEN_KERNEL_SETS, those in spmvgen/kernel-sets/ beside the library.
/// Each is opened; of a set that was made by another spmvgen, and of a file that is none, `problem`
/// says so. Never throws for what is on the disk.
std::vector<NamedSet> find_sets(const std::string& option, const Maker& maker = this_maker());

/// A kernel that was found, and where. Its signature is that of its own target, which may be
/// another one that runs here (compatible_targets).
struct FoundInSet {
    KernelBinary binary;
    std::string path;
};

/// The kernel for `signature` of one of the kinds, the first kind first, then the best target, then
/// the first set. `use` is given each that is found until it accepts one: it says whether it does.
/// An entry that cannot be used is told to `warn` and passed over. Whether one was accepted.
bool search_sets(const std::vector<NamedSet>& sets, const Signature& signature,
                 const std::vector<BinaryKind>& kinds, const Maker& maker,
                 const std::function<bool(const FoundInSet&)>& use,
                 const std::function<void(const std::string&)>& warn);

/// The sets of this process, each opened once. Safe for any number of threads.
class OpenedSets {
  public:
    /// find_sets(); what is wrong with one of them is told to `warn` when it is opened.
    std::shared_ptr<const std::vector<NamedSet>> of(
        const std::string& option, const std::function<void(const std::string&)>& warn);

  private:
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<const std::vector<NamedSet>>> known_;
};

}  // namespace spmvgen
