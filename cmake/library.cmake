# libhlg, compiled once, linked twice: hlg (static, hlg::hlg) and hlg_shared (hlg::shared).
# Only the functions of hlg.h leave libhlg.so; Highway never does.

include(cmake/highway.cmake)
find_package(Threads REQUIRED)

add_library(hlg_objects OBJECT
  src/batch.cc src/blocks.cc src/c_api.cc src/curve.cc src/draw.cc src/from_top.cc
  src/kernels.cc src/knobs.cc src/pivot.cc src/sampler.cc src/stats.cc ${HLG_HWY_SOURCES})
target_compile_features(hlg_objects PRIVATE cxx_std_17)
target_compile_definitions(hlg_objects PRIVATE HLG_VERSION="${PROJECT_VERSION}" HLG_BUILDING
                                               HLG_SHARED)
# kernels-inl.h keeps vectors in structs, which the types of SVE and RISC-V do not allow: NEON there
# on Arm, one lane on RISC-V.
set(HLG_HWY_DEFINITIONS
  HWY_DISABLED_TARGETS=HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128|HWY_RVV)
# The fallback is one lane, with every compiler. Highway's other one, EMU128, takes the largest of
# lanes that are all -inf for -FLT_MAX: a row without a live token would seem to have one.
list(APPEND HLG_HWY_DEFINITIONS HWY_BROKEN_EMU128=1)
target_compile_definitions(hlg_objects PRIVATE ${HLG_HWY_DEFINITIONS})
target_compile_options(hlg_objects PRIVATE ${HLG_WARNINGS})
target_include_directories(hlg_objects PRIVATE include src)
target_include_directories(hlg_objects SYSTEM PRIVATE ${HLG_HWY_INCLUDES})
target_link_libraries(hlg_objects PRIVATE ${HLG_HWY_TARGET} Threads::Threads)
set_target_properties(hlg_objects PROPERTIES
  POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON)

add_library(hlg STATIC $<TARGET_OBJECTS:hlg_objects>)
add_library(hlg_shared SHARED $<TARGET_OBJECTS:hlg_objects>)
add_library(hlg::hlg ALIAS hlg)
add_library(hlg::shared ALIAS hlg_shared)

foreach(library hlg hlg_shared)
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX)
  target_compile_features(${library} INTERFACE cxx_std_17)
  target_include_directories(${library} INTERFACE
                             $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_link_libraries(${library} PRIVATE ${HLG_HWY_TARGET} Threads::Threads)
endforeach()

# hlg.h promises compatibility within a major version.
set_target_properties(hlg_shared PROPERTIES
  OUTPUT_NAME hlg EXPORT_NAME shared
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_compile_definitions(hlg_shared INTERFACE HLG_SHARED)

# Hidden visibility leaves the instances of std:: templates visible; the linker hides them too.
if(UNIX AND NOT APPLE)
  target_link_options(hlg_shared PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/hlg.map)
  set_property(TARGET hlg_shared PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/hlg.map)
endif()

# A parent project builds the shared library only where it uses or installs it.
if(NOT PROJECT_IS_TOP_LEVEL AND NOT HLG_INSTALL)
  set_target_properties(hlg_shared PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
