# Finds Highway on the system as hwy::hwy: the target that is there, its CMake package, pkg-config.
# Used by the build and, installed beside hlgConfig.cmake, by whoever links the static library.

if(TARGET hwy AND NOT TARGET hwy::hwy)
  add_library(hwy::hwy ALIAS hwy)
endif()
if(NOT TARGET hwy::hwy)
  find_package(hwy 1.0.3 CONFIG QUIET)
endif()
if(NOT TARGET hwy::hwy)
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(HLG_LIBHWY QUIET IMPORTED_TARGET libhwy>=1.0.3)
  endif()
  if(TARGET PkgConfig::HLG_LIBHWY)
    add_library(hwy::hwy INTERFACE IMPORTED)
    target_link_libraries(hwy::hwy INTERFACE PkgConfig::HLG_LIBHWY)
  endif()
endif()
