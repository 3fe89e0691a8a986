#include "pack/pack.hpp"

namespace spmvgen::cli {

void add_pack(CLI::App* verb, Verbs& verbs) {
    verb->require_subcommand(1);
    for (auto add : {add_pack_build, add_pack_list, add_pack_verify, add_pack_merge})
        add(*verb, verbs);
    verb->footer(
        "Examples:\n"
        "  spmvgen pack build --kernel csr_rows --value f64 --index i32/i32 --arch x86-64-v3 -o "
        "A.spmvset\n"
        "  spmvgen pack verify A.spmvset\n"
        "  spmvgen run A.mtx --kernel-sets A.spmvset");
}

}  // namespace spmvgen::cli
