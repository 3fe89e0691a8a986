// Changes of the inputs of kernel_set.cpp that are a set's file: its JSON header, which keeps its
// length as far as blanks can make up for what is missing.
#include <cstring>

#include "json_mutation.hpp"
#include "sets/set_file.hpp"
#include "support.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    using namespace spmvgen;
    fuzz::Input input(data, size);
    const unsigned flags = input.byte();
    std::string front(input.bytes(set_preamble_bytes));
    if (flags & 1 || front.size() < set_preamble_bytes)
        return LLVMFuzzerMutate(data, size, max_size);
    std::uint32_t header_bytes = 0;
    std::memcpy(&header_bytes, front.data() + 12, sizeof header_bytes);
    std::string header = fuzz::mutated_json(input.bytes(header_bytes), seed);
    if (header.empty()) return LLVMFuzzerMutate(data, size, max_size);
    header.resize((header.size() + set_alignment - 1) / set_alignment * set_alignment, ' ');
    header_bytes = static_cast<std::uint32_t>(header.size());
    std::memcpy(front.data() + 12, &header_bytes, sizeof header_bytes);
    const std::string changed =
        static_cast<char>(flags) + front + header + std::string(input.rest());
    if (changed.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
    std::memcpy(data, changed.data(), changed.size());
    return changed.size();
}
