// A kernel that writes how groups of K are ordered.
#pragma once

#include <string>

/// For kernel "test": in: the ends; out: a record of four words for each rank, then for each of `slabs`
/// numbers the slab that is read then. 64 threads; empty after a printed error.
std::string groupOrderKernel(int groups, int k, int slabs);
