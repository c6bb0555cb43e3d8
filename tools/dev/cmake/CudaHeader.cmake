# The build needs only cuda.h of the CUDA toolkit; the driver is found at run time by dlopen.
find_program(MXC_NVCC nvcc HINTS $ENV{MXC_CUDA_ROOT}/bin $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)
if(MXC_NVCC)
  get_filename_component(nvcc_real ${MXC_NVCC} REALPATH)
  get_filename_component(nvcc_root ${nvcc_real}/../.. ABSOLUTE)
endif()
find_path(MXC_CUDA_INCLUDE cuda.h
  HINTS $ENV{MXC_CUDA_ROOT} ${nvcc_root} $ENV{CUDA_HOME} /usr/local/cuda
  PATH_SUFFIXES include targets/x86_64-linux/include targets/sbsa-linux/include)
if(NOT MXC_CUDA_INCLUDE)
  message(FATAL_ERROR "cuda.h not found. Install the CUDA toolkit's headers (version 12.8 or newer; Debian and Ubuntu with "
    "NVIDIA's repository: cuda-cudart-dev-13-0; or pip install nvidia-cuda-runtime==13.0.96), or set the "
    "environment variable MXC_CUDA_ROOT to the folder that holds include/cuda.h.")
endif()
message(STATUS "cuda.h: ${MXC_CUDA_INCLUDE}")

