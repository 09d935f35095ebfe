# llama.cpp as a subproject: only what hlg needs of it, with flags that run everywhere.
# The tree comes from scripts/setup-llama, which also makes the insertions of the seam.

if(NOT EXISTS ${HLG_LLAMA_DIR}/include/llama.h)
  message(FATAL_ERROR "no llama.cpp in ${HLG_LLAMA_DIR}: run scripts/setup-llama first")
endif()

set(LLAMA_BUILD_COMMON    ON  CACHE BOOL "")
set(LLAMA_BUILD_TOOLS     ON  CACHE BOOL "")
set(LLAMA_BUILD_SERVER    ON  CACHE BOOL "")
set(LLAMA_BUILD_IS_DEV    OFF CACHE BOOL "") # the pinned tree is a release
set(LLAMA_BUILD_UI        OFF CACHE BOOL "") # below, by scripts/web-page
set(LLAMA_USE_PREBUILT_UI OFF CACHE BOOL "") # ON downloads at every build
set(GGML_CCACHE           OFF CACHE BOOL "") # ours serves ggml too

# ggml's native build asks cpuid for AMX; a virtual machine may show AMX and yet mask it, and the
# program then dies of SIGILL at its first matrix product. So: a fixed x86-64 level with AVX2.
# Give -DGGML_NATIVE=ON where the machine is known.
set(GGML_NATIVE OFF CACHE BOOL "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND NOT GGML_NATIVE)
  foreach(level SSE42 AVX AVX2 FMA F16C BMI2)
    set(GGML_${level} ON CACHE BOOL "")
  endforeach()
endif()

# build/lib is for our own libraries.
set(hlg_archives ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY})
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/llama/lib)
add_subdirectory(${HLG_LLAMA_DIR} ${CMAKE_BINARY_DIR}/llama EXCLUDE_FROM_ALL)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${hlg_archives})

# The server side of the seam lives inside llama-common: its own objects call it, so a library of
# its own would link in a circle.
foreach(file args chain complain metrics model model_file refuse request sampler
             samplers)
  target_sources(llama-common PRIVATE ${PROJECT_SOURCE_DIR}/llama/${file}.cc)
endforeach()
target_include_directories(llama-common PUBLIC ${PROJECT_SOURCE_DIR}/llama)
target_link_libraries(llama-common PUBLIC hlg)

# The page of `hlg serve`. The log is the output: one try is made, whether it gives a page or not.
option(HLG_WEB_PAGE "build the web page, where npm can" ON)
if(HLG_WEB_PAGE)
  file(RELATIVE_PATH log ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/web-page.log)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/web-page.log
                     COMMAND scripts/web-page ${HLG_LLAMA_DIR} ${log}
                     DEPENDS ${HLG_LLAMA_DIR}/tools/ui/package-lock.json
                     WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                     COMMENT "Building the web page with npm" VERBATIM)
  add_custom_target(hlg_web_page DEPENDS ${PROJECT_BINARY_DIR}/web-page.log)
  add_dependencies(llama-ui-assets hlg_web_page)
endif()
