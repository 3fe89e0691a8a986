#include "compilers/gpu/gpu_facts.hpp"

#include <llvm/BinaryFormat/MsgPackDocument.h>
#include <llvm/BinaryFormat/MsgPackReader.h>
#include <llvm/Object/ELF.h>
#include <llvm/Support/Endian.h>

#include <algorithm>
#include <limits>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;
using Facts = std::map<std::string, KernelFacts>;
namespace msgpack = llvm::msgpack;

[[noreturn]] void refuse(const std::string& why) {
    throw Error(ErrorCode::invalid_input, "this is no GPU code that can be read: " + why);
}

template <typename T>
T valid(llvm::Expected<T> value) {
    if (!value) refuse(llvm::toString(value.takeError()));
    return std::move(*value);
}

int to_int(std::uint64_t value) {
    if (value > std::numeric_limits<int>::max()) refuse("a size is out of range");
    return static_cast<int>(value);
}

// NVIDIA. Sections .text.NAME, .nv.shared.NAME; .nv.info holds attributes: format, attribute, then
// two bytes that are the value, or with format 4 the length of the value that follows.
constexpr unsigned sized_value = 4;
constexpr unsigned frame_size = 0x11;
constexpr unsigned register_count = 0x2f;
// From sm_90 on a block's shared memory begins with a piece that CUDA keeps for itself, and this
// section tells of it.
constexpr llvm::StringLiteral reserved_section = ".nv.shared.reserved.0";
constexpr std::uint64_t reserved_bytes = 1024;

struct Attribute {
    unsigned id;
    std::uint32_t symbol;
    int value;
};

/// The attributes that give a number to a symbol.
std::vector<Attribute> attributes(llvm::ArrayRef<std::uint8_t> info) {
    using llvm::support::endian::read16le;
    using llvm::support::endian::read32le;
    std::vector<Attribute> found;
    while (info.size() >= 4) {
        const unsigned id = info[1];
        const std::size_t size = info[0] == sized_value ? read16le(info.data() + 2) : 0;
        if (size > info.size() - 4) refuse("an attribute of .nv.info is cut off");
        if (info[0] == sized_value && size == 8)
            found.push_back({id, read32le(info.data() + 4), to_int(read32le(info.data() + 8))});
        info = info.drop_front(4 + size);
    }
    return found;
}

std::vector<std::string> symbol_names(const Elf& elf) {
    std::vector<std::string> names;
    for (const auto& section : valid(elf.sections())) {
        if (section.sh_type != llvm::ELF::SHT_SYMTAB) continue;
        const auto strings = valid(elf.getStringTableForSymtab(section));
        for (const auto& symbol : valid(elf.symbols(&section)))
            names.push_back(valid(symbol.getName(strings)).str());
    }
    return names;
}

Facts cubin_facts(const Elf& elf) {
    Facts facts;
    const auto sections = valid(elf.sections());
    std::uint64_t reserved = 0;
    for (const auto& section : sections) {
        llvm::StringRef name = valid(elf.getSectionName(section));
        if (name == reserved_section) reserved = reserved_bytes;
        if (name.consume_front(".text."))
            facts[name.str()].registers = static_cast<int>(section.sh_info >> 24);
    }
    const auto names = symbol_names(elf);
    for (const auto& section : sections) {
        llvm::StringRef name = valid(elf.getSectionName(section));
        if (name == ".nv.info") {
            for (auto& attribute : attributes(valid(elf.getSectionContents(section)))) {
                if (attribute.symbol >= names.size()) refuse("a symbol of .nv.info is missing");
                const auto kernel = facts.find(names[attribute.symbol]);
                if (kernel == facts.end()) continue;
                if (attribute.id == frame_size) kernel->second.stack_bytes = attribute.value;
                if (attribute.id == register_count) kernel->second.registers = attribute.value;
            }
        } else if (name.consume_front(".nv.shared.")) {
            const auto kernel = facts.find(name.str());
            if (kernel != facts.end())
                kernel->second.shared_bytes =
                    to_int(section.sh_size - std::min<std::uint64_t>(section.sh_size, reserved));
        }
    }
    for (auto& [name, kernel] : facts)
        if (kernel.stack_bytes == 0) kernel.spilled_bytes = 0;
    return facts;
}

// AMD. A note holds a MessagePack document; its keys are in LLVM's AMDGPU usage.
msgpack::DocNode member(msgpack::MapDocNode& map, const char* key) {
    const auto entry = map.find(key);
    if (entry == map.end()) refuse(std::string("its metadata lacks ") + key);
    return entry->second;
}

int number(msgpack::MapDocNode& map, const char* key) {
    const auto node = member(map, key);
    if (node.getKind() != msgpack::Type::UInt) refuse(std::string(key) + " is no number");
    return to_int(node.getUInt());
}

