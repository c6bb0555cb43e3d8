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

# mxc_precompiled_headers(NAME HEADERS... [LINK targets...]), where MXC_PCH is on: headers that are compiled once, for all targets of one
# kind of options; LINK: whose headers they are. All stand in <>: of one in quotes CMake writes the path, and no other clone would compile
# from the same cache.
function(mxc_precompiled_headers name)
  if(NOT MXC_PCH)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// ${name}: precompiled headers\n")
  add_library(${name} OBJECT ${source})
  target_precompile_headers(${name} PRIVATE ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp") # so that ccache serves them
  set(pch ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.pch)
  # What is compiled holds paths of this build. What ccache takes in its place (CCACHE_PCH_EXTSUM) does not: the headers' contents are
  # in its keys, since they are among what each object depends on (CCACHE_DEPEND), and so are compiler and options.
  file(CONFIGURE OUTPUT ${pch}.sum CONTENT "${name}\n")
  set_target_properties(${name} PROPERTIES MXC_PCH_FILE ${pch})
endfunction()

# mxc_reuse_headers(TARGET NAME): TARGET is compiled with those of NAME, but for its files with SKIP_PRECOMPILE_HEADERS. Not by CMake's own
# REUSE_FROM: its arguments hold paths that ccache takes as they are, so that no clone would share an object.
function(mxc_reuse_headers target name)
  if(NOT MXC_PCH)
    return()
  endif()
  get_target_property(pch ${name} MXC_PCH_FILE)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_source_file_property(skip ${source} SKIP_PRECOMPILE_HEADERS)
    get_source_file_property(options ${source} COMPILE_OPTIONS) # it may be of another target, too
    if(NOT skip AND NOT "${pch}" IN_LIST options)
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -include-pch ${pch})
      set_property(SOURCE ${source} APPEND PROPERTY OBJECT_DEPENDS ${pch})
    endif()
  endforeach()
  add_dependencies(${target} ${name})
endfunction()

# What most of our own files include: parsing it takes longer than what it is for.
set(MXC_STANDARD_HEADERS <algorithm> <functional> <map> <memory> <mutex> <optional> <span> <string> <vector>)
if(MXC_SIMULATOR_ALONE) # it reads no JSON
  mxc_precompiled_headers(mxc_standard_headers ${MXC_STANDARD_HEADERS})
else()
  find_package(nlohmann_json 3.11 REQUIRED)
  mxc_precompiled_headers(mxc_standard_headers ${MXC_STANDARD_HEADERS} <nlohmann/json.hpp> LINK nlohmann_json::nlohmann_json)
endif()

# mxc_quick_options(TARGET): compiled without optimization, in half the time, since what it does takes none.
function(mxc_quick_options target)
  if(NOT MXC_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# mxc_program_headers(NAME HEADERS... [LINK targets...] [QUICK]): precompiled as programs are compiled.
function(mxc_program_headers name)
  cmake_parse_arguments(ARG "QUICK" "" "LINK" ${ARGN})
  mxc_precompiled_headers(${name} ${ARG_UNPARSED_ARGUMENTS} LINK ${ARG_LINK})
  if(MXC_PCH)
    if(ARG_QUICK)
      mxc_quick_options(${name})
    endif()
    target_compile_options(${name} PRIVATE -fPIE)
  endif()
endfunction()

# mxc_public_headers(LIBRARY FILES...): paths from the root, of what users of the library include. Everything else is ours alone.
# Installed as the file set HEADERS; tests/tools/public-headers.test holds that they include no other header of ours.
function(mxc_public_headers library)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  target_sources(${library} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${files})
  set_property(GLOBAL APPEND PROPERTY MXC_PUBLIC_HEADERS ${ARGN})
endfunction()
