# mxc_add_kernels(TARGET FILES K.mlir... CHIPS sm_90a... [EMIT STAGE] [TILES TILE...] [HEADER]): compiles kernels as part of a program's build.
# Each file becomes one image inside of TARGET, for all CHIPS: a fatbin, which simulators run too, or what EMIT says (cubin, ptx).
# K.mlir is mxc_K_image and mxc_K_image_bytes, declared in mxc_kernels/K.h: for mxc_kernel_load. With HEADER it is
# mxc_kernels/K.hpp, C++17: the image, and for each kernel a class with a typed launch function.
# Of several TILES a launch takes the first that fits.
function(mxc_add_kernels target)
  cmake_parse_arguments(ARG "HEADER" "EMIT" "FILES;CHIPS;TILES" ${ARGN})
  if(NOT ARG_FILES OR NOT ARG_CHIPS OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "mxc_add_kernels(${target}): expected TARGET FILES ... CHIPS ... [EMIT STAGE] [TILES TILE...] [HEADER], found: ${ARGN}")
  endif()
  if(NOT TARGET Mxc::program)
    message(FATAL_ERROR "mxc_add_kernels(${target}): needs the program mxc: find_package(Mxc COMPONENTS Tools)")
  endif()
  if(NOT ARG_EMIT)
    set(ARG_EMIT fatbin)
  endif()
  list(JOIN ARG_CHIPS "," chips)
  set(options --target=${chips} --emit=${ARG_EMIT})
  if(ARG_HEADER)
    set(options --target=${chips} --emit=header --image=${ARG_EMIT})
  endif()
  foreach(tile IN LISTS ARG_TILES)
    list(APPEND options --tile=${tile})
  endforeach()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(suffix cpp)
  if(C IN_LIST languages)
    set(suffix c)
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/mxc-${target})
  foreach(file IN LISTS ARG_FILES)
    get_filename_component(file ${file} ABSOLUTE)
    get_filename_component(base ${file} NAME_WE)
    string(MAKE_C_IDENTIFIER ${base} name)
    if(DEFINED file_of_${name} AND NOT file_of_${name} STREQUAL file)
      message(FATAL_ERROR "mxc_add_kernels(${target}): ${file_of_${name}} and ${file} would both be mxc_${name}_image: rename one")
    endif()
    set(file_of_${name} ${file})
    set(image ${folder}/${base}.${ARG_EMIT})
    if(ARG_HEADER)
      set(image ${folder}/mxc_kernels/${base}.hpp)
      file(MAKE_DIRECTORY ${folder}/mxc_kernels)
    endif()
    add_custom_command(OUTPUT ${image} COMMAND Mxc::program compile ${file} ${options} -o ${image} DEPENDS ${file} Mxc::program
      COMMENT "Compiling ${base}.mlir for ${chips}" VERBATIM)
    if(ARG_HEADER)
      target_sources(${target} PRIVATE ${image})
      continue()
    endif()
    file(CONFIGURE OUTPUT ${folder}/mxc_kernels/${base}.h @ONLY CONTENT
"#include <stddef.h>
#ifdef __cplusplus
extern \"C\" {
#endif
extern const unsigned char mxc_@name@_image[];
extern const size_t mxc_@name@_image_bytes;
#ifdef __cplusplus
}
#endif
")
    file(CONFIGURE OUTPUT ${folder}/${base}.${suffix} @ONLY CONTENT
"#include \"mxc_kernels/@base@.h\"
__asm__(\".pushsection .rodata\\n\"
        \".balign 64\\n.globl mxc_@name@_image\\n.type mxc_@name@_image, @object\\n\"
        \"mxc_@name@_image:\\n.incbin \\\"@image@\\\"\\n.Lmxc_@name@_end:\\n\"
        \".balign 8\\n.globl mxc_@name@_image_bytes\\n.type mxc_@name@_image_bytes, @object\\n\"
        \"mxc_@name@_image_bytes:\\n.quad .Lmxc_@name@_end - mxc_@name@_image\\n\"
        \".popsection\\n\");
")
    set_source_files_properties(${folder}/${base}.${suffix} PROPERTIES OBJECT_DEPENDS ${image})
    target_sources(${target} PRIVATE ${folder}/${base}.${suffix})
  endforeach()
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
