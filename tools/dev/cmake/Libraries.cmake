# mxc_library(NAME SOURCES... LINK targets... [HEADERS name]): a static library of this project, plain C++ with exceptions. HEADERS: which
# precompiled headers it takes, where its options differ from those of others.
function(mxc_library name)
  cmake_parse_arguments(ARG "" "HEADERS" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  target_compile_features(${name} PUBLIC cxx_std_20) # in which its headers are written
  if(NOT ARG_HEADERS)
    set(ARG_HEADERS mxc_standard_headers)
  endif()
  mxc_reuse_headers(${name} ${ARG_HEADERS})
endfunction()

# mxc_precompiled_headers(NAME HEADERS...), where MXC_PCH is on: headers of the system that are compiled once, for all targets of one kind of
# options. What is compiled holds paths of this build; the sum beside it, which ccache takes in its place (tools/dev/environment), does not, so
# that a second clone compiles from the first one's cache. Options and compiler are in ccache's key.
function(mxc_precompiled_headers name)
  if(MXC_PCH)
    set(source ${PROJECT_BINARY_DIR}/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "// ${name}: precompiled headers\n")
    add_library(${name} OBJECT ${source})
    target_precompile_headers(${name} PRIVATE ${ARGN})
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp") # so that ccache serves them
      file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.pch.sum
           CONTENT "${name}: ${ARGN}; LLVM ${LLVM_PACKAGE_VERSION}, clang ${CMAKE_CXX_COMPILER_VERSION}\n")
    endif()
  endif()
endfunction()

# mxc_reuse_headers(TARGET NAME): TARGET is compiled with those of NAME.
function(mxc_reuse_headers target name)
  if(MXC_PCH)
    target_precompile_headers(${target} REUSE_FROM ${name})
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
  endif()
endfunction()

# What most of our own files include: parsing it takes longer than what it is for.
set(MXC_STANDARD_HEADERS <algorithm> <functional> <map> <memory> <mutex> <optional> <span> <string> <vector>)
mxc_precompiled_headers(mxc_standard_headers ${MXC_STANDARD_HEADERS})

# mxc_public_headers(LIBRARY FILES...): paths from the root, of what users of the library include. Everything else is ours alone.
# Installed as the file set HEADERS; tests/tools/public-headers.test holds that they include no other header of ours.
function(mxc_public_headers library)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  target_sources(${library} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${files})
  set_property(GLOBAL APPEND PROPERTY MXC_PUBLIC_HEADERS ${ARGN})
endfunction()
