// Changes of the inputs of store_entry.cpp that are made of parts: the JSON header, and its length.
#include <cstring>

#include "json_mutation.hpp"
#include "support.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    spmvgen::fuzz::Input input(data, size);
    const unsigned flags = input.byte(), header_bytes = input.two_bytes();
    const std::string source_length(input.bytes(2));
    const std::string header =
        flags & 1 ? spmvgen::fuzz::mutated_json(input.bytes(header_bytes), seed) : "";
    if (header.empty() || header.size() > 0xffff) return LLVMFuzzerMutate(data, size, max_size);
    std::string changed{static_cast<char>(flags), static_cast<char>(header.size() & 0xff),
                        static_cast<char>(header.size() >> 8)};
    changed += source_length + header + std::string(input.rest());
    if (changed.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
    std::memcpy(data, changed.data(), changed.size());
    return changed.size();
}
