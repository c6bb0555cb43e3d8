// What tells tiles apart by what orders something in them.
#pragma once

#include <string>

/// The instructions of the PTX that order something, in order, as they are spelled, each with the kinds of
/// accesses to memory and tensor cores that stand between it and the one before: equal of two tiles whose
/// mutants say the same.
std::string orderKeyOf(const std::string &ptx);
