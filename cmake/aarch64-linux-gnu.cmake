# Toolchain: aarch64 Linux with Debian's cross compiler and arm64 libraries, programs run by
# qemu-user. scripts/packages --extra installs all of it.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
find_program(HLG_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
if(HLG_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${HLG_QEMU})
endif()


# Programs of this machine, libraries of the other one.
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig)