KernelFacts metadata_facts(msgpack::MapDocNode& kernel) {
    constexpr int register_bytes = 4;
    KernelFacts facts;
    facts.registers = number(kernel, ".vgpr_count");
    facts.scalar_registers = number(kernel, ".sgpr_count");
    facts.spilled_bytes = to_int(std::uint64_t{register_bytes} *
                                 static_cast<unsigned>(number(kernel, ".vgpr_spill_count")));
    facts.shared_bytes = number(kernel, ".group_segment_fixed_size");
    facts.wavefront = number(kernel, ".wavefront_size");
    facts.stack_bytes = number(kernel, ".private_segment_fixed_size");
    return facts;
}

/// The next value and what is in it is whole, and its maps have strings for keys; of other
/// documents LLVM's own reader makes no error but undefined behaviour.
bool well_formed(msgpack::Reader& reader, int depth = 0) {
    constexpr int max_depth = 16;
    msgpack::Object object;
    const auto next = [&] {
        llvm::Expected<bool> read = reader.read(object);
        if (read) return *read;
        llvm::consumeError(read.takeError());
        return false;
    };
    if (depth > max_depth || !next() || object.Kind == msgpack::Type::Extension) return false;
    const bool is_map = object.Kind == msgpack::Type::Map;
    if (!is_map && object.Kind != msgpack::Type::Array) return true;
    for (std::size_t left = object.Length; left > 0; --left) {
        if (is_map && (!next() || object.Kind != msgpack::Type::String)) return false;
        if (!well_formed(reader, depth + 1)) return false;
    }
    return true;
}

void add_metadata(llvm::StringRef bytes, Facts& facts) {
    msgpack::Reader reader(bytes);
    msgpack::Document document;
    if (!well_formed(reader) || !document.readFromBlob(bytes, false) || !document.getRoot().isMap())
        refuse("its metadata is damaged");
    auto kernels = member(document.getRoot().getMap(), "amdhsa.kernels");
    if (!kernels.isArray()) refuse("amdhsa.kernels is no list");
    for (auto& kernel : kernels.getArray()) {
        if (!kernel.isMap()) refuse("an entry of amdhsa.kernels is no map");
        const auto name = member(kernel.getMap(), ".name");
        if (!name.isString()) refuse(".name is no string");
        facts[name.getString().str()] = metadata_facts(kernel.getMap());
    }
}

Facts code_object_facts(const Elf& elf) {
    Facts facts;
    for (const auto& section : valid(elf.sections())) {
        if (section.sh_type != llvm::ELF::SHT_NOTE) continue;
        (void)valid(elf.getSectionContents(section));  // it lies within the file
        const auto alignment = std::max<std::uint64_t>(section.sh_addralign, 4);
        llvm::Error error = llvm::Error::success();
        for (const auto& note : elf.notes(section, error))
            if (note.getName() == "AMDGPU" && note.getType() == llvm::ELF::NT_AMDGPU_METADATA)
                add_metadata(note.getDescAsStringRef(alignment), facts);
        if (error) refuse(llvm::toString(std::move(error)));
    }
    return facts;
}

/// hiprtc of some versions wraps its code: a table of (offset, size, length of name, name).
std::string_view unbundled(std::string_view blob) {
    constexpr std::string_view magic = "__CLANG_OFFLOAD_BUNDLE__";
    if (!blob.starts_with(magic)) return blob;
    std::size_t at = magic.size();
    const auto next = [&] {
        if (blob.size() - at < 8) refuse("the bundle is cut off");
        const auto value = llvm::support::endian::read64le(blob.data() + at);
        at += 8;
        return value;
    };
    for (auto entries = next(); entries > 0; --entries) {
        const auto offset = next();
        const auto size = next();
        const auto name_size = next();
        if (name_size > blob.size() - at) refuse("the bundle is cut off");
        const auto name = blob.substr(at, name_size);
        at += name_size;
        if (name.find("amdgcn") == std::string_view::npos) continue;
        if (offset > blob.size() || size > blob.size() - offset) refuse("the bundle is cut off");
        return blob.substr(offset, size);
    }
    refuse("the bundle holds no AMD code");
}

bool is_ptx(std::string_view blob) {
    return blob.find('\0') == std::string_view::npos &&
           blob.find(".version ") != std::string_view::npos &&
           blob.find(".target sm_") != std::string_view::npos;
}

}  // namespace

std::map<std::string, KernelFacts> kernel_facts(std::string_view blob) {
    if (is_ptx(blob)) return {};
    // LLVM reads headers in place: they must be aligned, which bytes in a string need not be.
    const std::string_view code = unbundled(blob);
    std::vector<std::uint64_t> aligned((code.size() + 7) / 8);
    std::copy(code.begin(), code.end(), reinterpret_cast<char*>(aligned.data()));
    const llvm::StringRef bytes(reinterpret_cast<const char*>(aligned.data()), code.size());
    if (!bytes.starts_with("\x7f"
                           "ELF\x02\x01"))
        refuse("neither PTX nor 64-bit ELF");
    const Elf elf = valid(Elf::create(bytes));
    if (elf.getHeader().e_machine == llvm::ELF::EM_CUDA) return cubin_facts(elf);
    if (elf.getHeader().e_machine == llvm::ELF::EM_AMDGPU) return code_object_facts(elf);
    refuse("its machine is no GPU");
}

}  // namespace spmvgen
