# Writes a C++ file with the texts of tuning_db's files.
# Input: FILES (absolute), OUTPUT.
list(SORT FILES COMPARE FILE_BASENAME)
set(texts "#include \"tuner/tuning_files.hpp\"\n\nnamespace {\nconstexpr spmvgen::EmbeddedTuningFile files[] = {\n")
foreach(path IN LISTS FILES)
  file(READ ${path} text)
  get_filename_component(name ${path} NAME)
  string(APPEND texts "    {\"${name}\", R\"__spmvgen__(${text})__spmvgen__\"},\n")
endforeach()
string(APPEND texts "};\n}  // namespace\n\nstd::span<const spmvgen::EmbeddedTuningFile> spmvgen::embedded_tuning_files() {\n    return files;\n}\n")
file(WRITE ${OUTPUT} "${texts}")
