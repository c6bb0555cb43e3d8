# mxc_add_kernels(TARGET FILES K.mlir... CHIPS sm_90a... [EMIT STAGE] [TILES TILE...] [HEADER]): compiles kernels as part of a program's build.
# Each file becomes one image inside of TARGET, for all CHIPS: a fatbin, which simulators run too, or what EMIT says (cubin, ptx).
# K.mlir is mxc_K_image and mxc_K_image_bytes, declared in mxc_kernels/K.h: for mxc_kernel_load. With HEADER it is
# mxc_kernels/K.hpp, C++17: the image, and for each kernel a class with a typed launch function.
# A launch takes the first of several TILES that fits.
# To the linker an image's name is its project's and TARGET's own: two libraries of a program may each have a K.mlir. One TARGET may not.
function(mxc_add_kernels target)
  cmake_parse_arguments(ARG "HEADER" "EMIT" "FILES;CHIPS;TILES" ${ARGN})
  if(NOT ARG_FILES OR NOT ARG_CHIPS OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "mxc_add_kernels(${target}): expected TARGET FILES ... CHIPS ... [EMIT STAGE] [TILES TILE...] [HEADER], found: ${ARGN}")
  endif()
  if(NOT TARGET Mxc::program)
    message(FATAL_ERROR "mxc_add_kernels(${target}): needs the program mxc: find_package(Mxc COMPONENTS Tools)")
  endif()
  get_target_property(home ${target} SOURCE_DIR)
  if(NOT home STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "mxc_add_kernels(${target}): expected a target of ${CMAKE_CURRENT_SOURCE_DIR}, found one of ${home}: call it there")
  endif()
  if(NOT ARG_EMIT)
    set(ARG_EMIT fatbin)
  endif()
  list(JOIN ARG_CHIPS "," chips)
  set(options --target=${chips} --emit=${ARG_EMIT})
  set(kind image)
  if(ARG_HEADER)
    set(options --target=${chips} --emit=header --image=${ARG_EMIT})
    set(kind header)
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
  string(SHA256 owner "${PROJECT_NAME}/${target}") # unlike the names themselves, an identifier that no other pair has
  string(SUBSTRING ${owner} 0 16 owner)
  list(REMOVE_DUPLICATES ARG_FILES)
  foreach(file IN LISTS ARG_FILES)
    get_filename_component(file ${file} ABSOLUTE)
    get_filename_component(base ${file} NAME_WE)
    string(MAKE_C_IDENTIFIER ${base} name)
    get_target_property(taken ${target} MXC_${kind}_${name})
    if(taken STREQUAL file)
      message(FATAL_ERROR "mxc_add_kernels(${target}): ${file} is one of its kernels already: a kernel's chips and tiles go into one call")
    elseif(taken)
      message(FATAL_ERROR "mxc_add_kernels(${target}): ${taken} and ${file} would both be mxc_${name}_image: rename one")
    endif()
    set_target_properties(${target} PROPERTIES MXC_${kind}_${name} ${file})
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
    set(symbol mxc_${name}_image_${owner})
    file(CONFIGURE OUTPUT ${folder}/mxc_kernels/${base}.h @ONLY CONTENT
"#include <stddef.h>
#ifdef __cplusplus
extern \"C\" {
#endif
extern const unsigned char mxc_@name@_image[] __asm__(\"@symbol@\");
extern const size_t mxc_@name@_image_bytes __asm__(\"@symbol@_bytes\");
#ifdef __cplusplus
}
#endif
")
    file(CONFIGURE OUTPUT ${folder}/${base}.${suffix} @ONLY CONTENT
"#include \"mxc_kernels/@base@.h\"
__asm__(\".pushsection .rodata\\n\"
        \".balign 64\\n.globl @symbol@\\n.hidden @symbol@\\n.type @symbol@, @object\\n\"
        \"@symbol@:\\n.incbin \\\"@image@\\\"\\n.L@symbol@_end:\\n\"
        \".balign 8\\n.globl @symbol@_bytes\\n.hidden @symbol@_bytes\\n.type @symbol@_bytes, @object\\n\"
        \"@symbol@_bytes:\\n.quad .L@symbol@_end - @symbol@\\n\"
        \".popsection\\n\");
")
    set_source_files_properties(${folder}/${base}.${suffix} PROPERTIES OBJECT_DEPENDS ${image})
    target_sources(${target} PRIVATE ${folder}/${base}.${suffix})
  endforeach()
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
