# cmake --install: programs, the C interface's libraries and header, find_package(Mxc COMPONENTS Runtime Compiler Tools), pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(MXC_CMAKE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/Mxc)

# mxc_install_library(TARGET COMPONENT): as Mxc::EXPORT_NAME, exported on its own, so that a package may have one component alone.
function(mxc_install_library target component description)
  install(TARGETS ${target} EXPORT Mxc${component}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component} NAMELINK_COMPONENT Development
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT Development)
  # Beside the library that it names: find_package takes a target whose file is missing for a broken installation.
  install(EXPORT Mxc${component} NAMESPACE Mxc:: FILE Mxc${component}.cmake DESTINATION ${MXC_CMAKE_FOLDER} COMPONENT ${component})
  get_target_property(MXC_LIBRARY ${target} OUTPUT_NAME)
  set(MXC_DESCRIPTION ${description})
  configure_file(${PROJECT_SOURCE_DIR}/tools/dev/cmake/mxc.pc.in ${PROJECT_BINARY_DIR}/${MXC_LIBRARY}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${MXC_LIBRARY}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT Development)
endfunction()

mxc_install_library(mxc_runtime_c Runtime "Loads and launches kernels that mxc compiled")
if(MXC_COMPILER)
  mxc_install_library(mxc_c Compiler "Compiles, loads and launches microscaling kernels")
  install(TARGETS mxc-opt mxc-lsp-server RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT Tools)
  install(TARGETS mxc EXPORT MxcTools RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT Tools)
  install(EXPORT MxcTools NAMESPACE Mxc:: DESTINATION ${MXC_CMAKE_FOLDER} COMPONENT Tools)
  # What mxc simulate gives to programs; the links are beside the libraries in the build.
  set(simulator ${PROJECT_BINARY_DIR}/lib/simulator)
  install(TARGETS mxc-simulator LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/mxc/simulator COMPONENT Tools)
  install(FILES ${simulator}/libcuda.so.1 DESTINATION ${CMAKE_INSTALL_LIBDIR}/mxc/simulator COMPONENT Tools)
  if(TARGET mxc-cudart)
    install(TARGETS mxc-cudart LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/mxc/simulator/cudart COMPONENT Tools)
    install(FILES ${simulator}/cudart/libcudart.so.13 ${simulator}/cudart/libcuda.so.1
      DESTINATION ${CMAKE_INSTALL_LIBDIR}/mxc/simulator/cudart COMPONENT Tools)
  endif()
  set(pages ${PROJECT_BINARY_DIR}/share)
  install(FILES ${pages}/mxc.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT Tools)
  install(FILES ${pages}/mxc.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME mxc COMPONENT Tools)
  install(FILES ${pages}/_mxc DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT Tools)
  install(FILES ${pages}/mxc.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT Tools)
  install(FILES tools/dev/cmake/MxcKernels.cmake DESTINATION ${MXC_CMAKE_FOLDER} COMPONENT Tools)
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/tools/dev/cmake/MxcConfig.cmake.in ${PROJECT_BINARY_DIR}/MxcConfig.cmake
  INSTALL_DESTINATION ${MXC_CMAKE_FOLDER})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/MxcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/MxcConfig.cmake ${PROJECT_BINARY_DIR}/MxcConfigVersion.cmake DESTINATION ${MXC_CMAKE_FOLDER}
  COMPONENT Development)
foreach(component Runtime Compiler Tools Development)
  install(FILES LICENSE THIRD-PARTY-NOTICES DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ${component})
endforeach()
