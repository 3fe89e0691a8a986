// Changes of inputs that are one JSON text. Without them most changes end at the first brace.
#include <cstring>

#include "json_mutation.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    const std::string text = spmvgen::fuzz::mutated_json(
        std::string_view(reinterpret_cast<const char*>(data), size), seed);
    if (text.empty() || text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
    std::memcpy(data, text.data(), text.size());
    return text.size();
}
