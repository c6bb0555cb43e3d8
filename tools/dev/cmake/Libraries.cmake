# mxc_library(NAME SOURCES... LINK targets...): a static library of this project, plain C++ with exceptions.
function(mxc_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()
