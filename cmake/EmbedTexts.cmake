# Writes a C++ file with the texts of files.
# Input: FILES (absolute), OUTPUT; and of what it defines HEADER (which declares it), TYPE (a struct of two string_views, name and
# text) and FUNCTION, which returns a span of TYPE, ordered by name.
list(SORT FILES COMPARE FILE_BASENAME)
set(texts "")
set(rows "")
set(number 0)
foreach(path IN LISTS FILES)
  file(READ ${path} text)
  get_filename_component(name ${path} NAME)
  # An array, whose length is known: that of some MB of text is not counted by a compiler.
  string(APPEND texts "constexpr char text_${number}[] = R\"__spmvgen__(${text})__spmvgen__\";\n")
  string(APPEND rows "    {\"${name}\", {text_${number}, sizeof text_${number} - 1}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

namespace {
${texts}
constexpr ${TYPE} files[] = {
${rows}};
}  // namespace

std::span<const ${TYPE}> ${FUNCTION}() {
    return files;
}
")
