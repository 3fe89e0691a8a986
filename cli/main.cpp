#include <csignal>
#include <iostream>

#include "command_line.hpp"

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error message, not a silent death
    return spmvgen::cli::run_command_line({argv + 1, argv + argc}, std::cout, std::cerr);
}
