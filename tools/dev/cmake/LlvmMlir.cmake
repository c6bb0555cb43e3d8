# LLVM and MLIR 22, linked as shared libraries (development) or statically (MXC_STATIC: programs that run without LLVM).
# Gives: mxc_mlir_library(NAME SOURCES.. LINK.. [TABLEGEN]), mxc_mlir_program(NAME SOURCES.. LINK..), MXC_LLVM_TOOLS_DIR.

# The version file matches major.minor, so "22" alone would be refused.
execute_process(COMMAND llvm-config-22 --prefix OUTPUT_VARIABLE MXC_LLVM_PREFIX
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
find_package(MLIR 22.1 REQUIRED CONFIG HINTS ${MXC_LLVM_PREFIX})
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
set(MXC_LLVM_TOOLS_DIR ${LLVM_TOOLS_BINARY_DIR})

set(MXC_MLIR_LIBS LLVM MLIR)
if(MXC_STATIC)
  # Debian's MLIR targets name the shared LLVM (and some the shared MLIR): two LLVMs in one process. Cut those links.
  get_property(mlirLibs GLOBAL PROPERTY MLIR_ALL_LIBS)
  foreach(lib ${mlirLibs})
    if(TARGET ${lib})
      get_target_property(deps ${lib} INTERFACE_LINK_LIBRARIES)
      if(deps)
        list(REMOVE_ITEM deps LLVM MLIR "$<LINK_ONLY:LLVM>" "$<LINK_ONLY:MLIR>")
        set_target_properties(${lib} PROPERTIES INTERFACE_LINK_LIBRARIES "${deps}")
      endif()
    endif()
  endforeach()
  find_package(zstd QUIET)
  find_library(ZLIB_STATIC libz.a REQUIRED)
  find_library(ZSTD_STATIC libzstd.a REQUIRED)
  set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES
    "rt;dl;m;pthread;${ZLIB_STATIC};${ZSTD_STATIC};LLVMDemangle")
  set(MXC_MLIR_LIBS
    MLIRArithToLLVM MLIRGPUToNVVMTransforms MLIRGPUDialect MLIRArithTransforms MLIRControlFlowToLLVM MLIRSCFToControlFlow MLIRMathToLLVM MLIRMathTransforms
    MLIRVectorToLLVMPass MLIRNVVMToLLVM MLIRReconcileUnrealizedCasts MLIRIndexToLLVM MLIRFuncDialect MLIRUBToLLVM
    MLIRVectorDialect MLIRSCFDialect MLIRArithDialect MLIRMathDialect MLIRControlFlowDialect MLIRMemRefDialect
    MLIRNVVMDialect MLIRLLVMDialect MLIRParser MLIRPass MLIRTransforms MLIROptLib MLIRLspServerLib
    MLIRTargetLLVMIRExport MLIRLLVMToLLVMIRTranslation MLIRNVVMToLLVMIRTranslation MLIRBuiltinToLLVMIRTranslation
    LLVMNVPTXCodeGen LLVMNVPTXDesc LLVMNVPTXInfo LLVMPasses LLVMCodeGen LLVMAsmPrinter LLVMSelectionDAG LLVMipo
    LLVMFrontendOpenMP LLVMFrontendOffloading LLVMBitWriter LLVMBitReader LLVMLinker LLVMAsmParser LLVMIRReader LLVMTarget LLVMMC
    LLVMCore LLVMSupport LLVMSupportLSP)
  add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,--as-needed)
  if(LLD)
    add_link_options(-Wl,--icf=all)
  endif()
endif()

# mxc_mlir_library(NAME SOURCES... LINK targets... [DEPENDS targets...]): uses LLVM/MLIR headers, built without exceptions.
function(mxc_mlir_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  mxc_use_mlir(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} ${MXC_MLIR_LIBS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  mxc_reuse_headers(${name} mxc_mlir_headers)
endfunction()

# LLVM's and MLIR's headers as system headers: their warnings are not ours.
function(mxc_use_mlir target)
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_options(${target} PRIVATE -fno-exceptions)
endfunction()

# With the dialect's header, which all lowerings include: it is half of what they take to compile.
mxc_precompiled_headers(mxc_mlir_headers <map> <string> <vector> <mlir/IR/BuiltinOps.h> <mlir/IR/PatternMatch.h>
  <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/LLVMIR/LLVMDialect.h>
  <mlir/Dialect/LLVMIR/NVVMDialect.h> <dialect/MxOps.h> <compiler/abi/CompiledKernel.h> LINK ${MXC_MLIR_LIBS})
if(MXC_PCH)
  mxc_use_mlir(mxc_mlir_headers)
  add_dependencies(mxc_mlir_headers MxOpsIncGen)
endif()
