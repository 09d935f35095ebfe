# Google Highway for src/kernels.cc. HLG_HWY says from where:
#   system  a target hwy::hwy of the parent project, Highway's CMake package, or pkg-config
#   fetch   its source at a pinned release; the one file of it that we need is compiled into libhlg
#   auto    system where it is new enough, else fetch
#
# Sets HLG_HWY_TARGET, what libhlg links; or HLG_HWY_SOURCES and HLG_HWY_INCLUDES, what it compiles.

set(HLG_HWY auto CACHE STRING "where Highway comes from: system, fetch or auto")
set_property(CACHE HLG_HWY PROPERTY STRINGS auto system fetch)
if(NOT HLG_HWY MATCHES "^(auto|system|fetch)$")
  message(FATAL_ERROR "HLG_HWY is ${HLG_HWY}: system, fetch or auto is allowed")
endif()

set(HLG_HWY_TARGET "")
set(HLG_HWY_SOURCES "")
set(HLG_HWY_INCLUDES "")

if(NOT HLG_HWY STREQUAL fetch)
  include(cmake/hlgHighway.cmake)
  if(TARGET hwy::hwy)
    set(HLG_HWY_TARGET hwy::hwy)
    return()
  elseif(HLG_HWY STREQUAL system)
    message(FATAL_ERROR "no Highway 1.0.3 or later here: run scripts/packages, or -DHLG_HWY=fetch")
  endif()
endif()

# No CMakeLists.txt in that subfolder: the source is unpacked, and nothing of it is configured.
include(FetchContent)
FetchContent_Declare(highway
  URL https://github.com/google/highway/archive/refs/tags/1.0.7.tar.gz
  URL_HASH SHA256=5434488108186c170a5e2fca5e3c9b6ef59a1caa4d520b008a9b8be6b8abe6c5
  SOURCE_SUBDIR hwy)
FetchContent_MakeAvailable(highway)
set(HLG_HWY_INCLUDES ${highway_SOURCE_DIR})
set(HLG_HWY_SOURCES ${highway_SOURCE_DIR}/hwy/targets.cc)
set_source_files_properties(${HLG_HWY_SOURCES} PROPERTIES COMPILE_OPTIONS -w)
