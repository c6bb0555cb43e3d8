# What projects name, whether they find mxc installed (MxcConfig.cmake) or add it by add_subdirectory: each library is Mxc::EXPORT_NAME.
add_library(Mxc::runtime ALIAS mxc_runtime_c)
if(MXC_COMPILER)
  add_library(Mxc::mxc ALIAS mxc_c)
  set_target_properties(mxc PROPERTIES EXPORT_NAME program)
  add_executable(Mxc::program ALIAS mxc)
  include(${CMAKE_CURRENT_LIST_DIR}/MxcKernels.cmake)
endif()
