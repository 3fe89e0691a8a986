# Writes a C++ file with the texts of tuning_db's files.
# Input: FILES (absolute), OUTPUT.
list(SORT FILES)
set(texts "#include \"tuner/tuning_files.hpp\"\n\nstd::vector<spmvgen::TuningFile> spmvgen::embedded_tuning_files() {\n    return {\n")
foreach(path IN LISTS FILES)
  file(READ ${path} text)
  get_filename_component(name ${path} NAME)
  string(APPEND texts "        {\"${name}\", R\"__spmvgen__(${text})__spmvgen__\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${texts}    };\n}\n")
