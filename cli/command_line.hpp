#pragma once
#include <iosfwd>
#include <string>
#include <vector>

namespace spmvgen::cli {

/// The whole program: `arguments` are those after the program's name. Results go to `out`,
/// messages to `err`. Returns the exit status: 0 done, 1 the work failed, 2 wrong usage. Throws
/// nothing; keeps no state between calls.
int run_command_line(const std::vector<std::string>& arguments, std::ostream& out,
                     std::ostream& err);

}  // namespace spmvgen::cli
