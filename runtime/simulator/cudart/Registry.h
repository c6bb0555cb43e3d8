// What nvcc's host code makes known when a program starts: images, and the host's names of kernels and
// variables.
#pragma once

#include "runtime/simulator/cudart/Runtime.h"

namespace mxc::sim::cudart {

struct Image; // a fat binary; loaded when the first of its kernels or variables is asked for

Image *addImage(const void *data);
void addKernel(Image *image, const void *host, const char *name);
void addVariable(Image *image, const void *host, const char *name);
void addManaged(Image *image, void **host, const char *name); // *host becomes the variable's address
void initialize(Image *image);                                // before the host uses managed variables

/// The kernel that a host function stands for; a handle that __cudaGetKernel gave stands for itself.
CUresult findKernel(const void *host, CUkernel &kernel);
CUresult findFunction(const void *host, CUfunction &function); // a CUfunction stands for itself, too
const void *hostOf(CUfunction function);                       // what it was found by; else the handle itself
CUresult findVariable(const void *host, CUdeviceptr &address, size_t &bytes);

} // namespace mxc::sim::cudart
