// How the lanes of a warp hold pieces of matrices (PTX ISA 9.7.14.5, "Matrix Fragments for mma", and 9.7.15.5
// for wgmma: each warp of a warpgroup holds 16 rows in the same way). Lane = 4 g + q.
//
//        A, a register:  one of g's rows, 4 q's                  C, two registers: one of g's rows, 2 columns
//        of q
//              k: q=0 | q=1 | q=2 | q=3                                n: 0 1 | 2 3 | 4 5 | 6 7
//   row g      [ a0   ..            ][ a2 .. ]            row g        [ c0 c1 ..              ]
//   row g + 8  [ a1   ..            ][ a3 .. ]            row g + 8    [ c2 c3 ..              ]
//
// B is as A with columns for rows, without the second eight.
#pragma once

#include "runtime/simulator/arithmetic/TensorDot.h"
#include "runtime/simulator/machine/Warp.h"

#include <span>

namespace mxc::sim {

/// How a register of 32 bits is filled: elements one after the other, or each in a byte of its own
/// (kind::f8f6f4, where e2m1 lies in bits 2 to 5: PTX ISA 9.7.14.5.14).
enum class Packing : uint8_t { Dense, Bytes };

/// Rows of registers to an operand that has been reset: 8 or 16 rows (m or n).
void loadFragment(Warp &warp, std::span<const uint32_t> registers, Element element, Packing packing,
                  DotOperand &to);

/// An accumulator of 8 or 16 rows, as bits: tile[row * columns + column]. isHalf: registers hold two f16 of
/// neighbour columns.
void loadAccumulator(Warp &warp, std::span<const uint32_t> registers, int rows, int columns, bool isHalf,
                     uint32_t *tile);
void storeAccumulator(Warp &warp, std::span<const uint32_t> registers, int rows, int columns, bool isHalf,
                      const uint32_t *tile);

} // namespace mxc::sim
