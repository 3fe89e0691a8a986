# Writes a C++ file with the texts of tuning_db's files.
# Input: FILES (absolute), OUTPUT.
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
file(WRITE ${OUTPUT} "#include \"tuner/tuning_files.hpp\"

namespace {
${texts}
constexpr spmvgen::EmbeddedTuningFile files[] = {
${rows}};
}  // namespace

std::span<const spmvgen::EmbeddedTuningFile> spmvgen::embedded_tuning_files() {
    return files;
}
")
