// A kernel that divides as schedules of groups do in every tile.
#pragma once

#include <string>

/// For kernel "test": in: `count` pairs of a number and what divides it; out: quotient and remainder of each.
/// One thread a pair; empty after a printed error.
std::string divisorKernel(int count);
