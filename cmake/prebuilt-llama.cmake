# The target llama from libraries that are already built: HLG_LLAMA_LIBS is the folder with
# libllama.a and ggml's, made by the same compiler; headers come from HLG_LLAMA_DIR.
#
# For the tests of llama/sampler.cc under the sanitizers: they compare with llama.cpp's own temp and
# dist bit for bit, which no stand-in could answer for, and building llama.cpp with sanitizers takes
# longer than everything else together. So our objects are instrumented and llama.cpp's are not:
# memory that they share is checked wherever our code, malloc or free touches it.

set(HLG_LLAMA_LIBS "" CACHE PATH "folder with a built libllama.a, to test llama/sampler.cc with")
if(NOT HLG_LLAMA_LIBS)
  return()
endif()
if(NOT EXISTS ${HLG_LLAMA_LIBS}/libllama.a OR NOT EXISTS ${HLG_LLAMA_DIR}/include/llama.h)
  message(STATUS "no built llama.cpp in ${HLG_LLAMA_LIBS}: the tests of llama/sampler.cc are left out")
  return()
endif()

add_library(llama INTERFACE IMPORTED)
target_include_directories(llama INTERFACE ${HLG_LLAMA_DIR}/include ${HLG_LLAMA_DIR}/ggml/include)
foreach(name llama ggml ggml-cpu ggml-base)
  target_link_libraries(llama INTERFACE ${HLG_LLAMA_LIBS}/lib${name}.a)
endforeach()
find_package(OpenMP QUIET)
find_package(Threads REQUIRED)
target_link_libraries(llama INTERFACE $<TARGET_NAME_IF_EXISTS:OpenMP::OpenMP_CXX> Threads::Threads
                                      ${CMAKE_DL_LIBS})
