#pragma once
#include <string>
#include <string_view>

namespace spmvgen {

enum class LinkedFor { host, amdgpu };

/// Links one ELF object to a shared object, with no libraries, and returns its bytes; the same
/// object gives the same bytes. Thread safe: lld runs once at a time. Throws Error(compile) with
/// lld's messages, Error(io), Error(internal) when lld crashes.
std::string link_shared_object(std::string_view object, LinkedFor machine = LinkedFor::host);

/// The full version of lld: "LLD 19.1.7 (…)".
std::string linker_version();

}  // namespace spmvgen
