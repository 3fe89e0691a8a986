// A shared library that is no generator.
extern "C" __attribute__((visibility("default"))) int unrelated() {
    return 0;
}
