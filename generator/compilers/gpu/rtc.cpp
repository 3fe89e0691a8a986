#include "compilers/gpu/rtc.hpp"

#include "spmvgen/error.hpp"

namespace spmvgen {

RtcLibrary::RtcLibrary(const DynamicLibrary& library, const std::string& prefix)
    : library_(&library), prefix_(prefix) {
    const auto find = [&](auto*& function, const char* name) {
        using Function = std::remove_reference_t<decltype(*function)>;
        function = library.function<Function>((prefix + name).c_str());
    };
    find(version_, "Version");
    find(create_, "CreateProgram");
    find(destroy_, "DestroyProgram");
    find(compile_, "CompileProgram");
    find(error_text_, "GetErrorString");
}

std::string RtcLibrary::version() const {
    int major = 0;
    int minor = 0;
    check(version_(&major, &minor), "Version");
    return std::to_string(major) + "." + std::to_string(minor);
}

std::string RtcLibrary::compile(const std::string& what, const VirtualFile& source,
                                const std::vector<std::string>& options,
                                const std::string& kind) const {
    struct Guard {
        int (*destroy)(Program*);
        Program program = nullptr;
        ~Guard() {
            if (program != nullptr) destroy(&program);
        }
    } guard{destroy_};
    check(create_(&guard.program, source.text.c_str(), source.name.c_str(), 0, nullptr, nullptr),
          "CreateProgram");
    std::vector<const char*> arguments;
    for (auto& option : options) arguments.push_back(option.c_str());
    const int status =
        compile_(guard.program, static_cast<int>(arguments.size()), arguments.data());
    if (status == 0) return get(guard.program, kind);
    std::string log = get(guard.program, "ProgramLog");
    log.resize(log.find_last_not_of(std::string("\0\n", 2)) + 1);
    throw Error(ErrorCode::compile,
                what + " cannot compile " + source.name + ": " + error_text_(status) + "\n" + log);
}

void RtcLibrary::check(int status, const std::string& call) const {
    if (status == 0) return;
    throw Error(ErrorCode::internal, prefix_ + call + " failed: " + error_text_(status));
}

std::string RtcLibrary::get(Program program, const std::string& kind) const {
    const std::string name = prefix_ + "Get" + kind;
    std::size_t size = 0;
    check(library_->function<GetSize>((name + "Size").c_str())(program, &size), "Get" + kind);
    std::string bytes(size, '\0');
    if (size > 0)
        check(library_->function<GetText>(name.c_str())(program, bytes.data()), "Get" + kind);
    return bytes;
}

}  // namespace spmvgen
