# What `cmake --install` puts under a prefix: the headers, both libraries, the files for
# find_package(hlg) and pkg-config. The program's line is in app/. Nothing of llama.cpp, nor
# hlg-llama.h: its functions are in hlg::llama, which is built where the parent has llama.cpp.
# The package files also serve the build tree: -Dhlg_DIR=<build>.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(hlg_package ${CMAKE_INSTALL_LIBDIR}/cmake/hlg)

install(FILES include/hlg/hlg.h include/hlg/hlg.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hlg)
install(TARGETS hlg hlg_shared EXPORT hlgTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE NOTICES.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# find_package(hlg)
install(EXPORT hlgTargets NAMESPACE hlg:: DESTINATION ${hlg_package})
export(EXPORT hlgTargets NAMESPACE hlg:: FILE ${PROJECT_BINARY_DIR}/hlgTargets.cmake)
configure_package_config_file(cmake/hlgConfig.cmake.in hlgConfig.cmake
                              INSTALL_DESTINATION ${hlg_package})
write_basic_package_version_file(hlgConfigVersion.cmake COMPATIBILITY SameMajorVersion)
configure_file(cmake/hlgHighway.cmake hlgHighway.cmake COPYONLY)
install(FILES ${PROJECT_BINARY_DIR}/hlgConfig.cmake ${PROJECT_BINARY_DIR}/hlgConfigVersion.cmake
              cmake/hlgHighway.cmake DESTINATION ${hlg_package})

# pkg-config. A static link needs what g++ would add by itself, and Highway.
set(hlg_private_libs ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_ITEM hlg_private_libs ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
list(TRANSFORM hlg_private_libs PREPEND -l)
list(JOIN hlg_private_libs " " hlg_private_libs)
set(hlg_private_libs "${hlg_private_libs} ${CMAKE_THREAD_LIBS_INIT}")
if(HLG_HWY_TARGET)
  set(hlg_private_packages libhwy)
endif()
file(RELATIVE_PATH hlg_up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" hlg_up "${hlg_up}")
configure_file(cmake/hlg.pc.in hlg.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hlg.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
