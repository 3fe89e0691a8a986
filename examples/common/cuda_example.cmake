# What the examples with CUDA share: cuda_example(NAME) builds example_NAME from NAME.cu.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc has C++20
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
if(NOT TARGET spmvgen::spmvgen)  # it is there already when spmvgen itself builds its examples
  find_package(spmvgen REQUIRED)
endif()

function(cuda_example name)
  add_executable(example_${name} ${name}.cu)
  set_target_properties(example_${name} PROPERTIES CUDA_STANDARD 20)
  target_include_directories(example_${name} PRIVATE ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  target_link_libraries(example_${name} PRIVATE spmvgen::spmvgen)
endfunction()
