# Static builds run on glibc 2.28 and every later one (RHEL 8, Debian 10; manylinux_2_28): they are linked to libraries that have its
# interface alone, and what came later is in tools/dev/glibc/OldGlibc.cpp.
set(MXC_GLIBC 2.28 CACHE STRING "The oldest glibc that a static build runs on; empty: this machine's")
if(NOT MXC_STATIC OR NOT MXC_GLIBC OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(folder ${CMAKE_BINARY_DIR}/glibc-${MXC_GLIBC})
set(generator ${CMAKE_SOURCE_DIR}/tools/dev/glibc/interface)
execute_process(COMMAND ${CMAKE_COMMAND} -E env CXX=${CMAKE_CXX_COMPILER} ${Python3_EXECUTABLE} ${generator} ${folder} ${MXC_GLIBC}
                COMMAND_ERROR_IS_FATAL ANY)
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/dev/glibc/*)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
add_link_options(-L${folder} -Wl,--as-needed)
