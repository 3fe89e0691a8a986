# What a folder describes, one constant a source, as one list: a new file of the folder is all that a new entry takes.
# spmvgen_collect(OUTPUT x.cpp HEADER "family.hpp" TYPE Family FUNCTION families SUFFIX family FIRST cpu gpu …
#                 FILES …) writes `std::vector<TYPE> FUNCTION()`, which lists the constant `NAME_SUFFIX` of each NAME.cpp of FILES:
# those of FIRST in that order, the others behind them by name.
function(spmvgen_collect)
  cmake_parse_arguments(arg "" "OUTPUT;HEADER;TYPE;FUNCTION;SUFFIX" "FIRST;FILES" ${ARGN})
  set(names ${arg_FIRST})
  foreach(path IN LISTS arg_FILES)
    get_filename_component(name ${path} NAME_WE)
    list(APPEND names ${name})
  endforeach()
  list(REMOVE_DUPLICATES names)
  set(declarations "")
  set(constants "")
  foreach(name IN LISTS names)
    string(APPEND declarations "extern const ${arg_TYPE} ${name}_${arg_SUFFIX};\n")
    string(APPEND constants "        ${name}_${arg_SUFFIX},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${arg_OUTPUT} @ONLY CONTENT
"// Made by cmake/Collect.cmake.
#include \"@arg_HEADER@\"

namespace spmvgen {

@declarations@
std::vector<@arg_TYPE@> @arg_FUNCTION@() {
    return {
@constants@    };
}

}  // namespace spmvgen
")
endfunction()
