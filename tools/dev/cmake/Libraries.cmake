# mxc_library(NAME SOURCES... LINK targets...): a static library of this project, plain C++ with exceptions.
function(mxc_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# mxc_public_headers(LIBRARY FILES...): paths from the root, of what users of the library include. Everything else is ours alone.
# Installed as the file set HEADERS; tests/tools/public-headers.test holds that they include no other header of ours.
function(mxc_public_headers library)
  list(TRANSFORM ARGN PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  target_sources(${library} PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR} FILES ${files})
  set_property(GLOBAL APPEND PROPERTY MXC_PUBLIC_HEADERS ${ARGN})
endfunction()
