// A module that speaks another interface.
extern "C" __attribute__((visibility("default"))) void* spmvgen_generator(int) {
    return nullptr;
}
