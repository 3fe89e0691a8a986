# Writes two C++ files: the templates' texts as a map, and the digest of all that decides what a signature becomes.
# Input: ROOT, TEMPLATES (relative to ROOT/templates), GENERATOR (absolute), DIGEST_FILE, TEXTS_FILE.
list(SORT TEMPLATES)
list(SORT GENERATOR)
set(texts "#include \"template_texts.hpp\"\n\nnamespace spmvgen {\n\nconst std::map<std::string, std::string>& template_texts() {\n")
string(APPEND texts "    static const std::map<std::string, std::string> texts{\n")
set(digests "")
foreach(name IN LISTS TEMPLATES)
  file(READ ${ROOT}/templates/${name} text)
  file(SHA256 ${ROOT}/templates/${name} digest)
  string(APPEND digests "${name} ${digest}\n")
  string(APPEND texts "        {\"${name}\", R\"__spmvgen__(${text})__spmvgen__\"},\n")
endforeach()
string(APPEND texts "    };\n    return texts;\n}\n\n}  // namespace spmvgen\n")
foreach(path IN LISTS GENERATOR)
  file(RELATIVE_PATH name ${ROOT} ${path})
  file(SHA256 ${path} digest)
  string(APPEND digests "${name} ${digest}\n")
endforeach()
foreach(registry registry.cpp registry_gpu.cpp registry_padded.cpp registry_bcsr.cpp)
  file(SHA256 ${ROOT}/templates/${registry} digest)
  string(APPEND digests "templates/${registry} ${digest}\n")
endforeach()
string(SHA256 digest "${digests}")
file(WRITE ${TEXTS_FILE} "${texts}")
file(WRITE ${DIGEST_FILE}
"#include \"registry.hpp\"

std::string_view spmvgen::generator_digest() { return \"${digest}\"; }
")
